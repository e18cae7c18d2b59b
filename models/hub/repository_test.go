package hub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// huggingFace is a server with one repository, a/b, in the manner of Hugging Face. Large files are at another server.
type huggingFace struct {
	*httptest.Server
	info  string            // what /api/models/a/b says
	files map[string][]byte // by their paths
	tree  string            // what the list of files says, if it is not to be made of files
	token string            // that is wanted; "" for none
	store *httptest.Server
	leaks []string // requests to the store with a token or the address that led there
}

const commit = "0123456789abcdef0123456789abcdef01234567"

func serveHub(t *testing.T) *huggingFace {
	t.Helper()
	h := &huggingFace{info: `{"sha":"` + commit + `","gated":false,"cardData":{"license":"apache-2.0"}}`,
		files: map[string][]byte{}}
	h.store = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization")+r.Header.Get("Referer") != "" {
			h.leaks = append(h.leaks, r.URL.Path)
		}
		w.Header().Set("Etag", `"`+sum(h.files[r.URL.Path[1:]])+`"`)
		_, _ = w.Write(h.files[r.URL.Path[1:]])
	}))
	h.Server = httptest.NewServer(h)
	t.Cleanup(func() { h.Close(); h.store.Close() })
	return h
}

// ServeHTTP implements http.Handler.
func (h *huggingFace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch file, resolve := strings.CutPrefix(path, "/a/b/resolve/"+commit+"/"); {
	case h.token != "" && r.Header.Get("Authorization") != "Bearer "+h.token:
		w.WriteHeader(http.StatusUnauthorized)
	case path == "/api/models/a/b" || path == "/api/models/a/b/revision/v2":
		fmt.Fprint(w, h.info)
	case path == "/api/models/a/b/tree/"+commit && h.tree != "":
		fmt.Fprint(w, h.tree)
	case path == "/api/models/a/b/tree/"+commit:
		h.list(w, r)
	case resolve && h.files[file] != nil:
		w.Header().Set("X-Linked-Etag", `"`+sum(h.files[file])+`"`)
		http.Redirect(w, r, h.store.URL+"/"+file+"?signature=secret", http.StatusFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// list gives one file a page.
func (h *huggingFace) list(w http.ResponseWriter, r *http.Request) {
	var names []string
	for name := range h.files {
		names = append(names, name)
	}
	page := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &page)
	if page+1 < len(names) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?recursive=true&cursor=%d>; rel="next"`, h.URL, r.URL.Path, page+1))
	}
	entries := []any{map[string]any{"type": "directory", "path": "x"}}
	for i, name := range slices.Sorted(slices.Values(names)) {
		if i == page {
			entries = append(entries, map[string]any{"type": "file", "path": name, "size": 130, "lfs": map[string]any{
				"oid": sum(h.files[name]), "size": len(h.files[name])}})
		}
	}
	_ = json.NewEncoder(w).Encode(entries)
}

func address(t *testing.T, text string) Address {
	t.Helper()
	a, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPull: a model in parts, found by its quantization over several pages, is downloaded whole. The token goes to the
// endpoint, and not to where that redirects.
func TestPull(t *testing.T) {
	h := serveHub(t)
	h.token = "hf_secret"
	h.files = map[string][]byte{"Q8_0/m-Q8_0-00001-of-00002.gguf": bytesOf(1000), "mmproj-f16.gguf": bytesOf(4),
		"Q8_0/m-Q8_0-00002-of-00002.gguf": bytesOf(2000), "m-Q4_K_M.gguf": bytesOf(10), "README.md": bytesOf(5)}
	t.Setenv("HF_TOKEN", h.token)
	c, _ := newClient(t, h.URL)
	own := t.TempDir()
	p, err := c.Plan(t.Context(), address(t, "hf:a/b:q8_0"), own, "")
	if err != nil || p.Licence != "apache-2.0" || totalOf(p) != 3000 || p.Source != "hf:a/b at commit "+commit ||
		len(p.Files) != 2 {
		t.Fatalf("2 files of hf:a/b at %s, 3,000 bytes, are under apache-2.0: got %+v, %v", commit, p, err)
	}
	for i, f := range p.Files {
		want := filepath.Join(own, "a", "b", "Q8_0", fmt.Sprintf("m-Q8_0-%05d-of-00002.gguf", i+1))
		if f.Path != want {
			t.Errorf("a file lies at %s: got %s", want, f.Path)
		}
		if got, err := c.Get(t.Context(), f); err != nil || !got.Checked || got.Bytes != int64(1000*(i+1)) {
			t.Errorf("file %d has %d bytes, and its hash is checked: got %+v, %v", i, 1000*(i+1), got, err)
		}
	}
	if len(h.leaks) > 0 {
		t.Errorf("token and address go to no other host: got them with %v", h.leaks)
	}
	p, err = c.Plan(t.Context(), address(t, "hf:a/b@v2:m-Q4_K_M.gguf"), own, "")
	if err != nil || p.Files[0].Path != filepath.Join(own, "a", "b@v2", "m-Q4_K_M.gguf") {
		t.Errorf("a file of a version has it in its path: got %+v, %v", p.Files, err)
	}
	p, err = c.Plan(t.Context(), address(t, "hf:a/b:Q8_0"), own, "here")
	if err != nil || p.Files[1].Path != filepath.Join("here", "m-Q8_0-00002-of-00002.gguf") {
		t.Errorf("the parts of a model lie in the folder that is asked for: got %+v, %v", p.Files, err)
	}
	t.Setenv("HF_TOKEN", "hf_other")
	c, _ = newClient(t, h.URL)
	_, err = c.Plan(t.Context(), address(t, "hf:a/b"), own, "")
	contains(t, err, "HF_TOKEN is refused")
	if strings.Contains(err.Error(), "hf_other") {
		t.Errorf("no error has the token: got %v", err)
	}
}

// TestResumeElsewhere: the rest of a file is asked for where the server redirects to.
func TestResumeElsewhere(t *testing.T) {
	content := bytesOf(100_000)
	store := serveFile(t, content)
	store.before = func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n == 1 {
			store.cut(w, 60_000)
		}
		return false
	}
	home := httptest.NewServer(http.RedirectHandler(store.URL+"/f?signature=1", http.StatusFound))
	defer home.Close()
	c, _ := newClient(t, home.URL)
	f := fileAt(t, home.URL+"/m.gguf", sum(content))
	if got, err := c.Get(t.Context(), f); err != nil || got.Asked != 100_000 || store.bytesSent() != 40_000 {
		t.Errorf("%+v, %v, %d bytes of the rest; want Asked 100_000, 40_000 and no error",
			got, err, store.bytesSent())
	}
	sameBytes(t, f, content)
}

func TestTokenStaysAtHome(t *testing.T) {
	t.Setenv("HF_TOKEN", "hf_secret")
	seen := make(map[string]string)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[r.Host+r.URL.Path] = r.Header.Get("Authorization")
		if r.URL.Path == "/back" {
			http.Redirect(w, r, os.Getenv("HF_ENDPOINT")+"/end", http.StatusFound)
		}
	}))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[r.Host+r.URL.Path] = r.Header.Get("Authorization")
		if r.URL.Path == "/start" {
			http.Redirect(w, r, other.URL+"/back", http.StatusFound)
		}
	}))
	defer home.Close()
	c, _ := newClient(t, home.URL)
	for _, url := range []string{home.URL + "/start", other.URL + "/x", home.URL + "/y"} {
		r, err := c.send(t.Context(), http.MethodGet, parse(t, url), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	at, with := strings.TrimPrefix(home.URL, "http://"), strings.TrimPrefix(other.URL, "http://")
	want := map[string]string{at + "/start": "Bearer hf_secret", with + "/back": "", at + "/end": "", with + "/x": "",
		at + "/y": "Bearer hf_secret"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("these requests have the token, and no others (-want +got):\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	for endpoint, says := range map[string]string{"http://models.example": "unencrypted",
		"models.example": "is not a URL", "ftp://x": "is not a URL", "https://u:p@x": "is not a URL",
		"https://models.example/hub/": "", "": "",
		"http://localhost:1": ""} {
		t.Run(endpoint, func(t *testing.T) {
			t.Setenv("HF_ENDPOINT", endpoint)
			t.Setenv("HF_TOKEN", "hf_secret")
			c, err := New()
			if says != "" {
				contains(t, err, says)
				return
			}
			if err != nil || c.endpoint.Scheme == "" {
				t.Errorf("%s: an endpoint is taken from the environment: got %v, %v", endpoint, c.endpoint, err)
			}
		})
	}
}

// TestProxy: requests go through the proxy of the environment, except to hosts that are not to.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		w.Header().Set("Etag", `"e"`)
		fmt.Fprint(w, "content")
	}))
	defer proxy.Close()
	newClient(t, "") // unsets the variables
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("NO_PROXY", "direct.invalid")
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	f := fileAt(t, "http://models.invalid/m.gguf", "")
	if _, err := c.Get(t.Context(), f); err != nil {
		t.Error(err)
	}
	sameBytes(t, f, []byte("content"))
	if want := []string{"http://models.invalid/m.gguf"}; !cmp.Equal(asked, want) {
		t.Errorf("the proxy was asked for %v, want %v", asked, want)
	}
	proxied, err := c.http.Transport.(*http.Transport).Proxy(&http.Request{URL: parse(t, "http://direct.invalid/x")})
	if err != nil || proxied != nil {
		t.Errorf("an address of this machine takes no proxy: got %v, %v", proxied, err)
	}
}

// TestChoose: the file of a repository is chosen by quantization or name, if only one fits.
func TestChoose(t *testing.T) {
	holding := func(names ...string) (r repository) {
		r.Name = "a/b"
		for _, name := range names {
			r.Files = append(r.Files, repositoryFile{Path: name, Size: 1 << 20})
		}
		return r
	}
	many := holding("m-Q4_K_M.gguf", "m-UD-Q4_K_XL.gguf", "M-IQ2_XXS.gguf", "bf16/m-bf16-00002-of-00002.gguf",
		"bf16/m-bf16-00001-of-00002.gguf", "mmproj-F16.gguf", "README.md", "imatrix.dat")
	for _, c := range []struct {
		from       repository
		part, want string // of the paths, or of the error
	}{
		{many, "q4_k_m", "m-Q4_K_M.gguf"},
		{many, "UD-Q4_K_XL", "m-UD-Q4_K_XL.gguf"},
		{many, "iq2_xxs", "M-IQ2_XXS.gguf"},
		{many, "BF16", "bf16/m-bf16-00001-of-00002.gguf bf16/m-bf16-00002-of-00002.gguf"},
		{many, "m-bf16", "bf16/m-bf16-00001-of-00002.gguf bf16/m-bf16-00002-of-00002.gguf"},
		{many, "m-Q4_K_M", "m-Q4_K_M.gguf"},
		{many, "Q8_0", "has no Q8_0; there are IQ2_XXS (1.0 MiB), BF16 (2.0 MiB), Q4_K_M (1.0 MiB), UD-Q4_K_XL (1"},
		{many, "", "several models; add one of them as in hf:a/b:IQ2_XXS"},
		{holding("only.gguf", "config.json"), "", "only.gguf"},
		{holding("model.safetensors"), "", "no GGUF file"},
		{holding("x-Q4_0.gguf", "y-Q4_0.gguf"), "Q4_0", "several files: x-Q4_0.gguf (1.0 MiB), y-Q4_0.gguf"},
		{holding("x-Q4_0.gguf", "y-Q4_0.gguf"), "y-q4_0.gguf", "y-Q4_0.gguf"},
		{holding("x-00001-of-00003.gguf", "x-00003-of-00003.gguf"), "", "incomplete"},
		{holding("x-00002-of-00002.gguf"), "", "incomplete"},
	} {
		files, err := c.from.choose(c.part)
		var paths []string
		for _, f := range files {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, " "); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%q: %s, %v, want %s", c.part, got, err, c.want)
		}
	}
}

// TestHostileRepository: names that lead elsewhere are not used, and nonsense is refused.
func TestHostileRepository(t *testing.T) {
	for _, c := range []struct{ info, tree, says string }{
		{tree: `[{"type":"file","path":"../../x.gguf","size":1},{"type":"file","path":"/etc/x.gguf","size":1},` +
			`{"type":"file","path":"a\\x.gguf","size":1},{"type":"file","path":".x.gguf","size":1},` +
			`{"type":"file","path":"a//x.gguf","size":1},{"type":"file","path":"\u001b[2J.gguf","size":1}]`,
			says: "no GGUF file"},
		{tree: `[{"type":"file","path":"x.gguf","size":-5}]`, says: "cannot be"},
		{tree: `[{"type":"file","path":"x.gguf","size":5,"lfs":{"oid":"../x","size":5}}]`, says: "cannot be"},
		{tree: `{"error":"no"}`, says: "not what Hugging Face's interface sends"},
		{tree: "[" + strings.Repeat(" ", mostJSON) + "]", says: "more than"},
		{info: `{"sha":"../main"}`, says: "names no commit"},
		{info: `<html>`, says: "sends a web page"},
		{info: `nonsense`, says: "not what Hugging Face's interface sends"},
	} {
		h := serveHub(t)
		if h.tree = c.tree; c.info != "" {
			h.info = c.info
		}
		client, _ := newClient(t, h.URL)
		_, err := client.Plan(t.Context(), address(t, "hf:a/b"), t.TempDir(), "")
		contains(t, err, c.says)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<https://elsewhere.invalid/x>; rel="next"`)
		fmt.Fprint(w, `[]`)
	}))
	defer s.Close()
	c, _ := newClient(t, s.URL)
	err := c.tree(t.Context(), &repository{Name: "a/b", Commit: commit})
	contains(t, err, "at another server")
}

func TestLicences(t *testing.T) {
	for card, want := range map[string]string{`"mit"`: "mit", `["mit","gpl-3.0"]`: "mit, gpl-3.0", ``: "none stated",
		`{"x":1}`: "none stated", `null`: "none stated"} {
		t.Run(card, func(t *testing.T) {
			if got := licence(json.RawMessage(card), "", ""); got != want {
				t.Errorf("%s: %s, want %v", card, got, want)
			}
		})
	}
	if got := licence(json.RawMessage(`"other"`), "llama3.1", "LICENSE"); got != "other, llama3.1, LICENSE" {
		t.Errorf("an \"other\" licence is told with its name and link, \"other, llama3.1, LICENSE\": got %s", got)
	}
}

func TestAddresses(t *testing.T) {
	for text, says := range map[string]string{
		"hf:a/b": "", "hf:a/b:Q4_K_M": "", "hf:a/b@v1:x/y.gguf": "", "https://x.invalid/a/m.gguf?download=true": "",
		"hf:a": "is not hf:OWNER/REPO", "hf:a/b/c": "is not hf:", "hf:../b": "is not hf:", "hf:a/b:": "after the colon",
		"hf:a/b@": "revision", "hf:a/b@../x": "revision", "a/b": "https://",
		"ftp://x.invalid/m": "https://", "": "https://",
		"https://x.invalid/": "does not end with the name", "https://x.invalid": "does not end with the name",
		"https://x.invalid/a/..": "not used", "https://x.invalid/%2e%2e%2fx": "", "https://x.invalid/a%5Cb": "not used",
		"https://x.invalid/m.gguf.part": "not used", "https://u:secret@x.invalid/": "does not end",
	} {
		t.Run(text, func(t *testing.T) {
			a, err := Parse(text)
			switch {
			case says == "" && err != nil:
				t.Errorf("%s is an address: got %v", text, err)
			case says == "" && a.URL != nil:
				if name, _ := a.fileName(); strings.ContainsAny(name, `/\`) || strings.Contains(name, "..") {
					t.Errorf("the name of a file in %s leads nowhere else: got %q", text, name)
				}
			case says != "":
				contains(t, err, says)
				if err != nil && strings.Contains(err.Error(), "secret") {
					t.Errorf("no error has the password: got %v", err)
				}
			}
		})
	}
}

// FuzzNames: no name that is accepted leads out of its directory.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"a.gguf", "../a", "a/../b", "/a", `a\b`, "a:b", ".a", "a/", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkName(name) == nil && (!filepath.IsLocal(name) || filepath.Clean(name) != name) {
			t.Errorf("%q was accepted, want names that stay in their directory", name)
		}
	})
}

func totalOf(p Plan) (all int64) {
	for _, f := range p.Files {
		all += f.Size
	}
	return all
}
