package serving

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/internal/datatest"
)

// opened is the journal in a directory, of which nothing is to be told.
func opened(t *testing.T, directory string) *replies {
	t.Helper()
	r, err := openReplies(directory, knownReplies, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestJournalGoesOn: a journal goes on where a process was killed before or within its first record.
func TestJournalGoesOn(t *testing.T) {
	torn := []byte("\x28\xb5\x2f\xfd\x04\x00")
	for _, content := range [][]byte{nil, torn} {
		t.Run(fmt.Sprintf("%.20q", content), func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string][]byte{"replies.jsonl.zst": content, "parley.lock": nil} {
				datatest.Write(t, filepath.Join(dir, name), text)
			}
			r := opened(t, dir)
			if err := errors.Join(r.Keep(generation.Record{Key: "k"}), r.Close()); err != nil {
				t.Error(err)
			}
			r = opened(t, dir)
			if _, known := r.Known("k"); !known {
				t.Errorf("after %q, the reply is not kept, want it known", content)
			}
			r.Close()
		})
	}
}

// kept are n replies in a new journal, which is closed.
func kept(t *testing.T, n int) (directory string, all map[string]generation.Record) {
	t.Helper()
	directory, all = t.TempDir(), make(map[string]generation.Record)
	r := opened(t, directory)
	for i := range n {
		one := generation.Record{Key: fmt.Sprint("key ", i), Tokens: []generation.Token{{ID: int32(i), Text: "text"}}}
		if all[one.Key] = one; r.Keep(one) != nil {
			t.Fatal("a reply could not be kept, want no error")
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return directory, all
}

// TestKeptTwice: a reply that is there is not written again, nor read, while others wait to be written.
func TestKeptTwice(t *testing.T) {
	r := opened(t, t.TempDir())
	one := generation.Record{Key: "k", Rest: "text"}
	if err := r.Keep(one); err != nil {
		t.Fatal(err)
	}
	reader, size := r.reader, r.size
	r.reader = nil // which would panic
	if err := r.Keep(one); err != nil || r.size != size {
		t.Errorf("a reply kept twice: %v, the journal has %d bytes, want no error and %d as before", err, r.size, size)
	}
	r.reader = reader
	if got, known := r.Known("k"); !known || got.Rest != one.Rest {
		t.Errorf("a reply that is kept twice is known as the first one, %+v: got %+v, %v", one, got, known)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestTooLarge: a reply that is too large for a record is given and not known, which is said, and the next one is kept.
func TestTooLarge(t *testing.T) {
	var said []error
	r, err := openReplies(t.TempDir(), knownReplies, func(err error) { said = append(said, err) })
	if err != nil {
		t.Fatal(err)
	}
	alternatives := make([]inference.TokenScore, 20)
	large := map[string]generation.Record{
		"tokens":       {Tokens: make([]generation.Token, 250_000)},
		"alternatives": {Tokens: slices.Repeat([]generation.Token{{Alternatives: alternatives}}, 10_000)},
		"bytes":        {Tokens: slices.Repeat([]generation.Token{{Text: strings.Repeat("text", 1<<18)}}, 70)},
	}
	for key, one := range large {
		one.Key = key
		if err := r.Keep(one); err != nil {
			t.Errorf("a reply of too many %s is refused: %v, want it not kept without an error", key, err)
		}
		if _, known := r.Known(key); known {
			t.Errorf("a reply of too many %s is known, want it not kept", key)
		}
		if err := r.Keep(generation.Record{Key: "after " + key}); err != nil {
			t.Errorf("the reply after one of too many %s is refused: %v, want no error", key, err)
		}
		if _, known := r.Known("after " + key); !known {
			t.Errorf("the reply after one of too many %s is not known, want it kept", key)
		}
	}
	if len(said) != len(large) || !errors.Is(errors.Join(said...), record.ErrTooLarge) {
		t.Errorf("%v was said, want one of each", said)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestInUse: a second process is told so, and the first one goes on.
func TestInUse(t *testing.T) {
	directory, _ := kept(t, 1)
	first := opened(t, directory)
	for _, use := range []func() error{
		func() error { _, err := openReplies(directory, knownReplies, nil); return err },
		func() error { _, err := Repair(directory, ""); return err },
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), directory+" is in use by another process") {
			t.Errorf("%v, want an error that the directory is in use", err)
		}
	}
	if err := errors.Join(first.Keep(generation.Record{Key: "k"}), first.Close()); err != nil {
		t.Error(err)
	}
}

// TestDamaged: whatever is done to the bytes of a journal and of its index, no reply is another than it was. Without an
// index, either nothing but replies at the end is missing, or the server does not start and names the command that
// repairs it; the replies that are there then are as they were, and the damaged file is kept. With one, the server may
// start; it says what it cannot read, and the next start is one without an index.
func TestDamaged(t *testing.T) {
	directory, all := kept(t, 12)
	path, indexPath := filepath.Join(directory, repliesFile), filepath.Join(directory, indexFile)
	whole := datatest.Read(t, path)
	index := datatest.Read(t, indexPath)
	r := rand.New(rand.NewPCG(1, 2))
	refused, lost, told := 0, 0, 0
	for i := range 120 {
		text := damage(r, whole)
		indexed := [][]byte{nil, index, damage(r, index)}[i%3]
		if err := errors.Join(os.WriteFile(path, text, 0o600), os.WriteFile(indexPath, indexed, 0o600)); err != nil {
			t.Fatal(err)
		}
		warned := 0
		open := func() (*replies, error) {
			return openReplies(directory, knownReplies, func(error) { warned++ })
		}
		j, err := open()
		if warned > 0 && i%3 < 2 {
			t.Fatalf("%d warnings of an index that is whole, want none", warned)
		}
		for again := false; ; again = true {
			if err != nil {
				refused++
				j = repaired(t, directory, text, err)
			}
			here := count(t, j, all)
			lost += len(all) - here
			if again || warned == 0 {
				break
			}
			told++
			if text, err = os.ReadFile(path); err == nil {
				err = j.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			j, err = open()
		}
		if err := errors.Join(j.Keep(generation.Record{Key: "another"}), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if refused < 25 || lost == 0 || told < 8 {
		t.Errorf("%d of 120 journals were refused, %d replies lost, and %d told while serving, want more", refused,
			lost, told)
	}
}

// damage returns a text with other bytes, or without some.
func damage(r *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	at := r.IntN(len(text))
	switch r.IntN(4) {
	case 0:
		text[at] ^= 1 << r.IntN(8)
	case 1:
		text = text[:at]
	case 2:
		clear(text[at:min(len(text), at+1+r.IntN(100))])
	case 3:
		text = slices.Delete(text, at, min(len(text), at+1+r.IntN(100)))
	}
	return text
}

// repaired opens a journal that was refused with an error, after the command that this names.
func repaired(t *testing.T, directory string, text []byte, refused error) *replies {
	t.Helper()
	want := "parley repair " + strconv.Quote(directory) + " keeps them, and a reply that is missing then is computed " +
		"again when it is asked for"
	if !strings.Contains(refused.Error(), want) {
		t.Fatalf("%v, want %q", refused, want)
	}
	done, err := Repair(directory, "now")
	if err != nil || done.Repair == nil {
		t.Fatalf("%+v, %v, want a repaired journal", done, err)
	}
	if damaged, err := os.ReadFile(done.Backup); err != nil || !bytes.Equal(damaged, text) {
		t.Fatalf("%v: the damaged file is not kept as it was", err)
	}
	j, err := openReplies(directory, knownReplies, func(error) {})
	if err != nil {
		t.Fatalf("after the repair the journal is refused: %v, want no error", err)
	}
	if n := len(j.places.young); done.Repair.Kept != n {
		t.Errorf("%d replies are said to be kept, want the %d that are there", done.Repair.Kept, n)
	}
	return j
}

// count returns how many replies a journal has, each of which has to be as it was.
func count(t *testing.T, j *replies, all map[string]generation.Record) (n int) {
	t.Helper()
	for key, was := range all {
		one, known := j.Known(key)
		if !known {
			continue
		}
		if n++; !reflect.DeepEqual(one, was) {
			t.Fatalf("the reply %q is %+v, want it as it was, %+v", key, one, was)
		}
	}
	return n
}

// TestIndex: whatever became of the index of a journal, each reply is found as it was, and all of them again by the
// next start, which reads nothing but the index.
func TestIndex(t *testing.T) {
	directory, all := kept(t, 40)
	alike, _ := kept(t, 60)
	another := t.TempDir()
	other := opened(t, another)
	for i := range 60 {
		if err := other.Keep(generation.Record{Key: fmt.Sprint("other ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(directory, indexFile)
	index := datatest.Read(t, path)
	foreign := datatest.Read(t, filepath.Join(another, indexFile))
	longer := datatest.Read(t, filepath.Join(alike, indexFile))
	flipped := bytes.Clone(index)
	flipped[20*entryBytes+5] ^= 4
	hits := 0
	for name, c := range map[string]struct {
		index []byte // nil for no file
		reads int    // records of the journal
	}{
		"whole": {index, 0}, "none": {nil, 40}, "empty": {[]byte{}, 40}, "title": {index[:entryBytes], 40},
		"torn title": {index[:5], 40}, "older": {index[:30*entryBytes], 11}, "torn": {index[:30*entryBytes+7], 11},
		"zeros behind": {append(bytes.Clone(index), make([]byte, 500)...), 0}, "flipped": {flipped, 21},
		"of another journal": {foreign, 40}, "of another journal, shorter": {foreign[:9*entryBytes], 40},
		"of one that begins alike": {longer, 40}, "of one that begins alike, shorter": {longer[:9*entryBytes], 32},
		"ahead": {append(bytes.Clone(index), index[40*entryBytes:]...), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if c.index != nil {
				datatest.Write(t, path, c.index)
			}
			for i, want := range []int{c.reads, 0} {
				r := opened(t, directory)
				if n := count(t, r, all); n != len(all) || r.behind != want {
					t.Errorf("start %d: %d replies are found, want %d; %d were read in the journal, want %d", i, n,
						len(all), r.behind, want)
				}
				hits += len(all)
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if hits != 14*2*40 {
		t.Errorf("%d replies were looked at, want %d", hits, 14*2*40)
	}
}

// TestJournalIsBounded: what a journal has in memory are places, whatever the replies are, and at most so many of them,
// while it is written and after it is opened again; the latest half is known.
func TestJournalIsBounded(t *testing.T) {
	directory := t.TempDir()
	const most, n = 100, 300
	r, err := openReplies(directory, most, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	body := rand.New(rand.NewPCG(1, 2))
	reply := func(i int) generation.Record {
		text := make([]byte, 48<<10) // 64 KB as base64
		for k := range text {
			text[k] = byte(body.Uint32())
		}
		return generation.Record{Key: fmt.Sprint("key ", i%270),
			Tokens: []generation.Token{{Text: base64.StdEncoding.EncodeToString(text)}}}
	}
	var before, after uint64
	for i := range n {
		if err := r.Keep(reply(i)); err != nil {
			t.Fatal(err)
		}
		switch i {
		case 20:
			before = liveBytes()
		case n - 1:
			after = liveBytes()
		}
	}
	if grown := int64(after) - int64(before); grown > 2<<20 {
		t.Errorf("%d replies of 64 KB take %d bytes of memory", n-21, grown)
	}
	for range 2 {
		known := 0
		for i := range 270 {
			_, ok := r.Known(fmt.Sprint("key ", i))
			if ok {
				known++
			}
			if latest := i < 30 || i >= 250; latest && !ok {
				t.Errorf("reply %d is among the latest 50, and not known, want it known", i)
			}
		}
		if known < most/2 || known > most || len(r.places.young) > most/2 || len(r.places.older) > most/2 {
			t.Errorf("%d replies are known, want %d to %d", known, most/2, most)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if r, err = openReplies(directory, most, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		if r.behind != 0 {
			t.Errorf("%d records were read in the journal, want 0", r.behind)
		}
	}
	r.Close()
}

// liveBytes are the bytes of the heap that are in use.
func liveBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestForeignIndex: what is no index of ours stays as it is, and the journal does without.
func TestForeignIndex(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"text":      func(path string) error { return os.WriteFile(path, []byte("precious"), 0o600) },
		"link":      func(path string) error { return os.Symlink("/dev/null", path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"hard link": func(path string) error { return os.Link(filepath.Join(filepath.Dir(path), lockFile), path) },
	} {
		t.Run(name, func(t *testing.T) {
			directory, all := kept(t, 5)
			path := filepath.Join(directory, indexFile)
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			warned := 0
			r, err := openReplies(directory, knownReplies, func(error) { warned++ })
			if err != nil {
				t.Fatal(err)
			}
			if n := count(t, r, all); n != len(all) || warned != 1 {
				t.Errorf("%d replies are found, want %d; %d warnings", n, len(all), warned)
			}
			if err := errors.Join(r.Keep(generation.Record{Key: "another"}), r.Close()); err != nil {
				t.Error(err)
			}
			after, err := os.Lstat(path)
			if err != nil || after.Size() != before.Size() || after.Mode() != before.Mode() {
				t.Errorf("a foreign file is %[2]v now (%[1]v), want %[3]v", err, after, before)
			}
		})
	}
}
