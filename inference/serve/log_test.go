package serve

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusedAreWarnings: the log has a line for each request, and those that were refused are warnings.
func TestRefusedAreWarnings(t *testing.T) {
	for status, level := range map[int]string{http.StatusOK: "INFO", http.StatusBadRequest: "WARN",
		http.StatusTooManyRequests: "WARN", http.StatusUnauthorized: "WARN", http.StatusInsufficientStorage: "ERROR"} {
		var log bytes.Buffer
		s := &Server{options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		s.logRequest(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/completions", nil),
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		text := log.String()
		if strings.Count(text, "\n") != 1 || !strings.Contains(text, "level="+level+" msg=request") {
			t.Errorf("status %d: %q, want one line of level %s", status, text, level)
		}
	}
}
