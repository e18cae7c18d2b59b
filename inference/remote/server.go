package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-debate/parley/internal/escape"
)

// Bounds of what is read from a server.
const (
	mostAnswer = 32 << 20 // bytes of a body
	mostSaid   = 300      // characters of a server's own words in an error
)

// server is one server of a pool. about is written by probe, before anything else is asked, and is constant then.
type server struct {
	url    string
	key    string // "" for none
	client *http.Client
	about  about
	mute   atomic.Bool // the server does not tell log-probabilities: found out by its refusal

	unstopped atomic.Bool // the server takes no stop texts: found out in the same way
	streams   atomic.Bool // the server answers in streams alone: likewise

	serverLoad // guarded by the pool
}

// newServer prepares a server; nothing is sent yet. timeout bounds one exchange. Redirections are not followed: they
// would send prompts, and perhaps the key, where nobody said.
func newServer(url string, timeout time.Duration) (*server, error) {
	key, err := keyFor(url)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = 64
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	return &server{url: url, key: key, client: &http.Client{Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// post sends JSON to a path and decodes the answer into to. Errors are of type *fault, but for a body that is no JSON.
func (s *server) post(ctx context.Context, path string, body, to any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.exchange(ctx, http.MethodPost, path, text, to)
}

// get decodes what a path has into to. Errors are of type *fault.
func (s *server) get(ctx context.Context, path string, to any) error {
	return s.exchange(ctx, http.MethodGet, path, nil, to)
}

// exchange sends one request and reads all of the answer, within bounds. It tries once: try decides what a fault means.
// An answer that is too long is a lasting fault, as it would be so again; one that is no JSON may be a passing one.
func (s *server) exchange(ctx context.Context, method, path string, body []byte, to any) error {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return s.faultOf(err)
	}
	r.Header.Set("User-Agent", "parley")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return s.faultOf(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil:
		return s.faultOf(fmt.Errorf("the answer broke off after %d bytes: %w", len(text), err))
	case len(text) > mostAnswer:
		return &fault{server: s, lasting: true, err: fmt.Errorf("the answer has more than %d bytes: lower "+
			"--max-tokens or --choices", mostAnswer)}
	case answer.StatusCode != http.StatusOK:
		return s.refusal(answer, text)
	}
	if to, can := to.(*completion); can && strings.HasPrefix(answer.Header.Get("Content-Type"), eventStream) {
		return s.events(path, text, to)
	}
	return s.decode(path, text, to)
}

// decode reads JSON that a server sent from a path.
func (s *server) decode(path string, text []byte, to any) error {
	var whole struct {
		Error  json.RawMessage `json:"error"`
		Object string          `json:"object"`
	}
	if json.Unmarshal(text, &whole) == nil && (isError(whole.Error) || whole.Object == "error") {
		return s.errorOf(text)
	}
	if err := json.Unmarshal(text, to); err != nil {
		return &fault{server: s, garbled: true, err: fmt.Errorf("the answer to %s is not the JSON that was expected: "+
			"%s", path, s.clean(err.Error()))}
	}
	return nil
}

// clean returns a server's words for a terminal: bounded, in one line, escaped, and without the key.
func (s *server) clean(text string) string {
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	if letters := []rune(text); len(letters) > mostSaid {
		text = string(letters[:mostSaid]) + "..."
	}
	return escape.Text(strings.Join(strings.Fields(text), " "))
}

// quoted returns a server's words behind a colon, "" if there are none.
func (s *server) quoted(text string) string {
	if text = s.clean(text); text != "" {
		text = ": " + text
	}
	return text
}

// without returns a server's text without the key, for a record. Servers that repeat what they were sent must not bring
// the key into files that people share.
func (s *server) without(text string) string {
	if s.key == "" {
		return text
	}
	return strings.ReplaceAll(text, s.key, "[key]")
}
