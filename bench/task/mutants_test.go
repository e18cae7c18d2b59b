package task

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/parley-debate/parley/internal/soak"
)

// mutate damages a file in one to three places: a bit, a byte, a run of ones, a cut, something doubled.
func mutate(r *rand.Rand, seed []byte) []byte {
	b := bytes.Clone(seed)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		end := min(len(b), at+1+r.IntN(8))
		switch r.IntN(5) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.IntN(256))
		case 2:
			for i := at; i < end; i++ {
				b[i] = 0xff
			}
		case 3:
			b = append(b[:at:at], b[end:]...)
		case 4:
			b = append(b[:end:end], b[at:]...)
		}
	}
	return b
}

// TestMutants reads damaged files of every kind without a panic, in little time and memory.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	seeds := append(parquetSeeds(t), []byte(`{"examples":[{"input":"x\nOptions:\n(A) a\n(B) b","target":"(A)"}]}`),
		[]byte("{\"question\":\"q\",\"answer\":\"#### 1\"}\n{\"question\":\"q\",\"answer\":\"#### 2\"}\n"),
		[]byte("q,a,b,c,d,A\nq,\"a\",b,c,d,B\n"), []byte("prompt,gold\nq,1\nr,2\n"),
		[]byte("\ufeffquestion\tchoices\tanswer\r\nq\t['a', 'b']\tb\r\nr\t[1, 2]\t2\r\n"),
		[]byte(`[{"context":"c","questions":[{"question":"q","choices":["a","b"],"answer":0}]}]`),
		[]byte(`{"text_game":"Player name: A\nPlayer name: B","text_solution":"A is a spy.\nB is a spy."}`))
	r := rand.New(rand.NewPCG(1, 0))
	read, n := 0, 0
	for more := soak.More(t, 2000*len(seeds)); more(n); n++ {
		content := mutate(r, seeds[n%len(seeds)])
		if frugally(t, content) == nil {
			read++
		}
	}
	if t.Logf("%d mutants, %d of them read", n, read); read == 0 || read == n {
		t.Errorf("some of %d mutants are read and some are refused: got %d read", n, read)
	}
}

// frugally reads a file and fails where it takes more than five seconds or a gigabyte.
func frugally(t *testing.T, content []byte) error {
	t.Helper()
	before, started := soak.Allocated(), soak.Processor()
	_, err := parse("t", content, Mapping{})
	took := soak.Processor() - started
	if allocated := soak.Allocated() - before; took > 5*time.Second || allocated > 1<<30 {
		t.Errorf("a file is read or refused within 5 s and 1 GiB: %.200q (%d bytes) took %v and %d MB (%v)",
			content, len(content), took, allocated>>20, err)
	}
	return err
}

// parquetSeeds are small tables in the encodings and compressions that published ones have.
func parquetSeeds(t testing.TB) (seeds [][]byte) {
	type mmlu struct {
		Question string   `parquet:"question"`
		Choices  []string `parquet:"choices,list"`
		Answer   int64    `parquet:"answer"`
	}
	type musr struct {
		Narrative string `parquet:"narrative,optional"`
		Question  string `parquet:"question,dict"`
		Choices   string `parquet:"choices,delta"`
		Answer    int64  `parquet:"answer_index,delta"`
	}
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed),
		parquet.Compression(&parquet.Snappy),
		parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd)} {
		for _, version := range []int{1, 2} {
			var a, b bytes.Buffer
			four := []string{"p", "q", "r", "s"}
			if err := parquet.Write(&a, []mmlu{{"Which?", four, 2}, {"What?", four, 0}}, codec,
				parquet.DataPageVersion(version)); err != nil {
				t.Fatal(err)
			}
			story := musr{strings.Repeat("A story. ", 20), "Who?", "['Ana', 'Bo']", 1}
			if err := parquet.Write(&b, []musr{story, story, story}, codec,
				parquet.DataPageVersion(version)); err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, a.Bytes(), b.Bytes())
		}
	}
	return seeds
}

// TestHuge files that say or come to more than is read are refused, before they take memory.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	type table struct {
		Question string `parquet:"question,dict"`
		Answer   string `parquet:"answer,dict"`
	}
	bomb := func(codec parquet.WriterOption) []byte {
		var b bytes.Buffer
		rows := make([]table, 1100) // more than 1 GB
		for i := range rows {       // one text of the dictionary, again and again
			rows[i] = table{strings.Repeat("x", 1<<20), "#### 1"}
		}
		if err := parquet.Write(&b, rows, codec); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	parquets := parquetSeeds(t)
	footer := bytes.Clone(parquets[0])
	copy(footer[len(footer)-8:], "\xff\xff\xff\xff")
	for name, content := range map[string][]byte{
		"a footer of 4 GB":          footer,
		"a dictionary of one text":  bomb(parquet.Compression(&parquet.Gzip)),
		"the same by LZ4":           bomb(parquet.Compression(&parquet.Lz4Raw)),
		"a list of nothing":         []byte("[" + strings.Repeat("0,", 9_000_000) + "0]"),
		"lines of nothing":          []byte(strings.Repeat("{\"a\":["+strings.Repeat("0,", 100)+"0]}\n", 90_000)),
		"examples of nothing":       []byte(`{"examples":[` + strings.Repeat("{},", 9_000_000) + "{}]}"),
		"a TSV of very many fields": []byte("question\tanswer" + strings.Repeat("\t", 10_000_000)),
		"a CSV of very many fields": []byte(strings.Repeat("a,", 100_000) + "b\n" +
			strings.Repeat(strings.Repeat(",", 100_000)+"\n", 90)),
	} {
		t.Run(name, func(t *testing.T) {
			if err := frugally(t, content); err == nil {
				t.Errorf("%s was read, want an error", name)
			} else {
				t.Logf("%s: %.150v", name, err)
			}
		})
	}
}
