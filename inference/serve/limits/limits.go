// Package limits is the table of what a request to a server may have, and of the answer to what is more. Code that
// checks a bound names its row here, and docs/serve.md lists the rows, which a test compares.
package limits

import (
	"fmt"
	"net/http"
	"time"

	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve/session"
)

// Limit is one bound. It is checked before anything is computed that grows with what it bounds.
type Limit struct {
	What   string // is bounded, in the plural
	Most   int64  // in bytes or seconds, where Unit says so
	Value  string // what docs/serve.md says instead of Most, where that is but a part of the bound
	Unit   Unit
	Flag   string // of parley serve, that changes it; "" if it is fixed
	Status int    // of the answer beyond it; 0 for none
	Code   string // of OpenAI's, in that answer; "" for none
	Note   string // what else happens beyond it, for docs/serve.md
}

// Unit is what a Limit counts.
type Unit int

// The units.
const (
	Count Unit = iota
	Bytes
	Seconds
)

// The bounds, in the order in which a request meets them.
var (
	Connections = &Limit{What: "connections at once", Most: 1024, Flag: "--max-connections",
		Status: http.StatusServiceUnavailable, Note: "with `Retry-After`, where all have requests under way, except " +
			"for `/health`; else the one that has been idle for longest is closed. No other machine (address, or " +
			"IPv6 network of 64 bits) has more than half of what the others leave; this one, where a proxy may run, " +
			"has no part"}
	Header    = &Limit{What: "time for a header", Most: 10, Unit: Seconds, Note: "the connection is closed"}
	Idle      = &Limit{What: "time between requests of a connection", Most: 120, Unit: Seconds, Note: Header.Note}
	BodyTime  = &Limit{What: "time for a body", Most: 60, Unit: Seconds, Status: http.StatusRequestTimeout}
	BodyBytes = &Limit{What: "bytes of a body", Most: 16 << 20, Unit: Bytes, Flag: "--max-body",
		Status: http.StatusRequestEntityTooLarge}
	InFlight = &Limit{What: "bytes of all requests that are read, wait or are answered", Most: 1 << 30, Unit: Bytes,
		Flag: "--max-in-flight", Status: http.StatusTooManyRequests,
		Note: "with `Retry-After`; 413 where a request needs more alone; of several keys none has more than half of " +
			"what the others leave"}
	BodyValues = &Limit{What: "values of a body, those within lists and objects among them", Most: 1 << 20,
		Status: http.StatusBadRequest}
	BodyDepth = &Limit{What: "lists and objects of a body, one within the other", Most: 128,
		Status: http.StatusBadRequest}
	Texts = &Limit{What: "bytes of the texts that become one prompt, or that `/tokenize` is given", Most: 256 << 10,
		Unit: Bytes, Value: "256 KiB, or 32 bytes for each token that there is room for, if that is more",
		Status: http.StatusBadRequest, Code: "context_length_exceeded"}
	Messages  = &Limit{What: "messages of a conversation", Most: 2048, Status: http.StatusBadRequest}
	Parts     = &Limit{What: "parts of a message", Most: 2048, Status: http.StatusBadRequest}
	Tools     = &Limit{What: "tools of a request", Most: 128, Status: http.StatusBadRequest}
	Biases    = &Limit{What: "tokens in `logit_bias`", Most: 4096, Status: http.StatusBadRequest}
	stops     = &Limit{What: "stop texts", Most: ending.MostStops, Status: http.StatusBadRequest}
	stopBytes = &Limit{What: "bytes of a stop text", Most: ending.StopBytes, Unit: Bytes,
		Status: http.StatusBadRequest}
	Alternatives = &Limit{What: "alternatives of a token: `top_logprobs`, and `logprobs` of text completions",
		Most: 20, Status: http.StatusBadRequest} // as with OpenAI
	SchemaBytes = &Limit{What: "bytes of a JSON schema", Most: 256 << 10, Unit: Bytes, Status: http.StatusBadRequest}
	SchemaDepth = &Limit{What: "levels of a JSON schema", Most: 64, Status: http.StatusBadRequest}
	Patterns    = &Limit{What: "bytes of a regular expression, in a JSON schema or alone", Most: 1 << 10, Unit: Bytes,
		Status: http.StatusBadRequest}
	Grammar = &Limit{What: "bytes of a grammar, written or made of a JSON schema", Most: llamacpp.GrammarBytes,
		Unit: Bytes, Status: http.StatusBadRequest}
	Choices = &Limit{What: "choices of a request: prompts times `n`", Most: 128, Flag: "--max-choices",
		Status: http.StatusBadRequest}
	sessionName = &Limit{What: "bytes of the name of a session", Most: session.MaxName, Unit: Bytes,
		Status: http.StatusBadRequest}
	Remembered = &Limit{What: "bytes that sessions remember, the same part of them for each key", Most: 64 << 20,
		Unit: Bytes, Status: http.StatusTooManyRequests, Note: "for a session that takes all of it; else the oldest " +
			"session of the key begins anew"}
	Waiting = &Limit{What: "choices of a key that wait for their turn, and texts to embed", Most: 4096,
		Flag: "--max-waiting", Status: http.StatusTooManyRequests, Note: "with `Retry-After`"}
	Reading = &Limit{What: "time for a client to take an event of a stream", Most: 60, Unit: Seconds,
		Note: Header.Note}
	Drain = &Limit{What: "time for replies under way when the server is interrupted", Most: 30, Unit: Seconds,
		Flag: "--drain", Note: "they are given up, and the exit code is 1"}
)

// all are the bounds in their order.
var all = []*Limit{Connections, Header, Idle, BodyTime, BodyBytes, InFlight, BodyValues, BodyDepth, Texts,
	Messages, Parts, Tools, Biases, stops, stopBytes, Alternatives, SchemaBytes, SchemaDepth, Patterns, Grammar,
	Choices, sessionName, Remembered, Waiting, Reading, Drain}

// Time returns a bound that is a time.
func (l *Limit) Time() time.Duration { return time.Duration(l.Most) * time.Second }

// Beyond is the error of a request that has more than it may.
type Beyond struct {
	*Limit
	Got   int64 // negative where nobody counted to the end
	Most  int64
	Param string // the field that it is about; "" for none
}

// Check returns a *Beyond if n is more than a request may have. param is the field, "" for none.
func (l *Limit) Check(n int, param string) error { return l.CheckOf(n, l.Most, param) }

// CheckOf is Check for a server whose bound is another one.
func (l *Limit) CheckOf(n int, most int64, param string) error {
	if int64(n) <= most {
		return nil
	}
	return &Beyond{l, int64(n), most, param}
}

// Over returns the *Beyond of a request of which nobody counts how much more it has than it may.
func (l *Limit) Over(param string) error { return &Beyond{l, -1, l.Most, param} }

// Error implements error.
func (b *Beyond) Error() string {
	text := fmt.Sprintf("%s: there are %d, and at most %d are allowed", b.What, b.Got, b.Most)
	if b.Got < 0 {
		text = fmt.Sprintf("%s: there are more than the %d that are allowed", b.What, b.Most)
	}
	if b.Param != "" {
		text = b.Param + ": " + text
	}
	if b.Flag != "" {
		text += " (parley serve " + b.Flag + ")"
	}
	return text
}
