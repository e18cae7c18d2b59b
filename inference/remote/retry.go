package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/parley-debate/parley/inference"
)

// fault is what went wrong with one exchange, and what that means for the next one. One that is not lasting is tried
// again, at this server or another. A lasting one ends the engine, unless it is of one request alone.
type fault struct {
	server  *server
	status  int           // of HTTP; 0 if there was none
	lasting bool          // trying again cannot help
	garbled bool          // an answer came, and could not be read
	busy    bool          // the server has too much to do: 429, 503
	after   time.Duration // before which the server wants no other request
	mine    bool          // the error is of this request alone
	err     error
}

// Error implements error. No error has the key: what a server said went through server.clean.
func (f *fault) Error() string { return "server " + f.server.url + ": " + f.err.Error() }

// Unwrap implements errors.Unwrap.
func (f *fault) Unwrap() error { return f.err }

// faultOf returns the fault of an exchange for which there was no whole answer. Only what no second try can mend, such
// as a wrong certificate, is lasting.
func (s *server) faultOf(err error) *fault {
	f := &fault{server: s, err: err}
	if of := new(url.Error); errors.As(err, &of) {
		f.err = of.Err // the URL stands before it
	}
	var verification *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	unknown := new(net.DNSError)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.err = fmt.Errorf("%w; no program listens there: start the server, or write another host or port", f.err)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		f.err = fmt.Errorf("%w; write the host's name as it is known here, or its address", f.err)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		f.err = fmt.Errorf("%w; there is no way to it from this machine: look at its network, or write another host",
			f.err)
	case errors.As(err, &verification), errors.As(err, new(x509.UnknownAuthorityError)),
		errors.As(err, new(x509.HostnameError)):
		f.lasting = true
		f.err = fmt.Errorf("%w; a certificate of your own authority can be named in SSL_CERT_FILE", f.err)
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.lasting = true
		f.err = fmt.Errorf("%w; it speaks http: write the URL so", f.err)
	}
	return f
}

// refusal returns the fault of an answer with another status than 200. Servers do not agree on statuses, so the error's
// code and words count too.
func (s *server) refusal(answer *http.Response, text []byte) *fault {
	said, code := message(text)
	f := &fault{server: s, status: answer.StatusCode,
		err: fmt.Errorf("status %d: %s", answer.StatusCode, s.clean(said))}
	switch n := answer.StatusCode; {
	case n == http.StatusTooManyRequests || n == http.StatusServiceUnavailable:
		f.busy, f.after = true, pause(answer.Header, time.Now())
		f.lasting = code == "insufficient_quota"
	case n == http.StatusRequestTimeout, n == http.StatusConflict, n == http.StatusTooEarly, n >= 500:
		f.after = pause(answer.Header, time.Now())
	case n == http.StatusRequestEntityTooLarge, tooLong(said, code), code == contentFilter:
		f.ofRequest(code)
	case n == http.StatusUnauthorized || n == http.StatusForbidden:
		f.lasting = true
		f.err = fmt.Errorf("%w; the key comes from %s or %s", f.err, keyVariable(s.url), commonKey)
	case n >= 300 && n < 400:
		f.lasting = true
		f.err = fmt.Errorf("status %d: it redirects elsewhere; write the URL that answers", n)
	default:
		f.lasting = true
	}
	return f
}

// contentFilter is the code of an error, and the finish reason of a reply, that a server does not give to any question.
const contentFilter = "content_filter"

// ofRequest makes a fault one of the request alone.
func (f *fault) ofRequest(code string) {
	if f.lasting, f.mine = true, true; code != contentFilter {
		f.err = fmt.Errorf("%w: %w; lower --max-tokens or the number of agents", inference.ErrTooLong, f.err)
	}
}

// isError reports whether a field error of an answer says that something went wrong.
func isError(field json.RawMessage) bool {
	return !slices.Contains([]string{"", "null", "false", "{}", `""`, "[]"}, string(field))
}

// errorOf returns the fault of an error that came with status 200. It may be a passing one.
func (s *server) errorOf(text []byte) *fault {
	said, code := message(text)
	f := &fault{server: s, garbled: true, err: fmt.Errorf("the answer is an error: %s", s.clean(said))}
	if tooLong(said, code) || code == contentFilter {
		f.ofRequest(code)
	}
	return f
}

// message returns what an error body says, and its code. Bodies differ: {"error": {"message", "code"}}, {"error":
// "..."}, {"message": "..."}, {"detail": ...}, or no JSON.
func message(text []byte) (said, code string) {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Code    any             `json:"code"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(text, &body) != nil {
		return string(text), ""
	}
	said, code = body.Message, codeOf(body.Code)
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
		Type    string `json:"type"`
	}
	switch {
	case json.Unmarshal(body.Error, &inner) == nil && inner.Message != "":
		said, code = inner.Message, codeOf(inner.Code)
		if code == "" || inner.Type == "exceed_context_size_error" {
			code = inner.Type
		}
	case json.Unmarshal(body.Error, &said) == nil:
	case said == "":
		said = string(text)
	}
	return said, code
}

// codeOf returns a code that is a text; others have a number there.
func codeOf(code any) string {
	text, _ := code.(string)
	return text
}

// tooLong reports whether a server refuses a request for its length.
func tooLong(said, code string) bool {
	if code == "context_length_exceeded" || code == "exceed_context_size_error" {
		return true
	}
	said = strings.ToLower(said)
	for _, words := range []string{"context length", "context size", "context window", "max_model_len",
		"maximum context", "model's context", "longer than the model", "exceeds the available context"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// mostPause bounds what a server can make us wait before its next request.
const mostPause = 10 * time.Minute

// pause returns how long a server wants to be left alone: Retry-After, retry-after-ms, or the time when a limit of
// requests or tokens that is used up begins anew. It never exceeds mostPause, whatever the server says.
func pause(h http.Header, now time.Time) (wait time.Duration) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		wait = pauseOf(ms / 1000)
	} else if seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		wait = pauseOf(seconds)
	} else if date, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = date.Sub(now)
	}
	for _, what := range []string{"Requests", "Tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+what) != "0" {
			continue
		}
		reset := h.Get("X-Ratelimit-Reset-" + what)
		if d, err := time.ParseDuration(reset); err == nil {
			wait = max(wait, d)
		} else if seconds, err := strconv.ParseFloat(reset, 64); err == nil {
			wait = max(wait, pauseOf(seconds))
		}
	}
	return min(max(wait, 0), mostPause)
}

// pauseOf returns a number of seconds as a duration, up to mostPause: more could overflow.
func pauseOf(seconds float64) time.Duration {
	return time.Duration(min(seconds, mostPause.Seconds()) * float64(time.Second))
}

// mostGarbled is how often an answer that cannot be used is asked for, errors of a server that is not busy included.
// Servers that are silent or busy are waited for as long as Options.Patience says; one that answers nonsense will
// probably go on.
const mostGarbled = 6

// try asks servers of the pool until one gives an answer that exchange accepts. prefix chooses the server that is asked
// first. The place is given back before the next try, which may so be at another server. An error is a *fault, one of
// exchange that is no fault, or that of the context.
//
// Faults end the tries in two ways: an answer that cannot be used counts towards mostGarbled, while silence and a busy
// server are waited out for Options.Patience since the first fault. The place is given back with a fault only if that
// says something of the server: what is lasting is about the request or the settings, and must not pause the server.
func (e *Engine) try(ctx context.Context, prefix uint64, exchange func(context.Context, *server) error) error {
	var since time.Time // of the first fault
	for unusable := 0; ; {
		s, err := e.pool.waitForServer(ctx, prefix)
		if err != nil {
			return err
		}
		began := time.Now()
		err = exchange(ctx, s)
		var f *fault
		switch errors.As(err, &f); {
		case err == nil:
			e.pool.give(s, nil, began)
			return nil
		case ctx.Err() != nil:
			e.pool.give(s, nil, began)
			return context.Cause(ctx)
		case f == nil:
			e.pool.give(s, nil, began)
			return err
		case f.lasting:
			e.pool.give(s, nil, began)
			return f
		}
		e.pool.give(s, f, began)
		e.retried.Add(1)
		if since.IsZero() {
			since = began
		}
		if (f.status != 0 || f.garbled) && !f.busy {
			unusable++
		}
		if unusable >= mostGarbled {
			return fmt.Errorf("%w; so it was %d times, the last of which was not waited for", f, unusable)
		}
		if waited := time.Since(since); waited > e.options.Patience {
			return fmt.Errorf("%w; no server gave an answer for %s", f, waited.Round(time.Second))
		}
	}
}

// alone makes the fault that ended the tries of a question one of this question alone, if servers answer another one
// that is asked in the same way: what a question causes fails its debate, and what a server causes ends the run. Faults
// that say nothing of an answer, such as silence, a wrong key or a busy server, are the server's.
func (e *Engine) alone(err error, q question, n int) {
	var f *fault
	if !errors.As(err, &f) || f.mine || f.busy || !f.garbled && f.status < 500 &&
		f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return
	}
	other := q.Request
	other.Messages = []inference.Message{{Role: "user", Content: "Say yes."}}
	other.Prompt, other.Grammar, other.Continuations = nil, "", nil
	asked, err := e.questionOf(e.work, other)
	if err == nil {
		err = e.try(e.admit, 0, func(_ context.Context, s *server) error {
			_, err := e.replies(e.work, s, asked, n)
			return err
		})
	}
	f.mine = err == nil
}

// backoff returns how long a server is left alone after so many faults in a row: twice as long each time, between half
// and all of it by chance, so that many clients do not come back at once.
func (e *Options) backoff(faults int) time.Duration {
	wait := min(e.Backoff<<min(max(0, faults-1), 10), 30*time.Second)
	return wait/2 + rand.N(wait/2+1)
}
