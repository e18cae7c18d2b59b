// Package batch answers OpenAI's batch files: each line is a request, and so is each line that comes back. The requests
// go to a handler in this process, without a socket, as many at once as the caller says.
package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/internal/bug"
)

// Options say where answers go.
type Options struct {
	AtOnce int                // requests under way
	Done   func(Answer) error // called by one goroutine at a time; its error ends the batch
}

// Answer is the line that answers line Line of the input, counted from 0. It ends in a line feed.
type Answer struct {
	Line int
	Text []byte
	OK   bool // the answer is a reply, and no error
}

// Run answers lines, of which blank ones count for nothing. Requests without a seed are counted as repetitions in the
// order of the lines, so that an answer does not depend on which line was faster. When ctx ends, so does Run, with its
// error; lines under way are then not answered.
func Run(ctx context.Context, h http.Handler, lines [][]byte, o Options) error {
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.AtOnce))
	r := &run{handler: h, options: o, names: make(map[string]bool)}
	for i, text := range lines {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if working.Err() != nil {
			break
		}
		request, err := r.read(text)
		if err != nil {
			group.Go(func() (failed error) {
				defer bug.Catch(&failed)
				return r.done(refuse(i, text, request.CustomID, err))
			})
			continue
		}
		passed := make(chan struct{})
		pass := sync.OnceFunc(func() { close(passed) })
		group.Go(func() (err error) {
			defer pass()
			defer bug.Catch(&err)
			return r.answer(working, i, request, pass)
		})
		<-passed
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

type run struct {
	handler http.Handler
	options Options
	names   map[string]bool // names of the lines so far

	mu sync.Mutex // is held while Done is called
}

func (r *run) done(a Answer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.Done(a)
}

// answer has the handler answer a line. pass is called when the next line may be sent.
func (r *run) answer(ctx context.Context, i int, request line, pass func()) error {
	id := request.id("")
	turn := serve.WithTurn(ctx, func(what string) {
		id = request.id(what)
		pass()
	})
	sent, err := http.NewRequestWithContext(turn, http.MethodPost, request.URL, bytes.NewReader(request.Body))
	if err != nil {
		return err
	}
	p := &page{header: make(http.Header), status: http.StatusOK}
	err = bug.Caught(func() error { r.handler.ServeHTTP(p, sent); return nil })
	switch {
	case ctx.Err() != nil: // what the handler has written is about that
		return ctx.Err()
	case err != nil: // a panic, which is no matter of the other lines
		return r.done(Answer{Line: i, Text: encode(output{ID: id, CustomID: &request.CustomID,
			Error: &problem{"internal_error", err.Error()}})})
	}
	text := encode(output{ID: id, CustomID: &request.CustomID,
		Response: &response{p.status, "req_" + id[len(prefix):], p.body.Bytes()}})
	return r.done(Answer{Line: i, Text: text, OK: p.status == http.StatusOK})
}

// page is where the handler writes.
type page struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header, WriteHeader and Write implement http.ResponseWriter.
func (p *page) Header() http.Header                { return p.header }
func (p *page) WriteHeader(status int)             { p.status = status }
func (p *page) Write(text []byte) (n int, _ error) { return p.body.Write(text) }

// output is a line that comes back, in OpenAI's shape.
type output struct {
	ID       string    `json:"id"`
	CustomID *string   `json:"custom_id"`
	Response *response `json:"response"`
	Error    *problem  `json:"error"`
}

type response struct {
	StatusCode int             `json:"status_code"`
	RequestID  string          `json:"request_id"`
	Body       json.RawMessage `json:"body"`
}

// problem is an error of a line that was not sent.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// refuse answers a line that is no request.
func refuse(i int, text []byte, name string, err error) Answer {
	wrong := new(problem)
	if !errors.As(err, &wrong) {
		wrong = &problem{"invalid_request", err.Error()}
	}
	id := hashName(text)
	out := output{ID: id, Error: wrong}
	if name != "" {
		out.CustomID = &name
	}
	return Answer{Line: i, Text: encode(out)}
}

func (p *problem) Error() string { return p.Message }

// encode returns a line with the bytes of the reply as the server writes them.
func encode(o output) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(o) // the handler's bodies are JSON, and memory takes everything
	return b.Bytes()
}

const prefix = "batch_req_"

// Opening is how each line that Run answers begins.
const Opening = `{"id":"` + prefix

// hashName returns a name that is hashed from parts.
func hashName(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return prefix + hex.EncodeToString(h.Sum(nil)[:16])
}
