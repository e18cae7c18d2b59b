package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fileServer serves one file at any path, in the manner that a test asks for.
type fileServer struct {
	*httptest.Server
	content  []byte
	etag     string
	noRanges bool
	kind     string // Content-Type
	// what is done with a GET before it is answered as usual; it reports whether that was the answer
	before func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex // guards what follows
	requests []*http.Request
	sent     int64 // bytes of bodies of GETs
}

func serveFile(t *testing.T, content []byte) *fileServer {
	t.Helper()
	s := &fileServer{content: content, etag: `"one"`, kind: "application/octet-stream"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// gets are the requests for the file so far.
func (s *fileServer) gets() (list []*http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.Method == http.MethodGet {
			list = append(list, r)
		}
	}
	return list
}

// ServeHTTP implements http.Handler.
func (s *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Clone(context.Background()))
	s.mu.Unlock()
	if r.Method == http.MethodGet && s.before != nil && s.before(len(s.gets()), w, r) {
		return
	}
	w.Header().Set("Content-Type", s.kind)
	if s.etag != "" {
		w.Header().Set("Etag", s.etag)
	}
	if s.noRanges {
		r.Header.Del("Range")
		w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
	}
	http.ServeContent(counter{w, s}, r, "", time.Time{}, bytes.NewReader(s.content))
}

// counter counts what a server sends, before anybody can have received it.
type counter struct {
	http.ResponseWriter
	server *fileServer
}

func (c counter) Write(b []byte) (int, error) {
	c.server.mu.Lock()
	c.server.sent += int64(len(b))
	c.server.mu.Unlock()
	return c.ResponseWriter.Write(b)
}

// bytesSent are those of bodies so far.
func (s *fileServer) bytesSent() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// cut sends the head of a whole reply, and n bytes of its body.
func (s *fileServer) cut(w http.ResponseWriter, n int) {
	w.Header().Set("Etag", s.etag)
	w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
	_, _ = w.Write(s.content[:n])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// newClient is a client of a server that does not wait. It notes what it says and how long it would wait.
func newClient(t *testing.T, endpoint string) (c *Client, said *[]string) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"} {
		if _, set := os.LookupEnv(name); set {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HF_ENDPOINT", endpoint)
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	said = new([]string)
	c.Notify = func(text string) { *said = append(*said, text) }
	c.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c, said
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// bytesOf are n bytes that no cut or doubled piece would leave alike.
func bytesOf(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func fileAt(t *testing.T, address, sha256 string) File {
	t.Helper()
	f, err := NewFile(address, filepath.Join(t.TempDir(), "deep", "model.gguf"), sha256)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// sameBytes wants the file complete and nothing beside it.
func sameBytes(t *testing.T, f File, want []byte) {
	t.Helper()
	got, err := os.ReadFile(f.Path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
	}
	entries, _ := os.ReadDir(filepath.Dir(f.Path))
	if len(entries) != 1 {
		t.Errorf("the file is alone in its directory: got %v", entries)
	}
}

// noFile wants the file not to be there under its name.
func noFile(t *testing.T, f File) {
	t.Helper()
	if _, err := os.Lstat(f.Path); !os.IsNotExist(err) {
		t.Errorf("there is no file %s: got %v", f.Path, err)
	}
}

func contains(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the error says %q: got %v", word, err)
		}
	}
}
