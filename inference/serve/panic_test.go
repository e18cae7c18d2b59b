package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference/serve/generation"
)

// faltering is a journal that panics where it is asked for the nth time.
type faltering struct {
	mu sync.Mutex // guards what follows
	at
}

// at is the asking that fails, counted from 1; 0 for none.
type at struct{ knowing, keeping int }

func (f *faltering) counted(n *int, what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *n--; *n == 0 {
		panic(what)
	}
}

// Known implements Journal.
func (f *faltering) Known(string) (r generation.Record, ok bool) {
	f.counted(&f.knowing, "known")
	return r, false
}

// Keep implements Journal.
func (f *faltering) Keep(generation.Record) error { f.counted(&f.keeping, "keep"); return nil }

// TestPanics: a panic of ours, wherever it comes, is the error of its request, which says where; the server goes on,
// and no place of it is lost. Requests with n choices take every place that there is.
func TestPanics(t *testing.T) {
	journal := new(faltering)
	s := start(t, func(o *Options) { o.Journal = journal })
	for _, at := range []at{{knowing: 1}, {knowing: 2}, {keeping: 1}, {keeping: 2}} {
		t.Run(fmt.Sprintf("%+v", at), func(t *testing.T) {
			for _, fields := range []string{``, `,"seed":1`, `,"n":8`, `,"stream":true`} {
				journal.mu.Lock()
				journal.at = at
				journal.mu.Unlock()
				said := false
				for range 4 {
					status, text := s.post(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":2`+fields))
					if failed := status == http.StatusInternalServerError; failed || strings.Contains(text,
						"internal error") {
						said = said || strings.Contains(text, "serve.(*faltering)") && strings.Contains(text,
							"panic_test.go")
					} else if status != http.StatusOK {
						t.Errorf("%s: %d %s, want %v", fields, status, text, http.StatusOK)
					}
				}
				if !said {
					t.Errorf("%+v %s: no request has the error, want one that has", at, fields)
				}
			}
		})
	}
	s.rests(t)
	if running, waiting := s.gate.Counts(0); running+waiting > 0 {
		t.Errorf("after panics %d requests run and %d wait, want none", running, waiting)
	}
	w := &broken{header: make(http.Header)}
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("an answer that broke off looks whole")
			}
		}()
		s.logRequest(w, new(http.Request), func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "half of it")
			panic("of ours")
		})
	}()
}

// rests waits until nothing is computed.
func (s *started) rests(t *testing.T) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		s.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the server computes something a minute after the last answer")
	}
}

// broken is a client that reads nothing.
type broken struct{ header http.Header }

func (b *broken) Header() http.Header            { return b.header }
func (b *broken) WriteHeader(int)                {}
func (b *broken) Write(text []byte) (int, error) { return len(text), nil }

// TestHealth: a server whose engine has ended says so and why, for those who watch over it.
func TestHealth(t *testing.T) {
	s := start(t)
	if status, text := s.get(t, "/health"); status != http.StatusOK {
		t.Errorf("%d %s, want %d", status, text, http.StatusOK)
	}
	s.engine.Stop(errors.New("the device was lost"))
	const want = "started again: the device was lost"
	status, text := s.get(t, "/health")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, want) {
		t.Errorf("%d %s, want %d with %q", status, text, http.StatusServiceUnavailable, want)
	}
}
