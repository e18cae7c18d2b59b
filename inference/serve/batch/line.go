package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/internal/plaintext"
	"github.com/parley-debate/parley/internal/unknown"
)

// line is a request of a file.
type line struct {
	CustomID string          `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// urls are the paths that a line can ask.
var urls = []string{"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses"}

// read reads a line, and refuses what is no request. What it returns beside an error has the line's name, if that could
// be read.
func (r *run) read(text []byte) (l line, err error) {
	if text, err = plaintext.Of(text); err == nil {
		err = plaintext.Escapes(text)
	}
	if err != nil {
		return l, &problem{"invalid_json_line", "the line is not a request: it " + err.Error()}
	}
	if err := strict.Whole(text, &l); err != nil {
		return l, &problem{"invalid_json_line", "the line is not a request: " + err.Error()}
	}
	switch {
	case l.CustomID == "":
		return l, &problem{"missing_custom_id", "custom_id is missing"}
	case r.names[l.CustomID]:
		return l, &problem{"duplicate_custom_id", "another line has the custom_id " + l.CustomID + " already"}
	}
	r.names[l.CustomID] = true
	switch {
	case l.Method != http.MethodPost:
		return l, &problem{"invalid_method", "method: must be POST"}
	case !slices.Contains(urls, l.URL):
		return l, &problem{"invalid_url", "url: " + unknown.Name("path", l.URL, urls).Error()}
	}
	return l, l.checkBody()
}

// checkBody refuses a body that is none, and one whose reply would be no JSON.
func (l *line) checkBody() error {
	var body map[string]json.RawMessage
	if json.Unmarshal(l.Body, &body) != nil || body == nil {
		return errors.New("body: must be an object")
	}
	if v := strings.TrimSpace(string(body["stream"])); v != "" && v != "null" && v != "false" {
		return errors.New("body: stream is for replies that somebody reads as they come: leave it out")
	}
	return nil
}

// id names a line and what it asks for.
func (l *line) id(what string) string {
	var body bytes.Buffer
	_ = json.Compact(&body, l.Body) // checked by read
	return hashName([]byte(l.CustomID), []byte(l.URL), body.Bytes(), []byte(what))
}
