package serve

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/bug"
)

// logRequest has a request answered and logs what became of it: no prompt, no reply, no key.
func (s *Server) logRequest(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	begun := time.Now()
	noted := &notedWriter{ResponseWriter: w, status: http.StatusOK}
	whole := catchPanic(noted, r, answer)
	if s.options.Log != nil {
		level := slog.LevelInfo
		if noted.status >= http.StatusBadRequest {
			level = slog.LevelWarn // it was refused
		}
		if noted.status >= http.StatusInternalServerError || !whole {
			level = slog.LevelError
		}
		s.options.Log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path, "status",
			noted.status, "seconds", time.Since(begun).Seconds(), "bytes", noted.bytes, "gone",
			r.Context().Err() != nil)
	}
	if !whole {
		panic(http.ErrAbortHandler) // so that the client sees it
	}
}

// catchPanic has a request answered. A panic of ours is the error of this request alone. If part of the answer has been
// sent, it cannot become an error any more: whole is false, and the caller breaks the connection off.
func catchPanic(w *notedWriter, r *http.Request, answer http.HandlerFunc) (whole bool) {
	whole = true
	bug.Guarded(func() error { answer(w, r); return nil }, func(err error) {
		switch {
		case err == nil:
		case w.begun:
			whole = false
		default:
			wire.FailureOf(err).Answer(w)
		}
	})()
	return whole
}

// notedWriter remembers the status and the length of an answer. It belongs to one handler.
type notedWriter struct {
	http.ResponseWriter
	status int
	bytes  int
	begun  bool // the answer is under way, and its status sent
}

// WriteHeader implements http.ResponseWriter.
func (w *notedWriter) WriteHeader(status int) {
	w.status, w.begun = status, true
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *notedWriter) Write(text []byte) (int, error) {
	w.begun = true
	n, err := w.ResponseWriter.Write(text)
	w.bytes += n
	return n, err
}

// Unwrap gives http.ResponseController what is behind.
func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
