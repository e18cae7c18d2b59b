package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/klauspost/compress/zstd"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/platform"
)

func ignore(int64) {}

func someParts(t *testing.T) []Part {
	t.Helper()
	program := datatest.File(t, "program", bytes.Repeat([]byte("machine code "), 100_000))
	return []Part{
		{Path: "parley", What: ProgramFile, From: program},
		{Path: "experiment.yaml", What: ExperimentFile, Content: []byte("name: mine\n")},
		{Path: "docs/guide/ask.md", What: Documentation, Content: []byte("# Ask\n")},
		{Path: "data/empty.jsonl", What: TaskFile, Content: []byte{}},
	}
}

func written(t *testing.T) (path string, m Manifest) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.parley")
	m, err := Write(t.Context(), path, Manifest{Experiment: "mine", Command: []string{"./parley", "run"}}, someParts(t),
		ignore)
	if err != nil {
		t.Fatal(err)
	}
	return path, m
}

// TestRoundTrip: a bundle is unpacked as it was packed, byte by byte, and says what it holds.
func TestRoundTrip(t *testing.T) {
	path, want := written(t)
	var read int64
	to := filepath.Join(t.TempDir(), "there")
	m, err := Unpack(t.Context(), path, to, func(n int64) { read += n })
	if err != nil || cmp.Diff(want, m) != "" {
		t.Fatalf("a bundle is unpacked as it was packed: %v, its list (-want +got):\n%s", err, cmp.Diff(want, m))
	}
	if info, err := os.Stat(path); err != nil || read != info.Size() {
		t.Errorf("%d bytes were read: %v, %v", read, info, err)
	}
	for _, p := range someParts(t) {
		content := p.Content
		if p.From != "" {
			content, _ = os.ReadFile(p.From)
		}
		if got, err := os.ReadFile(filepath.Join(to, p.Path)); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, want %d: %v", p.Path, len(got), len(content), err)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "parley")); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the program cannot be run: %v, %v", info, err)
	}
	if _, err := Unpack(t.Context(), path, to, ignore); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("unpacked a second time: %v", err)
	}
	check := exec.Command("sha256sum", "--check", "--quiet", sumsName)
	check.Dir = to
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if again, _ := written(t); !sameBytes(t, path, again) {
		t.Error("the same parts gave other bytes")
	}
}

func sameBytes(t *testing.T, path, other string) bool {
	t.Helper()
	a, err := os.ReadFile(path)
	b, otherErr := os.ReadFile(other)
	if err != nil || otherErr != nil {
		t.Fatalf("both files can be read: %v and %v, want no error", err, otherErr)
	}
	return bytes.Equal(a, b)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// archiveOf is a bundle that says whatever a forger wants.
func archiveOf(t *testing.T, m Manifest, headers []tar.Header, contents []string) []byte {
	t.Helper()
	manifest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	headers = append([]tar.Header{{Name: manifestName}, {Name: sumsName}}, headers...)
	contents = append([]string{string(manifest), m.sums()}, contents...)
	var out bytes.Buffer
	compressed, _ := zstd.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for i, h := range headers {
		h.Size = int64(len(contents[i]))
		if err := archive.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(contents[i])); err != nil && h.Typeflag != tar.TypeSymlink {
			t.Fatalf("writing the contents of an entry: %v, want no error but for a link, which has none", err)
		}
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestForged: nothing of a bundle that is not what its manifest says is left behind, inside or outside the directory.
func TestForged(t *testing.T) {
	good := Entry{Path: "a", What: TaskFile, Size: 2, SHA256: hashOf("hi")}
	manifest := func(parts ...Entry) Manifest { return Manifest{Format: 1, Parts: parts} }
	file := func(name string) []tar.Header { return []tar.Header{{Name: name}} }
	at := func(path string) Entry { e := good; e.Path = path; return e }
	zeros := Entry{Path: "a", What: TaskFile, Size: 80 << 20, SHA256: hashOf(string(make([]byte, 80<<20)))}
	for name, content := range map[string][]byte{
		"up":            archiveOf(t, manifest(at("../a")), file("../a"), []string{"hi"}),
		"absolute":      archiveOf(t, manifest(at("/tmp/a")), file("/tmp/a"), []string{"hi"}),
		"backslash":     archiveOf(t, manifest(at(`..\a`)), file(`..\a`), []string{"hi"}),
		"twice":         archiveOf(t, manifest(good, at("A")), nil, nil),
		"inside a file": archiveOf(t, manifest(good, at("a/b")), nil, nil),
		"the manifest":  archiveOf(t, manifest(at("manifest.json")), nil, nil),
		"other content": archiveOf(t, manifest(good), file("a"), []string{"ho"}),
		"longer":        archiveOf(t, manifest(good), file("a"), []string{"hi!"}),
		"missing":       archiveOf(t, manifest(good), nil, nil),
		"another":       archiveOf(t, manifest(good), file("b"), []string{"hi"}),
		"one more":      archiveOf(t, manifest(good), []tar.Header{{Name: "a"}, {Name: "b"}}, []string{"hi", "hi"}),
		"a link": archiveOf(t, manifest(at("a")), []tar.Header{{Name: "a", Typeflag: tar.TypeSymlink,
			Linkname: "/etc/passwd"}}, []string{""}),
		"of zeros":       archiveOf(t, manifest(zeros), file("a"), []string{string(make([]byte, zeros.Size))}),
		"another format": archiveOf(t, Manifest{Format: 2}, nil, nil),
		"no archive":     []byte("hello"),
		"empty":          {},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, to := filepath.Join(dir, "forged"), filepath.Join(dir, "to")
			datatest.Write(t, path, content)
			if _, err := Unpack(t.Context(), path, to, ignore); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v, want %v", name, err, ErrDamaged)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%s: left %v, %v; want 1 of them and no error", name, left, err)
			}
		})
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "good")
	datatest.Write(t, path, archiveOf(t, manifest(good), file("a"), []string{"hi"}))
	if _, err := Unpack(t.Context(), path, filepath.Join(dir, "to"), ignore); err != nil {
		t.Errorf("an honest bundle: %v", err)
	}
}

// TestEveryByte changes and cuts a bundle at many places: it is refused, or gives what was packed.
func TestEveryByte(t *testing.T) {
	path, want := written(t)
	content := datatest.Read(t, path)
	refused := 0
	for at := 0; at < len(content); at += 1 + len(content)/100 {
		flipped := bytes.Clone(content)
		flipped[at] ^= 0x10
		for name, bad := range map[string][]byte{"flipped": flipped, "cut": content[:at]} {
			dir := t.TempDir()
			path := filepath.Join(dir, "bad")
			datatest.Write(t, path, bad)
			switch m, err := Unpack(t.Context(), path, filepath.Join(dir, "to"), ignore); {
			case errors.Is(err, ErrDamaged):
				refused++
			case err != nil || cmp.Diff(want, m) != "":
				t.Errorf("%s at %d: %v, %s", name, at, err, cmp.Diff(want, m))
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d damages were seen, want at least 100", refused)
	}
}

func TestStopped(t *testing.T) {
	path, _ := written(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Unpack(ctx, path, filepath.Join(dir, "to"), ignore); !errors.Is(err, context.Canceled) ||
		errors.Is(err, ErrDamaged) {
		t.Errorf("unpacking that was stopped: got %v, want %v and not %v", err, context.Canceled, ErrDamaged)
	}
	if _, err := Write(ctx, filepath.Join(dir, "out"), Manifest{}, someParts(t), ignore); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v; want none and no error", left, err)
	}
}

// TestLeft: what a killed unpacking has left is no obstacle, and nothing of it comes to the bundle; what somebody else
// has there stays, and so does that of an unpacking under way.
func TestLeft(t *testing.T) {
	path, _ := written(t)
	for name, c := range map[string]struct {
		files  []string
		locked bool
		says   string // "" if it is unpacked
	}{
		"nothing yet":    {},
		"the claim":      {files: []string{unpackingName}},
		"a part":         {files: []string{unpackingName, "stale/deeper/x", "parley"}},
		"somebody's":     {files: []string{"notes.txt"}, says: "remove it"},
		"of another one": {files: []string{unpackingName, "stale"}, locked: true, says: "another parley"},
	} {
		t.Run(name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "to")
			part := to + ".part"
			must(t, os.MkdirAll(part, 0o755))
			for _, file := range c.files {
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(part, file)), 0o755))
				must(t, os.WriteFile(filepath.Join(part, file), []byte("stale"), 0o600))
			}
			if c.locked {
				claim, err := os.Open(filepath.Join(part, unpackingName))
				must(t, err)
				defer claim.Close()
				must(t, platform.Lock(claim))
			}
			_, err := Unpack(t.Context(), path, to, ignore)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
				for _, file := range c.files {
					if _, err := os.Stat(filepath.Join(part, file)); err != nil {
						t.Errorf("%s is gone: %v", file, err)
					}
				}
				return
			}
			must(t, err)
			for _, gone := range []string{part, filepath.Join(to, unpackingName), filepath.Join(to, "stale")} {
				if _, err := os.Stat(gone); err == nil {
					t.Errorf("%s is left", gone)
				}
			}
			if _, err := os.Stat(filepath.Join(to, "parley")); err != nil {
				t.Error(err)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestChanged: a file that grows or changes between the two readings is not packed.
func TestChanged(t *testing.T) {
	for _, now := range []string{"longer than before", "befort", "b"} {
		t.Run(now, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "model.gguf")
			datatest.Write(t, path, "before")
			reads := 0
			change := func(int64) {
				if reads++; reads == 2 { // the end of the first reading
					if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
						t.Error(err)
					}
				}
			}
			if _, err := Write(t.Context(), filepath.Join(dir, "out"), Manifest{},
				[]Part{{Path: "model.gguf", What: ModelFile, From: path}}, change); err == nil ||
				!strings.Contains(err.Error(), "changed while it was packed") {
				t.Errorf(`%q: %v, want an error with "changed while it was packed"`, now, err)
			}
		})
	}
}
