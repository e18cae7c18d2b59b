package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// withoutMemory has a server that has no memory for more replies until the lease ends.
func withoutMemory(t testing.TB) (s *started, end func()) {
	s = start(t)
	all := s.replies.Lease(0)
	for size := s.replies.Most(); size > 0; {
		if all.Grow(size) != nil {
			size /= 2
		}
	}
	return s, all.End
}

// TestRefusedForMemory: a request for which there is no memory now costs nothing but its body: the next equal one is
// answered as if it had not been asked, and what can never be answered is told so.
func TestRefusedForMemory(t *testing.T) {
	s, end := withoutMemory(t)
	fresh := start(t)
	refused := 0
	bodies := map[string]string{}
	for i, fields := range []string{`,"max_tokens":8`, `,"max_tokens":8,"n":3`, ``, `,"max_completion_tokens":8,"n":2`,
		`,"max_tokens":8,"logprobs":true,"top_logprobs":5`, `,"max_tokens":8,"stream":true,"n":2`} {
		bodies[asking(fmt.Sprint(puzzle, i), `,"temperature":1`+fields)] = "/v1/chat/completions"
	}
	for i, fields := range []string{`,"max_tokens":8`, `,"n":3`, `,"max_tokens":0,"echo":true,"logprobs":1`} {
		bodies[fmt.Sprintf(`{"prompt":["Plums %d.","Pears."],"temperature":1%s}`, i, fields)] = "/v1/completions"
	}
	bodies[`{"input":"Plums.","max_output_tokens":8,"temperature":1}`] = "/v1/responses"
	bodies[`{"input":["Plums.","Pears."]}`] = "/v1/embeddings"
	for body, path := range bodies {
		for range 3 {
			if status, text := s.post(t, path, body); status != http.StatusTooManyRequests ||
				!strings.Contains(text, "requests under way: ") {
				t.Errorf("%s without memory for %s: %d %s, want %d with the bytes", path, body, status, text,
					http.StatusTooManyRequests)
			}
			refused++
		}
	}
	const chat = "/v1/chat/completions"
	if status, text := s.post(t, chat, asking(puzzle, `,"n":1000000`)); status != http.StatusBadRequest {
		t.Errorf("more choices than may be, without memory: %d %s, want %d", status, text, http.StatusBadRequest)
	}
	small := start(t, func(o *Options) { o.MaxInFlight = 4 << 20 })
	if status, text := small.post(t, chat, asking(puzzle, `,"n":128,"max_tokens":200`)); status !=
		http.StatusRequestEntityTooLarge {
		t.Errorf("more memory than there is in all: %d %s, want %d", status, text, http.StatusRequestEntityTooLarge)
	}
	end()
	for body, path := range bodies {
		_, want := fresh.post(t, path, body)
		if status, got := s.post(t, path, body); status != http.StatusOK || got != want {
			t.Errorf("%s after refusals of %s: %d %s, and %s by a server that refused none", path, body, status, got,
				want)
		}
	}
	if refused < 30 {
		t.Errorf("%d requests were refused, want at least 30", refused)
	}
}

// BenchmarkRefused is what a request costs that is refused for want of memory.
func BenchmarkRefused(b *testing.B) {
	s, end := withoutMemory(b)
	defer end()
	system := strings.Repeat("You debate a question with others, and give reasons for what you think. ", 8)
	body := asking(system+puzzle, `,"n":128,"max_tokens":200,"temperature":1`)
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/chat/completions",
			strings.NewReader(body))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusTooManyRequests {
			b.Fatal(w.Code, w.Body)
		}
	}
}
