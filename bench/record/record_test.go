package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
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
			lines = append(lines, fmt.Sprintf(`{"kind":"test","n":%d,"text":"%s","ms":1.5}`, k, strings.ReplaceAll(r.Text, "\n", `\n`)))
		}
		if err := j.Append(records...); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(1); err == nil {
		t.Error("appended after close")
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
		t.Fatalf("%d bytes torn, %v", torn, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, _ := write(t)
	a, _ := os.ReadFile(path)
	b, _ := os.ReadFile(again)
	if !bytes.Equal(a, b) {
		t.Error("equal records are not equal bytes")
	}
	decoder, _ := zstd.NewReader(bytes.NewReader(a)) // what zstdcat does
	defer decoder.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(decoder); err != nil || plain.String() != strings.Join(want, "\n")+"\n" {
		t.Errorf("a plain decoder gives %d bytes, %v", plain.Len(), err)
	}
}

// TestTorn cuts the file at every byte: whole frames are read, the rest is reported to the byte.
func TestTorn(t *testing.T) {
	path, want := write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
		t.Fatalf("frames end at %v of %d bytes", ends, len(whole))
	}
	frames := 0
	for cut := range len(whole) {
		if cut == ends[frames+1] {
			frames++
		}
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		got, torn, err := read(path)
		if err != nil || torn != int64(cut-ends[frames]) {
			t.Fatalf("cut at %d, frames end at %v: %d bytes torn, %v", cut, ends, torn, err)
		}
		if diff := cmp.Diff(want[:frames*(frames+1)/2], got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

func TestDamaged(t *testing.T) {
	path, _ := write(t)
	whole, _ := os.ReadFile(path)
	bad := bytes.Clone(whole)
	bad[len(bad)/2] ^= 0xFF
	if err := os.WriteFile(path, append(bad, whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(path); err == nil || len(got) == 0 || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%d records, %v", len(got), err)
	}
	stop := errors.New("stop")
	fresh, _ := write(t)
	if _, err := Read(fresh, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestFlippedBit: whatever bit flips before the last frame, records are lost with an error or not at all.
func TestFlippedBit(t *testing.T) {
	path, want := write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(whole, frameMagic)
	for at := range last {
		for bit := range 8 {
			bad := bytes.Clone(whole)
			bad[at] ^= 1 << bit
			var got []string
			torn, err := readFrames(path, bytes.NewReader(bad), func(line []byte) error {
				got = append(got, string(line))
				return nil
			})
			if err == nil && (torn != 0 || !cmp.Equal(want, got)) {
				t.Errorf("bit %d of byte %d: %d of %d records, %d bytes torn, no error", bit, at, len(got), len(want), torn)
			}
			if len(got) > len(want) || !cmp.Equal(want[:len(got)], got, cmpopts.EquateEmpty()) {
				t.Errorf("bit %d of byte %d: other records", bit, at)
			}
		}
	}
}

// TestNotAJournal: what is no journal is never an empty one.
func TestNotAJournal(t *testing.T) {
	for content, want := range map[string]string{"abc": "no zstd frame", "hello, world": "no zstd frame", "\x00\x00": "no zstd frame"} {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, torn, err := read(path); err == nil || !strings.Contains(err.Error(), want) || torn != 0 {
			t.Errorf("%q: %d bytes torn, %v", content, torn, err)
		}
	}
	if _, _, err := read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
}

// TestDiskThatFails: a device that cannot be read is not the end of the journal.
func TestDiskThatFails(t *testing.T) {
	path, want := write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("input/output error")
	for _, at := range []int{0, 2, len(whole) / 2, len(whole) - 1, len(whole)} {
		var got []string
		disk := io.MultiReader(bytes.NewReader(whole[:at]), iotest.ErrReader(broken))
		_, err := readFrames(path, disk, func(line []byte) error {
			got = append(got, string(line))
			return nil
		})
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
			t.Errorf("failing after %d bytes: %v", at, err)
		}
		if at == len(whole) && !cmp.Equal(want, got) {
			t.Errorf("%d of %d records were read before it", len(got), len(want))
		}
	}
}

// TestWhatIsAcceptedCanBeRead: groups up to the bound come back, larger ones are refused and leave no trace.
func TestWhatIsAcceptedCanBeRead(t *testing.T) {
	text := strings.Repeat("x", maxLinesBytes-3) // and two quotes, and a line feed
	path := filepath.Join(t.TempDir(), "j")
	j, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(text + "."); err == nil || !strings.Contains(err.Error(), "67108865 bytes, at most 67108864") {
		t.Errorf("one byte too many: %v", err)
	}
	if err := errors.Join(j.Append(text), j.Append(), j.Append(1), j.Close()); err != nil {
		t.Fatal(err)
	}
	got, torn, err := read(path)
	if err != nil || torn != 0 || len(got) != 2 || got[0] != `"`+text+`"` || got[1] != "1" {
		t.Errorf("%d records, %d bytes torn, %v", len(got), torn, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	path, _ := write(t)
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "already there") {
		t.Errorf("overwrites: %v", err)
	}
	if _, err := Create(filepath.Join(path, "below")); err == nil {
		t.Error("made below a file")
	}
	if _, _, err := read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("read from nothing")
	}
	j, err := Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Append(func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
	if err := j.Append(1); err != nil {
		t.Errorf("after a bad record: %v", err)
	}
}

// TestFullDisk reports the failure once and for all, and keeps what was written.
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
	first, second := j.Append(1), j.Append(2)
	if first == nil || !strings.Contains(first.Error(), "free space") || second != first {
		t.Errorf("%v, then %v", first, second)
	}
}

func TestWithoutTimes(t *testing.T) {
	got, err := WithoutTimes([]byte(`{"b":1e400,"ms":3,"a":[{"time":"now","n":12345678901234567890}]}`))
	if want := `{"a":[{"n":12345678901234567890}],"b":1e400}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := WithoutTimes([]byte(`"<|im_start|>&"`)); err != nil || string(got) != `"<|im_start|>&"` {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "{", `{"a":1} {"a":2}`, `{"a":1}]`} {
		if got, err := WithoutTimes([]byte(bad)); err == nil {
			t.Errorf("%q is %s", bad, got)
		}
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
		file := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		read(file)
	})
}

// TestContinue goes on with a journal, also behind a record that was torn.
func TestContinue(t *testing.T) {
	path, lines := write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 2 {
		if err := os.WriteFile(path, whole[:len(whole)-3*cut], 0o600); err != nil {
			t.Fatal(err)
		}
		seen := 0
		j, torn, err := Continue(path, func([]byte) error { seen++; return nil })
		if err != nil || (torn > 0) != (cut > 0) {
			t.Fatalf("%d bytes torn, %v", torn, err)
		}
		if err := errors.Join(j.Append(map[string]int{"more": 1}), j.Close()); err != nil {
			t.Fatal(err)
		}
		got, left, err := read(path)
		if err != nil || left != 0 || len(got) != seen+1 || got[seen] != `{"more":1}` || cut == 0 && seen != len(lines) || cut == 1 && seen >= len(lines) {
			t.Errorf("cut %d: %d records after %d seen of %d, %d bytes left, %v", cut, len(got), seen, len(lines), left, err)
		}
	}
	if _, _, err := Continue(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("went on with nothing")
	}
}
