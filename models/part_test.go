package models

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeParts writes the test shape as llama.cpp's gguf-split would: the first part has all metadata.
func writeParts(t *testing.T, dir string, count int) (paths []string, sizeBytes int64) {
	t.Helper()
	shape, err := ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	tensors := shape.tensors()
	p := part{prefix: filepath.Join(dir, "big"), count: count}
	for no, some := range slices.Collect(slices.Chunk(tensors, (len(tensors)+count-1)/count)) {
		pairs := []pair{{"split.no", uint16(no)}, {"split.count", uint16(count)},
			{"split.tensors.count", int32(len(tensors))}}
		if no == 0 {
			pairs = append(pairs, shape.metadata()...)
		}
		f, err := os.Create(p.path(no + 1))
		if err != nil {
			t.Fatal(err)
		}
		w := &ggufWriter{out: bufio.NewWriter(f)}
		w.metadata(len(some), pairs)
		total := w.tensorInfos(some)
		w.pad()
		w.weights(some, Synthetic{Shape: shape, Seed: uint64(no)}, total)
		if err := errors.Join(w.err, w.out.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		paths, sizeBytes = append(paths, f.Name()), sizeBytes+w.written
	}
	return paths, sizeBytes
}

// TestParts: a model in several files is one model.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	paths, sizeBytes := writeParts(t, dir, 3)
	shape, _ := ShapeNamed("test")
	info, err := Inspect(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "big" || info.Parameters != shape.Parameters() || info.SizeBytes != sizeBytes {
		t.Errorf("the parts are one model big, of %d parameters in %d bytes: got %+v",
			shape.Parameters(), sizeBytes, info)
	}
}

// TestHashOfParts changes with each of them: runs are resumed by it.
func TestHashOfParts(t *testing.T) {
	paths, _ := writeParts(t, t.TempDir(), 2)
	before, err := Hash(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(paths[1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if after, err := Hash(paths[0]); err != nil || after == before || len(after) != len(before) {
		t.Errorf("a part that changes changes the hash, not its length: got %q, then %q, %v", before, after, err)
	}
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := Hash(paths[0]); err == nil || !strings.Contains(err.Error(), paths[1]) {
		t.Errorf("a part that is missing is an error with its path, %s: got %v", paths[1], err)
	}
}

func TestBadParts(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(paths []string) (inspected string, err error)
		want  string
	}{
		"a later part": {func(p []string) (string, error) { return p[1], nil }, "is part 2 of 3; name the first"},
		"renamed": {func(p []string) (string, error) { x := p[0] + "x.gguf"; return x, os.Rename(p[0], x) },
			"does not end in -00001-of-00003.gguf"},
		"missing": {func(p []string) (string, error) { return p[0], os.Remove(p[2]) },
			"part 3 of 3 of a model is needed"},
		"cut off": {func(p []string) (string, error) { return p[0], os.Truncate(p[1], 5000) },
			"not within the file bounds"},
		"exchanged": {func(p []string) (string, error) { return p[0], os.Rename(p[2], p[1]) },
			"says that it is part 3 of 3"},
	} {
		t.Run(name, func(t *testing.T) {
			paths, _ := writeParts(t, t.TempDir(), 3)
			path, err := c.spoil(paths)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Inspect(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("parts that do not belong together are refused with %q: got %v", c.want, err)
			}
		})
	}
}
