package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

type item struct {
	Kind string  `json:"kind"`
	N    int     `json:"n"`
	Text string  `json:"text"`
	MS   float64 `json:"ms"`
}

// write makes a journal of three frames and returns its path and lines.
func write(t testing.TB) (path string, lines []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal.jsonl.zst")
	j, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		var records []any
		for k := range i + 1 {
			r := item{"test", k, strings.Repeat(fmt.Sprint("<é>\n", i), 50*i), 1.5}
			records = append(records, r)
			lines = append(lines, fmt.Sprintf(`{"kind":"test","n":%d,"text":"%s","ms":1.5}`, k,
				strings.ReplaceAll(r.Text, "\n", `\n`)))
		}
		if err := j.Append(records...); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(item{}); err == nil {
		t.Error("a record was appended after the end, want an error")
	}
	return path, lines
}

func read(path string) (lines []string, torn int64, err error) {
	torn, err = Read(path, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	})
	return lines, torn, err
}

func TestRoundTrip(t *testing.T) {
	path, want := write(t)
	got, torn, err := read(path)
	if err != nil || torn != 0 {
		t.Fatalf("%d bytes torn, %v; want 0 and no error", torn, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records are read as they were written (-want +got):\n%s", diff)
	}
	again, _ := write(t)
	a, _ := os.ReadFile(path)
	b, _ := os.ReadFile(again)
	if !bytes.Equal(a, b) {
		t.Errorf("equal records are equal bytes: got %d and %d that differ", len(a), len(b))
	}
	decoder, err := zstd.NewReader(bytes.NewReader(a)) // what zstdcat does
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(decoder); err != nil || !bytes.HasSuffix(plain.Bytes(), []byte("\"}\n")) {
		t.Errorf("a plain decoder reads a journal to its last line: got %d bytes, %v", plain.Len(), err)
	}
	var last [sha256.Size]byte // as docs/format.md says that anybody can check
	for i, line := range strings.Split(strings.TrimSuffix(plain.String(), "\n"), "\n") {
		last = sha256.Sum256(append(last[:], want[i]...))
		if line != strings.TrimSuffix(want[i], "}")+fmt.Sprintf(`,"chain":"%x"}`, last) {
			t.Errorf("record %d is %s with its chain %x: got %s", i, want[i], last, line)
		}
	}
}

// TestTorn cuts the file at every byte: whole frames are read, the rest is reported to the byte.
func TestTorn(t *testing.T) {
	path, want := write(t)
	whole := datatest.Read(t, path)
	ends := []int{0} // of frames, found by another way than Read's: a frame is whole where its checksum fits
	plain, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for cut := 1; cut <= len(whole); cut++ {
		if _, err := plain.DecodeAll(whole[ends[len(ends)-1]:cut], nil); err == nil {
			ends = append(ends, cut)
		}
	}
	if len(ends) != 4 || ends[3] != len(whole) {
		t.Fatalf("a journal of %d bytes has 4 frames, the last up to its end: got ends %v", len(whole), ends)
	}
	frames := 0
	for cut := range len(whole) {
		if cut == ends[frames+1] {
			frames++
		}
		datatest.Write(t, path, whole[:cut])
		got, torn, err := read(path)
		if err != nil || torn != int64(cut-ends[frames]) {
			t.Fatalf("what is behind the last whole frame is torn: cut at %d, with frames that end at %v: "+
				"%d bytes torn, %v; want %d and no error", cut, ends, torn, err, cut-ends[frames])
		}
		if diff := cmp.Diff(want[:frames*(frames+1)/2], got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("a journal that is cut at %d is read up to its last whole frame (-want +got):\n%s", cut, diff)
		}
	}
}

func TestDamaged(t *testing.T) {
	path, _ := write(t)
	whole, _ := os.ReadFile(path)
	bad := bytes.Clone(whole)
	bad[len(bad)/2] ^= 0xFF
	datatest.Write(t, path, append(bad, whole...))
	got, _, err := read(path)
	var damage Damage
	if !errors.As(err, &damage) || !errors.Is(err, ErrDamaged) || len(got) != damage.Before || damage.Before != 1 ||
		damage.After < 6 || !strings.Contains(err.Error(), "parley repair") {
		t.Errorf("damage between frames is an error that counts 1 record before it, 6 or more after it, and names "+
			"parley repair: got %d records, %v", len(got), err)
	}
	stop := errors.New("stop")
	fresh, _ := write(t)
	if _, err := Read(fresh, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the reader ends the reading and comes back, %v: got %v", stop, err)
	}
}

// TestFlippedBit: whichever bit flips before the last frame, Read loses no record without an error, and Salvage keeps
// all records of the other frames.
func TestFlippedBit(t *testing.T) {
	path, want := write(t)
	whole := datatest.Read(t, path)
	last := bytes.LastIndex(whole, frameMagic)
	for at := range last {
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[at] ^= 1 << bit
			var got []string
			torn, err := readAll(path, scan(t, bad), func(line []byte) error {
				got = append(got, string(line))
				return nil
			})
			if err == nil && (torn != 0 || !cmp.Equal(want, got)) {
				t.Errorf("bit %d of byte %d flips: all %d records are read and no byte is torn, or an error says so: "+
					"got %d records, %d bytes torn, no error", bit, at, len(want), len(got), torn)
			}
			if len(got) > len(want) || !cmp.Equal(want[:len(got)], got, cmpopts.EquateEmpty()) {
				t.Errorf("bit %d of byte %d flips: what is read are the first records as they were: got %d others",
					bit, at, len(got))
			}
			if kept, _ := salvage(t, bad); len(kept) < len(want)-2 || !slices.Contains(kept, want[len(want)-1]) {
				t.Errorf("bit %d of byte %d flips: Salvage keeps the records of all other frames, %d or more and "+
					"the last: got %d of %d", bit, at, len(want)-2, len(kept), len(want))
			}
		}
	}
}

// TestStrayByte: of a byte between two frames nothing else is lost.
func TestStrayByte(t *testing.T) {
	lines := linked(t, records(3)...)
	first, rest := frame(t, lines[0]), frame(t, lines[1:]...)
	kept, losses := salvage(t, slices.Concat(first, []byte("x"), rest))
	if len(kept) != 3 || len(losses) != 1 || losses[0].Offset != int64(len(first)) || losses[0].Bytes != 1 {
		t.Errorf("want 3 records, and a loss of the byte at %d: got %d and %+v", len(first), len(kept), losses)
	}
}

func scan(t testing.TB, content []byte) *scanner {
	t.Helper()
	s, err := newScanner(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func salvage(t testing.TB, content []byte) (kept []string, losses []Loss) {
	t.Helper()
	s := scan(t, content)
	s.takeOld = true
	if _, err := s.run(func(line []byte) error {
		kept = append(kept, string(line))
		return nil
	}, func(l Loss) error {
		losses = append(losses, l)
		return nil
	}); err != nil && !errors.Is(err, ErrVersion) {
		t.Fatalf("what can be read of a damaged journal is read: got %v, want no error, or %v", err, ErrVersion)
	}
	return kept, losses
}

// frame is a whole frame of lines, as a forger makes it.
func frame(t testing.TB, lines ...string) []byte {
	t.Helper()
	encoder, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	return encoder.EncodeAll([]byte(strings.Join(lines, "\n")+"\n"), nil)
}

// linked are the lines of a journal with records, with their hashes.
func linked(t testing.TB, records ...string) (lines []string) {
	t.Helper()
	var last chain
	for _, r := range records {
		line, err := last.link(nil, []byte(r))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSuffix(string(line), "\n"))
	}
	return lines
}

func records(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"v":2,"kind":"test","n":%d}`, i))
	}
	return list
}

// TestChain: whatever is done to the records of whole frames (changed, left out, doubled, moved) is detected, and
// Salvage keeps the records that were not touched. Only a journal that ends early goes unnoticed: a killed process
// leaves that.
func TestChain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := records(rapid.IntRange(3, 12).Draw(r, "records"))
		lines := linked(t, want...)
		at := rapid.IntRange(0, len(lines)-2).Draw(r, "at")
		damage := rapid.SampledFrom([]string{"changed", "left out", "doubled", "moved", "its hash changed",
			"its hash left out"}).Draw(r, "damage")
		switch damage {
		case "changed":
			lines[at] = strings.Replace(lines[at], `"test"`, `"Test"`, 1)
		case "left out":
			lines = slices.Delete(lines, at, at+1)
		case "doubled":
			lines = slices.Insert(lines, at, lines[at])
		case "moved":
			lines[at], lines[at+1] = lines[at+1], lines[at]
		case "its hash changed":
			lines[at] = strings.Replace(lines[at], `"chain":"`, `"chain":"0`, 1)[:len(lines[at])-2] + `"}`
		case "its hash left out":
			lines[at] = want[at]
		}
		var content []byte
		for len(lines) > 0 {
			n := rapid.IntRange(1, len(lines)).Draw(r, "frame")
			content = append(content, frame(t, lines[:n]...)...)
			lines = lines[n:]
		}
		before := 0
		_, err := readAll("j", scan(t, content), func([]byte) error { before++; return nil })
		if !errors.Is(err, ErrDamaged) || before > at+1 {
			r.Fatalf("record %d %s: %d were read, %v", at, damage, before, err)
		}
		kept, losses := salvage(t, content)
		if len(losses) == 0 || len(kept) < len(want)-3 {
			r.Fatalf("record %d %s: %q are kept, %v lost", at, damage, kept, losses)
		}
		for _, k := range kept {
			if !slices.Contains(want, k) {
				r.Fatalf("record %d %s: %s is kept", at, damage, k)
			}
		}
	})
}

// TestZeroTail: after a loss of power, a file system may leave zeros in place of the last frame or of its end. They are
// cut off like a torn frame; zeros between frames are damage.
func TestZeroTail(t *testing.T) {
	path, want := write(t)
	whole := datatest.Read(t, path)
	last := bytes.LastIndex(whole, frameMagic)
	for cut := last; cut < len(whole)-1; cut++ {
		for _, zeros := range []int{1, len(whole) - cut, 5000} {
			content := append(bytes.Clone(whole[:cut]), make([]byte, zeros)...)
			kept := 0
			torn, err := readAll(path, scan(t, content), func([]byte) error { kept++; return nil })
			if err != nil || torn != int64(len(content)-last) || kept != len(want)-3 {
				t.Fatalf("cut at %d, then %d zeros: %d bytes torn, %d of %d records, %v", cut, zeros, torn, kept,
					len(want), err)
			}
		}
	}
	content := append(append(bytes.Clone(whole), make([]byte, 100)...), whole...)
	if _, err := readAll(path, scan(t, content), func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) {
		t.Errorf("zeros in the middle: %v, want the error %q", err, ErrDamaged)
	}
	datatest.Write(t, path, append(whole, make([]byte, 4096)...))
	j, torn, err := Continue(path, func([]byte) error { return nil })
	if err != nil || torn != 4096 {
		t.Fatalf("%d bytes torn, %v; want 4096 and no error", torn, err)
	}
	if err := errors.Join(j.Append(item{}), j.Close()); err != nil {
		t.Fatal(err)
	}
	if got, torn, err := read(path); len(got) != len(want)+1 || torn != 0 || err != nil {
		t.Errorf("%d of %d records, %d bytes torn, %v", len(got), len(want)+1, torn, err)
	}
}

// TestVersions: a journal of the previous version is refused by Read, which names the way to convert it, and accepted
// by Salvage. Any other version is refused. Records of the previous version between new ones are forged.
func TestVersions(t *testing.T) {
	old := []string{`{"v":1,"kind":"header"}`, `{"v":1,"kind":"debate"}`}
	content := frame(t, old...)
	ignore := func([]byte) error { return nil }
	if _, err := readAll("j", scan(t, content), ignore); !errors.Is(err, ErrVersion) ||
		!strings.Contains(err.Error(), "version 1, without hashes") || !strings.Contains(err.Error(), "parley repair") {
		t.Errorf("a journal without hashes is refused as version 1, with parley repair: got %v", err)
	}
	if kept, losses := salvage(t, content); !slices.Equal(kept, old) || losses != nil {
		t.Errorf("a journal without hashes is salvaged whole, %q: got %q, lost %v", old, kept, losses)
	}
	if _, err := readAll("j", scan(t, frame(t, `{"v":3,"kind":"header"}`)), ignore); !errors.Is(err, ErrVersion) ||
		!strings.Contains(err.Error(), "has version 3, and this program reads version 2") {
		t.Errorf("a journal of version 3 is refused, with the version that is read: got %v", err)
	}
	if _, err := readAll("j", scan(t, frame(t, `{"v":2,"kind":"header"}`)), ignore); !errors.Is(err, ErrDamaged) ||
		!strings.Contains(err.Error(), "has no hash") {
		t.Errorf("a record without its hash is damaged, and that is said: got %v", err)
	}
	mixed := append(frame(t, linked(t, records(2)...)...), content...)
	if kept, _ := salvage(t, mixed); len(kept) != 2 {
		t.Errorf("%q are kept, want 2 of them", kept)
	}
	if err := Check(Version, "generation", "header", "generation"); err != nil {
		t.Error(err)
	}
	for _, err := range []error{Check(1, "header", "header"), Check(3, "header", "header"),
		Check(Version, "spell", "header")} {
		t.Run(fmt.Sprint(err), func(t *testing.T) {
			if !errors.Is(err, ErrVersion) {
				t.Errorf("another version is the error %v: got %v", ErrVersion, err)
			}
		})
	}
}

// TestBombs: frames that expand too far are refused before memory is spent on them, and the records before them are
// kept.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	good := frame(t, linked(t, records(3)...)...)
	text := frame(t, `{"v":2,"text":"`+strings.Repeat("x", maxLinesBytes-100)+`"}`)
	for name, bomb := range map[string][]byte{
		"zeros":   bytes.Repeat(text, 60),
		"objects": frame(t, `{"v":2,"rounds":[[`+strings.Repeat("{},", maxObjects)+`{}]]}`),
		"nulls":   frame(t, `{"v":2,"rounds":[[`+strings.Repeat("null,", maxObjects)+`{}]]}`),
		"lists":   frame(t, `{"v":2,"rounds":[`+strings.Repeat("[],", maxValues)+`[]]}`),
		"numbers": frame(t, `{"v":2,"heard":[`+strings.Repeat("0,", maxValues)+`0]}`),
		"nested":  frame(t, strings.Repeat(`{"before":[`, maxDepth)+strings.Repeat("]}", maxDepth)),
		"many":    bytes.Repeat(frame(t, `{"v":2,"rounds":[[`+strings.Repeat("{},", maxObjects/2)+`{}]]}`), 10),
	} {
		t.Run(name, func(t *testing.T) {
			started := soak.Processor()
			n := 0
			_, err := readAll("j", scan(t, append(bytes.Clone(good), bomb...)), func([]byte) error { n++; return nil })
			if !errors.Is(err, ErrDamaged) || n != 3 {
				t.Errorf("%s: %d records, %v; want the error %q and 3", name, n, err, ErrDamaged)
			}
			if took := soak.Processor() - started; took > 5*time.Second {
				t.Errorf("%s: what expands is refused within 5 s: took %v", name, took)
			}
		})
	}
	j, err := Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Append(map[string]any{"list": make([]*int, maxObjects+1)}); err == nil {
		t.Error("what cannot be read was written, want an error")
	}
}

// TestLinks: nothing is written through a link, and nobody waits for a pipe.
func TestLinks(t *testing.T) {
	path, _ := write(t)
	whole := datatest.Read(t, path)
	directory := t.TempDir()
	soft, hard, nowhere, pipe := filepath.Join(directory, "soft"), filepath.Join(directory, "hard"),
		filepath.Join(directory, "nowhere"), filepath.Join(directory, "pipe")
	if err := errors.Join(os.Symlink(path, soft), os.Symlink(filepath.Join(directory, "target"), nowhere),
		exec.Command("mkfifo", pipe).Run()); err != nil {
		t.Fatal(err)
	}
	ignore := func([]byte) error { return nil }
	if _, _, err := Continue(soft, ignore); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a symbolic link is refused as \"is a link\": got %v", err)
	}
	if _, err := Create(nowhere); err == nil {
		t.Error("a journal was made through a link, want an error")
	}
	if _, err := Read(pipe, ignore); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a pipe is refused as \"is not a regular file\": got %v", err)
	}
	if err := os.Link(path, hard); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Continue(hard, ignore); err == nil || !strings.Contains(err.Error(), "has 2 hard links") {
		t.Errorf("a hard link is refused as \"has 2 hard links\": got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, whole) {
		t.Errorf("a journal that was refused stays as it was, %d bytes: got %d, %v", len(whole), len(after), err)
	}
}

// TestGone: a journal that is removed, moved or replaced while it is open is reported.
func TestGone(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			j, err := Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(j.Append(item{}), take(path)); err != nil {
				t.Fatal(err)
			}
			if err := j.Append(item{}); (err != nil) != (name == "removed") {
				t.Errorf("%s: appending to a journal fails just where it was removed: got %v", name, err)
			}
			if err := j.Close(); !errors.Is(err, ErrGone) {
				t.Errorf("%s: closing says %v, want the error %q", name, err, ErrGone)
			}
		})
	}
}

// TestNotAJournal: a file that is not a journal is never taken for an empty one.
func TestNotAJournal(t *testing.T) {
	for content, want := range map[string]string{"abc": "no zstd frame", "hello, world": "no zstd frame",
		"\x00\x00x": "no zstd frame"} {
		t.Run(content, func(t *testing.T) {
			path := datatest.File(t, "j", content)
			if _, torn, err := read(path); err == nil || !strings.Contains(err.Error(), want) || torn != 0 {
				t.Errorf("%q is no journal, refused with %q and nothing torn: got %v, %d bytes torn",
					content, want, err, torn)
			}
		})
	}
	if _, _, err := read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory is refused as \"is a directory\": got %v", err)
	}
}

// failing is a disk that cannot read bytes from an offset on.
type failing struct {
	*bytes.Reader
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	if most := f.from - offset; int64(len(p)) > most {
		n, _ := f.Reader.ReadAt(p[:max(0, most)], offset)
		return n, f.err
	}
	return f.Reader.ReadAt(p, offset)
}

// TestDiskThatFails: a device that cannot be read is neither the end of the journal nor damage.
func TestDiskThatFails(t *testing.T) {
	path, want := write(t)
	whole := datatest.Read(t, path)
	broken := errors.New("input/output error")
	for _, at := range []int{0, 2, len(whole) / 2, len(whole) - 1, len(whole)} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			var got []string
			s, err := newScanner(failing{bytes.NewReader(whole), int64(at), broken}, int64(len(whole)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = readAll(path, s, func(line []byte) error {
				got = append(got, string(line))
				return nil
			})
			if at == len(whole) {
				if err != nil || !cmp.Equal(want, got) {
					t.Errorf("%d of %d records were read, %v", len(got), len(want), err)
				}
			} else if !errors.Is(err, broken) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
				t.Errorf("a disk that fails after %d bytes is its own error with the path, no damage: got %v",
					at, err)
			}
		})
	}
}

// TestWhatIsAcceptedCanBeRead: groups up to the bound come back, larger ones are refused and leave no trace.
func TestWhatIsAcceptedCanBeRead(t *testing.T) {
	type long struct {
		Text string `json:"text"`
	}
	// and a line feed for the brace that the hash stands before
	text := strings.Repeat("x", maxLinesBytes-linkBytes-len(`{"text":""}`))
	path := filepath.Join(t.TempDir(), "j")
	j, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(long{text + "."}); err == nil ||
		!strings.Contains(err.Error(), "67108865 bytes exceed the 67108864") {
		t.Errorf("one byte too many is refused, as \"67108865 bytes exceed the 67108864\": got %v", err)
	}
	if err := errors.Join(j.Append(long{text}), j.Append(), j.Append(item{}), j.Close()); err != nil {
		t.Fatal(err)
	}
	got, torn, err := read(path)
	if err != nil || torn != 0 || len(got) != 2 || got[0] != `{"text":"`+text+`"}` {
		t.Errorf("what was accepted is read, 2 records, nothing torn: got %d, %d bytes torn, %v", len(got), torn, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	path, _ := write(t)
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a journal that exists is refused as \"exists already\": got %v", err)
	}
	if _, err := Create(filepath.Join(path, "below")); err == nil {
		t.Error("a journal was made below a file, want an error")
	}
	if _, _, err := read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a journal that does not exist was read, want an error")
	}
	j, err := Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Append(func() {}); err == nil {
		t.Error("a function was written as JSON, want an error")
	}
	if err := j.Append(1); err == nil {
		t.Error("a number was written as a record, want an error")
	}
	if err := j.Append(item{}); err != nil {
		t.Errorf("a record is appended after a bad one: got %v, want no error", err)
	}
}

// TestFullDisk: after the first failure to write, every append returns it.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	j, err := Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	j.file.Close()
	if j.file, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	first, second := j.Append(item{}), j.Append(item{})
	if first == nil || !strings.Contains(first.Error(), "free some space") || second != first {
		t.Errorf("a full disk is an error that says \"free some space\", and stays the same: got %v, then %v",
			first, second)
	}
}

func TestWithoutTimes(t *testing.T) {
	got, err := WithoutTimes([]byte(`{"b":1e400,"ms":3,"a":[{"time":"now","n":12345678901234567890}]}`))
	if want := `{"a":[{"n":12345678901234567890}],"b":1e400}`; err != nil || string(got) != want {
		t.Errorf("without times all else stays as it stands, numbers of any length too: got %s, %v, want %s", got, err,
			want)
	}
	if got, err := WithoutTimes([]byte(`{"a":1,"cached":2}`), "cached"); err != nil || string(got) != `{"a":1}` {
		t.Errorf("the field cached is taken out, and the one before it stays: got %s, %v", got, err)
	}
	if got, err := WithoutTimes([]byte(`"<|im_start|>&"`)); err != nil || string(got) != `"<|im_start|>&"` {
		t.Errorf("a text without fields stays, and is not escaped: got %s, %v", got, err)
	}
	for _, bad := range []string{"", "{", `{"a":1} {"a":2}`, `{"a":1}]`} {
		t.Run(fmt.Sprintf("%.60s", bad), func(t *testing.T) {
			if got, err := WithoutTimes([]byte(bad)); err == nil {
				t.Errorf("%q is no record, want an error: got %s", bad, got)
			}
		})
	}
}

// FuzzRead reads anything without a panic and in bounded memory.
func FuzzRead(f *testing.F) {
	path, _ := write(f)
	whole, _ := os.ReadFile(path)
	f.Add(whole)
	f.Add(whole[:40])
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xFF, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, content []byte) {
		file := datatest.File(t, "j", content)
		read(file)
	})
}

// TestPlaces: each record is read by its mark alone, also while others are appended, and a journal is continued from
// any mark that is the last of its frame: the chain goes on. Where a record is not, there is none.
func TestPlaces(t *testing.T) {
	path, lines := write(t)
	var marks []Mark
	j, _, err := ContinueFrom(path, Mark{}, func(line []byte, at Mark) error {
		marks = append(marks, at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := NewPlaceReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := j.Append(map[string]int{"a": 1}, map[string]int{"b": 2}); err != nil {
		t.Fatal(err)
	}
	marks, lines = append(marks, j.Last()), append(lines, `{"b":2}`)
	for i, m := range marks {
		if line, err := r.Read(m.Place); err != nil || string(line) != lines[i] {
			t.Errorf("record %d: %q, %v, want %q", i, line, err, lines[i])
		}
		wrong := []Place{{m.Offset, m.Sum + 1}, {m.Offset + 1, m.Sum}, {-m.Offset - 1, m.Sum}, {1 << 40, m.Sum},
			{marks[(i+3)%len(marks)].Offset, m.Sum}}
		for _, at := range wrong {
			if line, err := r.Read(at); !errors.Is(err, ErrMoved) {
				t.Errorf("record %d at %+v: %q, %v, want ErrMoved", i, at, line, err)
			}
		}
	}
	went := 0
	for i, m := range marks {
		seen := 0
		j, torn, err := ContinueFrom(path, m, func([]byte, Mark) error { seen++; return nil })
		if last := i+1 == len(marks) || marks[i+1].Offset > m.Offset; !last {
			if !errors.Is(err, ErrMoved) {
				t.Errorf("from record %d, which others follow in its frame: %v, want ErrMoved", i, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		went++
		if err := errors.Join(j.Append(map[string]int{"c": i}), j.Close()); err != nil || torn > 0 {
			t.Fatalf("%d bytes torn, %v; want 0 and no error", torn, err)
		}
		if all, _, err := read(path); err != nil || len(all) != len(lines)+1+went || i < 6 && seen != len(all)-i-2 {
			t.Errorf("from record %d all that follow are read, and %d records are kept: got %d read, %d kept, %v",
				i, len(lines)+1+went, seen, len(all), err)
		}
	}
	if went != 4 {
		t.Errorf("went on from %d marks, want 4", went)
	}
}

// TestContinue appends to a whole journal and to one with a torn last record.
func TestContinue(t *testing.T) {
	path, lines := write(t)
	whole := datatest.Read(t, path)
	for cut := range 2 {
		datatest.Write(t, path, whole[:len(whole)-3*cut])
		seen := 0
		j, torn, err := Continue(path, func([]byte) error { seen++; return nil })
		if err != nil || (torn > 0) != (cut > 0) {
			t.Fatalf("a record that is cut (%d bytes) is torn: got %d bytes torn, %v", cut, torn, err)
		}
		if err := errors.Join(j.Append(map[string]int{"more": 1}), j.Close()); err != nil {
			t.Fatal(err)
		}
		got, left, err := read(path)
		if err != nil || left != 0 || len(got) != seen+1 || got[seen] != `{"more":1}` ||
			cut == 0 && seen != len(lines) || cut == 1 && seen >= len(lines) {
			t.Errorf("cut %d: a journal goes on behind the %d records of %d that it has, nothing torn: got %d "+
				"records, %d bytes left, %v", cut, seen, len(lines), len(got), left, err)
		}
	}
	if _, _, err := Continue(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a journal that does not exist was continued, want an error")
	}
}
