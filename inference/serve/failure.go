package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/intake"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/step"
)

// failure is an error that a client is told, in OpenAI's shape.
type failure struct {
	status  int
	message string
	param   string // the field that it is about, "" for none
	code    string // of OpenAI's, "" for none
	after   int    // seconds after which to try again, 0 for nothing
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// invalid returns the failure of a request that asks for what there is not; param is the field that it is about.
func invalid(param, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, param: param, message: fmt.Sprintf(format, args...)}
}

// inFlightHelp names the flag that says how much memory requests have.
const inFlightHelp = " (parley serve --max-in-flight)"

// failureOf returns an error as the client is told it, and so decides whose fault it is. What is none of the known ones
// is ours: status 500.
func failureOf(err error) *failure {
	f, beyond, spent := new(failure), new(limits.Beyond), new(budget.Spent)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &beyond):
		return &failure{status: beyond.Status, message: beyond.Error(), param: beyond.Param, code: beyond.Code}
	case errors.As(err, &spent) && spent.Never():
		return &failure{status: http.StatusRequestEntityTooLarge, message: spent.Error() + inFlightHelp}
	case errors.As(err, &spent):
		return &failure{status: http.StatusTooManyRequests, message: spent.Error() + inFlightHelp, after: 1}
	case errors.Is(err, intake.ErrText):
		return &failure{status: http.StatusBadRequest, message: err.Error()}
	case errors.Is(err, admission.ErrFull):
		return &failure{status: http.StatusTooManyRequests, message: err.Error(), after: 1}
	case errors.Is(err, session.ErrFull):
		return &failure{status: http.StatusTooManyRequests, message: err.Error(), param: "seed"}
	case errors.Is(err, inference.ErrTooLong):
		return &failure{status: http.StatusBadRequest, message: err.Error(), code: "context_length_exceeded"}
	case errors.Is(err, step.ErrClosed), errors.Is(err, context.Canceled):
		return &failure{status: http.StatusServiceUnavailable, message: "the server is shutting down", after: 1}
	}
	return &failure{status: http.StatusInternalServerError, message: err.Error()}
}

// kind returns OpenAI's type of the error, which clients decide by whether to try again.
func (f *failure) kind() string {
	switch {
	case f.status == http.StatusUnauthorized:
		return "authentication_error"
	case f.status == http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	case f.status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// body returns the failure as OpenAI writes it.
func (f *failure) body() []byte {
	type shape struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	text, _ := json.Marshal(map[string]shape{"error": {f.message, f.kind(), orNull(f.param), orNull(f.code)}})
	return text
}

// orNull returns a text for a JSON field that is null where there is none.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// write answers with the failure.
func (f *failure) write(w http.ResponseWriter) {
	if f.after > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(f.after))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(append(f.body(), '\n')) // the client has gone if this fails
}

// tooLong refuses a request for which there is no room, and says which limit that is and what helps. least is how many
// tokens a reply has at least.
func (m *model) tooLong(prompt, reply, least int) *failure {
	room, trained := m.vocabulary.Room()
	limit, help := fmt.Sprintf("the context (--context) has room for %d", room), " or raise --context"
	if trained {
		limit, help = fmt.Sprintf("the model was trained for %d", room), ""
	}
	if left := room - prompt; left >= least {
		return &failure{status: http.StatusBadRequest, param: "max_tokens", code: "context_length_exceeded",
			message: fmt.Sprintf("%d prompt tokens and up to %d new ones: %s in all; lower max_tokens to %d%s", prompt,
				reply, limit, left, help)}
	}
	with := ""
	if least > 0 {
		with = " and at least one new one"
	}
	return &failure{status: http.StatusBadRequest, code: "context_length_exceeded",
		message: fmt.Sprintf("%d prompt tokens%s: %s in all; shorten the prompt%s", prompt, with, limit, help)}
}
