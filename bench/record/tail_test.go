package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestTail grows a journal by single bytes: whatever part of a frame is there, a Tail has passed on the records of all
// frames before it, each once, and counts the rest as torn.
func TestTail(t *testing.T) {
	from, lines := write(t)
	content := datatest.Read(t, from)
	path := filepath.Join(t.TempDir(), "growing")
	tail := NewTail(path)
	defer tail.Close()
	if _, err := tail.Read(nil); !errors.Is(err, os.ErrNotExist) || tail.Size() != 0 || !tail.Modified().IsZero() {
		t.Errorf("a journal that does not exist is an error that says so, of size 0: got %v, %d bytes",
			err, tail.Size())
	}
	var got []string
	take := func(line []byte) error {
		got = append(got, string(line))
		return nil
	}
	for n := range len(content) + 1 {
		datatest.Write(t, path, content[:n])
		torn, err := tail.Read(take)
		if err != nil || torn > int64(n) {
			t.Fatalf("of a journal at %d of %d bytes the whole frames are read, no more than that torn: got %d "+
				"torn, %v", n, len(content), torn, err)
		}
		want, wantTorn, err := read(path)
		if err != nil || torn != wantTorn || !slices.Equal(got, want) {
			t.Fatalf("%d of %d bytes: %d records, %d bytes torn; Read has %d and %d (%v)", n, len(content), len(got),
				torn, len(want), wantTorn, err)
		}
	}
	if !slices.Equal(got, lines) || tail.Size() != int64(len(content)) {
		t.Errorf("a tail has passed on all %d records of %d bytes: got %d, size %d",
			len(lines), len(content), len(got), tail.Size())
	}
	if torn, err := tail.Read(take); err != nil || torn != 0 || len(got) != len(lines) {
		t.Errorf("where nothing was added no record is passed on again: got %d of %d records, %v",
			len(got), len(lines), err)
	}
}

// TestTailOfAnotherFile: a Tail passes on no record of a file that took the place of its own, or that was cut.
func TestTailOfAnotherFile(t *testing.T) {
	refuse := func(line []byte) error {
		t.Errorf("a tail of another file passes nothing on: got %s", line)
		return nil
	}
	for name, change := range map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 10) },
		"removed": os.Remove,
		"replaced": func(path string) error {
			other, _ := write(t)
			return os.Rename(other, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, lines := write(t)
			tail := NewTail(path)
			n := 0
			if _, err := tail.Read(func([]byte) error { n++; return nil }); err != nil || n != len(lines) {
				t.Fatalf("another file in the place of the first is read from its beginning: %d lines, %v, want %d", n,
					err, len(lines))
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := tail.Read(refuse); !errors.Is(err, ErrReplaced) {
				t.Errorf("%s: %v, want %v", name, err, ErrReplaced)
			}
			tail.Close()
		})
	}
}

// TestTailOfDamage: bytes that follow a whole journal and are no record are damage, also when they come later.
func TestTailOfDamage(t *testing.T) {
	path, _ := write(t)
	tail := NewTail(path)
	defer tail.Close()
	if _, err := tail.Read(func([]byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString("this is no frame")
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := tail.Read(func([]byte) error { return nil }); !errors.Is(err, ErrDamaged) {
		t.Errorf("damage within a journal ends its tail with %v: got %v", ErrDamaged, err)
	}
}
