// Package limits is the table of what a request to a server may have, and of the answer to what is more. Code that
// checks a bound names its row here, and docs/serve.md lists the rows, which a test compares.
package limits

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/parley-debate/parley/inference/serve/session"
)

// Limit is one bound. It is checked before anything is computed that grows with what it bounds.
type Limit struct {
	What   string // is bounded, in the plural
	Most   int64  // in bytes or seconds, where Unit says so
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
		Status: http.StatusServiceUnavailable, Note: "with `Retry-After`, and the connection is closed; with 256 of " +
			"these open, others wait"}
	Header    = &Limit{What: "time for a header", Most: 10, Unit: Seconds, Note: "the connection is closed"}
	Idle      = &Limit{What: "time between requests of a connection", Most: 120, Unit: Seconds, Note: Header.Note}
	BodyTime  = &Limit{What: "time for a body", Most: 60, Unit: Seconds, Status: http.StatusRequestTimeout}
	BodyBytes = &Limit{What: "bytes of a body", Most: 16 << 20, Unit: Bytes, Flag: "--max-body",
		Status: http.StatusRequestEntityTooLarge}
	InFlight = &Limit{What: "bytes of all requests that are read, wait or are answered", Most: 1 << 30, Unit: Bytes,
		Flag: "--max-in-flight", Status: http.StatusTooManyRequests,
		Note: "with `Retry-After`; 413 where a request needs more alone"}
	BodyValues = &Limit{What: "values of a body, those within lists and objects among them", Most: 1 << 20,
		Status: http.StatusBadRequest}
	BodyDepth = &Limit{What: "lists and objects of a body, one within the other", Most: 128,
		Status: http.StatusBadRequest}
	Choices = &Limit{What: "choices of a request: prompts times `n`", Most: 128, Flag: "--max-choices",
		Status: http.StatusBadRequest}
	SessionName = &Limit{What: "bytes of the name of a session", Most: session.MaxName, Unit: Bytes,
		Status: http.StatusBadRequest}
	Remembered = &Limit{What: "bytes that sessions remember, the same part of them for each key", Most: 64 << 20,
		Unit: Bytes, Status: http.StatusTooManyRequests, Note: "for a session that takes all of it; else the oldest " +
			"session of the key begins anew"}
	Waiting = &Limit{What: "choices of a session that wait for their turn", Most: 4096, Flag: "--max-waiting",
		Status: http.StatusTooManyRequests, Note: "with `Retry-After`; the sessions of a key together can have twice " +
			"as many waiting, and each half of what the others leave"}
	Drain = &Limit{What: "time for replies under way when the server is interrupted", Most: 30, Unit: Seconds,
		Flag: "--drain", Note: "they are given up, and the exit code is 1"}
)

// All are the bounds in their order.
var All = []*Limit{Connections, Header, Idle, BodyTime, BodyBytes, InFlight, BodyValues, BodyDepth, Choices,
	SessionName, Remembered, Waiting, Drain}

// Time returns a bound that is a time.
func (l *Limit) Time() time.Duration { return time.Duration(l.Most) * time.Second }

// Beyond is the error of a request that has more than it may.
type Beyond struct {
	*Limit
	Got, Most int64
	Param     string // the field that it is about; "" for none
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

// Error implements error.
func (b *Beyond) Error() string {
	text := fmt.Sprintf("%s: there are %d, and at most %d are allowed", b.What, b.Got, b.Most)
	if b.Param != "" {
		text = b.Param + ": " + text
	}
	if b.Flag != "" {
		text += " (parley serve " + b.Flag + ")"
	}
	return text
}

// Markdown returns the rows of the table in docs/serve.md.
func Markdown() string {
	var b strings.Builder
	for _, l := range All {
		value, answer := l.value(), l.Note
		if l.Flag != "" {
			value = "`" + l.Flag + "`, " + value
		}
		if l.Status != 0 {
			answer = fmt.Sprint(l.Status)
			if l.Code != "" {
				answer += ", code `" + l.Code + "`"
			}
			answer = strings.TrimSpace(answer + " " + l.Note)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.What, value, answer)
	}
	return b.String()
}

// value writes the number with its unit: bytes in the largest one that leaves no fraction.
func (l *Limit) value() string {
	n := l.Most
	switch l.Unit {
	case Seconds:
		return group(n) + " s"
	case Bytes:
		units := []string{"bytes", "KiB", "MiB", "GiB"}
		at := 0
		for ; at < len(units)-1 && n%1024 == 0; at++ {
			n /= 1024
		}
		return group(n) + " " + units[at]
	}
	return group(n)
}

// group writes a number with commas between its thousands.
func group(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
