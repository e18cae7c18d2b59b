package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/step"
)

// Failure is an error that a client is told, in OpenAI's shape.
type Failure struct {
	Status  int
	Message string
	Param   string // the field that it is about, "" for none
	Code    string // of OpenAI's, "" for none
	After   int    // seconds after which to try again, 0 for nothing
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// Invalid returns the failure of a request that asks for what there is not; param is the field that it is about.
func Invalid(param, format string, args ...any) *Failure {
	return &Failure{Status: http.StatusBadRequest, Param: param, Message: fmt.Sprintf(format, args...)}
}

// inFlightHelp names the flag that says how much memory requests have.
const inFlightHelp = " (parley serve or batch, --max-in-flight)"

// FailureOf returns an error as the client is told it, and so decides whose fault it is. What is none of the known ones
// is ours: status 500.
func FailureOf(err error) *Failure {
	f, beyond, spent := new(Failure), new(limits.Beyond), new(budget.Spent)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &beyond):
		return &Failure{Status: beyond.Status, Message: beyond.Error(), Param: beyond.Param, Code: beyond.Code}
	case errors.As(err, &spent) && spent.Never():
		return &Failure{Status: http.StatusRequestEntityTooLarge, Message: spent.Error() + inFlightHelp}
	case errors.As(err, &spent):
		return &Failure{Status: http.StatusTooManyRequests, Message: spent.Error() + inFlightHelp, After: 1}
	case errors.Is(err, errText), errors.Is(err, inference.ErrGrammar):
		return &Failure{Status: http.StatusBadRequest, Message: err.Error()}
	case errors.Is(err, admission.ErrFull):
		return &Failure{Status: http.StatusTooManyRequests, Message: err.Error(), After: 1}
	case errors.Is(err, session.ErrFull):
		return &Failure{Status: http.StatusTooManyRequests, Message: err.Error(), Param: "seed"}
	case errors.Is(err, inference.ErrTooLong):
		return &Failure{Status: http.StatusBadRequest, Message: err.Error(), Code: "context_length_exceeded"}
	case errors.Is(err, step.ErrClosed), errors.Is(err, context.Canceled):
		return &Failure{Status: http.StatusServiceUnavailable, Message: "the server is shutting down", After: 1}
	}
	return &Failure{Status: http.StatusInternalServerError, Message: err.Error()}
}

// statusGone is what servers log of a client that has gone; there is none in HTTP.
const statusGone = 499

// FailureIn is FailureOf in the context of a request. One that ended with its connection is no fault of ours: a client
// that has closed its side alone, which looks the same, is told so.
func FailureIn(ctx context.Context, err error) *Failure {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), context.Canceled) {
		return &Failure{Status: statusGone, Message: "the connection was closed before the reply was there: keep " +
			"both of its directions open"}
	}
	return FailureOf(err)
}

// kind returns OpenAI's type of the error, which clients decide by whether to try again.
func (f *Failure) kind() string {
	switch {
	case f.Status == http.StatusUnauthorized:
		return "authentication_error"
	case f.Status == http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	case f.Status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// Body returns the failure as OpenAI writes it.
func (f *Failure) Body() []byte {
	type shape struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	text, _ := json.Marshal(map[string]shape{"error": {shortened(f.Message), f.kind(), OrNull(shortened(f.Param)),
		OrNull(f.Code)}})
	return text
}

// shortened is a text that may repeat what the client has sent, without the middle of a long one.
func shortened(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// Answer answers with the failure.
func (f *Failure) Answer(w http.ResponseWriter) {
	if f.After > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(f.After))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_, _ = w.Write(append(f.Body(), '\n')) // the client has gone if this fails
}
