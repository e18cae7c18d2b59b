package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/models/modeltest"
)

// asking is a line that asks for a reply of five tokens.
func asking(name, text, fields string) []byte {
	return fmt.Appendf(nil, `{"custom_id":%q,"method":"POST","url":"/v1/chat/completions","body":{"messages":[{"role":`+
		`"user","content":%q}],"max_tokens":5%s}}`, name, text, fields)
}

// collected runs a batch and returns its answers by line.
func collected(t *testing.T, h http.Handler, lines [][]byte) []Answer {
	t.Helper()
	all := make([]Answer, len(lines))
	err := Run(t.Context(), h, lines, Options{AtOnce: 8, Done: func(a Answer) error {
		if all[a.Line].Text != nil {
			t.Errorf("line %d is answered twice, want once", a.Line)
		}
		all[a.Line] = a
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAsServed: the bodies of a batch have the bytes that the server answers to the same requests one by one, also
// where equal requests without a seed are told apart by their order alone.
func TestAsServed(t *testing.T) {
	path := modeltest.Embedded(t)
	engine, err := inference.Open(path, inference.Threads(1), inference.Forget())
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	server := func() *serve.Server {
		o := serve.Defaults()
		o.Names = []string{"tiny"}
		s, err := serve.New(engine, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var lines [][]byte
	for i := range 12 {
		fields := []string{"", `,"seed":4`, `,"n":2`}[i%3]
		lines = append(lines, asking(fmt.Sprint(i), "Three plums <& one more.", fields))
	}
	lines = append(lines, []byte(`{"custom_id":"e","method":"POST","url":"/v1/embeddings","body":{"input":"two"}}`),
		[]byte(`{"custom_id":"t","method":"POST","url":"/v1/completions","body":{"prompt":["a","b"],"echo":true,`+
			`"max_tokens":2,"logprobs":1}}`))
	got := collected(t, server(), lines)
	web := httptest.NewServer(server())
	defer web.Close()
	ids := make(map[string]bool)
	for i, text := range lines {
		var l line
		var out output
		if err := errors.Join(json.Unmarshal(text, &l), json.Unmarshal(got[i].Text, &out)); err != nil {
			t.Fatal(err)
		}
		response, err := http.Post(web.URL+l.URL, "application/json", bytes.NewReader(l.Body))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(response.Body)
		if response.Body.Close(); err != nil || out.Response.StatusCode != http.StatusOK ||
			!bytes.Contains(got[i].Text, bytes.TrimSpace(want)) || *out.CustomID != l.CustomID || !got[i].OK {
			t.Errorf("line %d: %s; served: %s", i, got[i].Text, want)
		}
		ids[out.ID] = true
	}
	if bytes.Equal(got[0].Text, got[3].Text) || len(ids) != len(lines) {
		t.Errorf("%d of %d answers have an id of their own, want all", len(ids), len(lines))
	}
}

// echo answers with the body of the request, or with an error where that says "alone".
type echo struct{}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if bytes.Contains(body, []byte("falter")) {
		panic("of ours")
	}
	if bytes.Contains(body, []byte("alone")) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusTeapot)
		return
	}
	_, _ = w.Write(body)
}

// TestBadLines get an error of their own, and do not end the batch.
func TestBadLines(t *testing.T) {
	good := string(asking("good", "x", ""))
	cases := []struct{ line, code, want string }{
		{good, "", `"status_code":200`},
		{"nonsense", "invalid_json_line", "not a request"},
		{"\ufeff" + string(asking("marked", "x", "")), "", `"status_code":200`},
		{string(asking("bytes", "caf~", "")), "invalid_json_line", "0xe9"},
		{string(asking("half", "caf!", "")), "invalid_json_line", `\\ud800 is half a letter`},
		{`{"custom_id":"a"} {}`, "invalid_json_line", "after top-level value"},
		{`{"custom_id":"a","methd":"POST"}`, "invalid_json_line", "methd (did you mean method?)"},
		{`{"method":"POST"}`, "missing_custom_id", "custom_id"},
		{good, "duplicate_custom_id", "good"},
		{strings.Replace(string(asking("b", "x", "")), "POST", "GET", 1), "invalid_method", "POST"},
		{strings.Replace(string(asking("c", "x", "")), "completions", "completion", 1), "invalid_url", "did you mean"},
		{`{"custom_id":"d","method":"POST","url":"/v1/completions","body":"x"}`, "invalid_request", "object"},
		{`{"custom_id":"e","method":"POST","url":"/v1/completions"}`, "invalid_request", "object"},
		{string(asking("f", "x", `,"stream":true`)), "invalid_request", "stream"},
		{string(asking("g", "alone", "")), "", `"status_code":418`},
		{string(asking("h", "x", `,"stream":null`)), "", `"status_code":200`},
	}
	lines := [][]byte{}
	for _, c := range cases {
		line := strings.NewReplacer("caf~", "caf\xe9", "caf!", `caf\ud800`).Replace(c.line)
		lines = append(lines, []byte(line))
	}
	for i, a := range collected(t, &echo{}, lines) {
		var out struct {
			Error *struct{ Code, Message string }
		}
		if err := json.Unmarshal(a.Text, &out); err != nil || !strings.Contains(string(a.Text), cases[i].want) ||
			(out.Error == nil) != (cases[i].code == "") || out.Error != nil && out.Error.Code != cases[i].code {
			t.Errorf(`%s: refused with %q and the code %q ("" is none): %v, got %s`, lines[i], cases[i].want,
				cases[i].code, err, a.Text)
		}
		if a.OK != strings.Contains(string(a.Text), `"status_code":200`) {
			t.Errorf("%s: an answer is OK if its status is 200: OK is %v, want %v of %s", lines[i], a.OK, !a.OK, a.Text)
		}
	}
}

// TestEnds: a batch ends with the error of Done, or of its context, and does not answer what it then gives up.
func TestEnds(t *testing.T) {
	var lines [][]byte
	for i := range 20 {
		lines = append(lines, asking(fmt.Sprint(i), "x", ""))
	}
	full := errors.New("the disk is full")
	err := Run(t.Context(), &echo{}, lines, Options{Done: func(Answer) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var got []int
	err = Run(ctx, &echo{}, lines, Options{AtOnce: 1, Done: func(a Answer) error {
		if got = append(got, a.Line); len(got) == 3 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("what was under way when it was cancelled is told, lines 0 to 2: got %v, %v", got, err)
	}
}

// TestPanics: a panic in the handler is the error of its line, one of the caller's own ends the batch.
func TestPanics(t *testing.T) {
	lines := [][]byte{asking("a", "x", ""), asking("b", "falter", ""), asking("c", "y", "")}
	for i, a := range collected(t, &echo{}, lines) {
		bad := strings.Contains(string(a.Text), `"error":{"code":"internal_error","message":"internal error: of ours, at `+
			`batch.(*echo).ServeHTTP (batch_test.go:`)
		if bad != (i == 1) || a.OK == bad || a.Line != i {
			t.Errorf("%d: a panic is the error of its own line alone (%v, want %v): got %+v %s", i, bad, i == 1, a,
				a.Text)
		}
	}
	for _, lines := range [][][]byte{lines, {[]byte("nonsense")}} {
		t.Run(fmt.Sprintf("%d lines", len(lines)), func(t *testing.T) {
			err := Run(t.Context(), &echo{}, lines, Options{Done: func(Answer) error { panic("of the file") }})
			if b := (bug.Error{}); !errors.As(err, &b) || b.Value != "of the file" {
				t.Errorf("a panic in Done ends the batch with %v, want a bug.Error of \"of the file\"", err)
			}
		})
	}
}
