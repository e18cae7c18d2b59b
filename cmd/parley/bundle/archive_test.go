package bundle

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

func ignore(int64) {}

func someParts(t *testing.T) []part {
	t.Helper()
	return []part{
		{path: readmeName, content: readme("mine", []string{"./parley", "run"}), mode: 0o644},
		{path: "parley", from: datatest.File(t, "program", bytes.Repeat([]byte("code "), 100_000)), mode: 0o755},
		{path: "docs/" + strings.Repeat("long", 60) + ".md", content: []byte("# Ask\n"), mode: 0o644},
		{path: "data/empty.jsonl", content: []byte{}, mode: 0o644},
	}
}

// TestUnpacked: tar and sha256sum unpack and check a bundle byte by byte, and see what was changed.
func TestUnpacked(t *testing.T) {
	for _, tool := range []string{"tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	parts := someParts(t)
	var packed, again bytes.Buffer
	var read, size int64
	if err := errors.Join(write(t.Context(), &packed, parts, func(n int64) { read += n }),
		write(t.Context(), &again, parts, ignore)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(packed.Bytes(), again.Bytes()) {
		t.Error("the same parts gave other bytes, want the same bundle")
	}
	path, to := datatest.File(t, "a.tar", packed.Bytes()), t.TempDir()
	if file, err := os.Open(path); err != nil || !output(path).Ours(file) {
		t.Errorf("%s is taken for a bundle: got false, want true (%v)", path, err)
	}
	if out, err := exec.Command("tar", "-xf", path, "-C", to).CombinedOutput(); err != nil {
		t.Fatalf("tar cannot unpack the bundle: %v, want no error: %s", err, out)
	}
	check := func() ([]byte, error) {
		c := exec.Command("sha256sum", "-c", "--quiet", sumsName)
		c.Dir = to
		return c.CombinedOutput()
	}
	if out, err := check(); err != nil {
		t.Errorf("the unpacked bundle does not pass its own check: %v, want no error: %s", err, out)
	}
	for _, p := range parts {
		content := p.content
		if p.from != "" {
			content = datatest.Read(t, p.from)
		}
		size += int64(len(content))
		file := filepath.Join(to, p.path)
		if got := datatest.Read(t, file); !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, want %d", p.path, len(got), len(content))
		}
		if info, err := os.Stat(file); err != nil {
			t.Error(err)
		} else if int64(info.Mode().Perm())&0o100 != p.mode&0o100 {
			t.Errorf("%s can be run: %v, want as in %o", p.path, info.Mode(), p.mode)
		}
		if p.path == "parley" {
			datatest.Write(t, file, "another program")
		}
	}
	if read != size {
		t.Errorf("progress was told of %d bytes, want %d", read, size)
	}
	if out, err := check(); err == nil || !strings.Contains(string(out), "parley: FAILED") {
		t.Errorf("the program was changed: %v, %s; want that its sum is wrong", err, out)
	}
}

// TestRefused: what cannot be packed is named.
func TestRefused(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := write(stopped, io.Discard, someParts(t), ignore); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v, want %v", err, context.Canceled)
	}
	for _, name := range []string{"../up", "/root", `models\a`, "models/C:", "data/new\nline"} {
		if err := write(t.Context(), io.Discard, []part{{path: name}}, ignore); err == nil ||
			!strings.Contains(err.Error(), "rename it") {
			t.Errorf("%q: %v, want an error that says to rename it", name, err)
		}
	}
	for _, now := range []string{"longer than before", "b"} {
		path := datatest.File(t, "model.gguf", bytes.Repeat([]byte("before"), 1<<16))
		change := func(int64) { datatest.Write(t, path, now) }
		if now != "b" {
			now = strings.Repeat(now, 1<<16)
		}
		err := write(t.Context(), io.Discard, []part{{path: "model.gguf", from: path}}, change)
		if err == nil || !strings.Contains(err.Error(), "model.gguf: the file changed while it was packed") {
			t.Errorf("%.10q: %v, want an error that says that the file changed", now, err)
		}
	}
}

// TestNames: files of one name have places of their own, and no name is a file and a directory.
func TestNames(t *testing.T) {
	b := Options{names: make(map[string]string)}
	seen := make(map[string]bool)
	for _, file := range []string{"/a/m.gguf", "/b/M.gguf", "/c/2", "/d/3", "/e/3", "/f/m.gguf", "/g/2"} {
		name := strings.ToLower(b.add("models", file))
		for other := range seen {
			if strings.HasPrefix(name+"/", other+"/") || strings.HasPrefix(other+"/", name+"/") {
				t.Errorf("%s is at %s, where %s is, want a place of its own", file, name, other)
			}
		}
		seen[name] = true
	}
	if again := b.add("models", "/a/m.gguf"); again != "models/m.gguf" || len(b.parts) != len(seen) {
		t.Errorf("a file that is there is at %s, with %d parts in all; want models/m.gguf, and %d", again, len(b.parts),
			len(seen))
	}
}
