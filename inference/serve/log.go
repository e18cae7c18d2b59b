package serve

import (
	"log/slog"
	"net/http"
	"time"
)

// logged answers a request and logs what became of it: no prompt, no reply, no key.
func (s *Server) logged(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	if s.options.Log == nil {
		answer(w, r)
		return
	}
	begun := time.Now()
	noted := &notedWriter{ResponseWriter: w, status: http.StatusOK}
	answer(noted, r)
	level := slog.LevelInfo
	if noted.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	s.options.Log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path, "status", noted.status,
		"seconds", time.Since(begun).Seconds(), "bytes", noted.bytes, "gone", r.Context().Err() != nil)
}

// notedWriter remembers the status and the length of an answer.
type notedWriter struct {
	http.ResponseWriter
	status int
	bytes  int
}

// WriteHeader implements http.ResponseWriter.
func (w *notedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *notedWriter) Write(text []byte) (int, error) {
	n, err := w.ResponseWriter.Write(text)
	w.bytes += n
	return n, err
}

// Unwrap gives http.ResponseController what is behind.
func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
