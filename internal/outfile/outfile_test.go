package outfile

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestForeign: what is no file of the kind stays as it is, whatever is to be done with it.
func TestForeign(t *testing.T) {
	kind := Kind{Name: "note", Ours: Opening("# note")}
	for name, c := range map[string]struct {
		there   string
		kind    Kind
		refused bool
	}{
		"nothing": {"", kind, false}, "ours": {"# note 1\n", kind, false}, "another": {"## other\n", kind, true},
		"one line without an end": {`{"precious":1}`, kind, true},
		"ours in the middle":      {"x\n# note 1\n", kind, true},
		"each is new":             {"# note 1\n", Kind{Name: "note"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := datatest.File(t, "file", c.there)
			f := File{c.kind, path}
			_, created := f.Create()
			written := f.Write([]byte("# note 2"))
			for what, err := range map[string]error{"check": Check(f), "create": created, "write": written} {
				if errors.As(err, new(Foreign)) != c.refused {
					t.Errorf("%s, %s: refused as the file of another program %v, want %v: %v", name, what,
						errors.As(err, new(Foreign)), c.refused, err)
				}
			}
			want := "# note 2"
			if c.refused {
				want = c.there
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v, want %q", name, got, err, want)
			}
			if err := f.Remove(); errors.As(err, new(Foreign)) != c.refused {
				t.Errorf("%s: removing it got %v, want it refused as another program's: %v", name, err, c.refused)
			}
			if _, err := os.Stat(path); (err == nil) != c.refused {
				t.Errorf("%s: after removing, the file is there: %v, want %v", name, err == nil, c.refused)
			}
		})
	}
}

// TestTogether: files that are written with another are ours only where that one is.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	kind := Kind{Name: "note", Ours: Opening("# note")}
	first, second := File{kind, filepath.Join(dir, "first")}, File{kind, filepath.Join(dir, "second")}
	if err := second.Write([]byte("# note")); err != nil {
		t.Fatal(err)
	}
	if err := Check(first, second); !errors.As(err, new(Foreign)) {
		t.Errorf("where the second alone is another program's: got %v, want it refused", err)
	}
	third := File{Kind{Name: "table", Ours: Opening("a,"), Sure: Opening("a,b,c,")}, filepath.Join(dir, "third")}
	for text, refused := range map[string]bool{"a,b,c,d": false, "a,d": true, "x": true} {
		datatest.Write(t, third.Path, text)
		if err := Check(first, second, third); errors.As(err, new(Foreign)) != refused {
			t.Errorf("beside %q: %v, want refused %v", text, err, refused)
		}
	}
	if err := errors.Join(os.Remove(third.Path), first.Write([]byte("# note"))); err != nil {
		t.Fatal(err)
	}
	if err := Check(first, second); err != nil {
		t.Error(err)
	}
}

// TestDevice: what is written into a device goes there, and the device stays one.
func TestDevice(t *testing.T) {
	f := File{Kind{Name: "note"}, os.DevNull}
	if err := errors.Join(Check(f), f.Write([]byte("text"))); err != nil {
		t.Error(err)
	}
	if _, err := f.Create(); err == nil {
		t.Error("a device was to be replaced, want an error")
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("a device stays a device: got %v, %v", info, err)
	}
}

// TestPipe: nobody waits for a reader of a pipe; one that is read gets the content.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.csv")
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skip(err)
	}
	f := File{Kind{Name: "note"}, path}
	for name, err := range map[string]error{"Write": f.Write([]byte("x")), "Writable": Writable(path)} {
		if err == nil || !strings.Contains(err.Error(), "pipe that nobody reads") {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // which waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	got := make([]byte, 4)
	if err := f.Write([]byte("note")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "note" {
		t.Errorf("what is written to a pipe comes out of it: got %q, %v, want note", got, err)
	}
}
