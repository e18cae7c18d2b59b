package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func drawAhead(n int) func(*Options) { return func(o *Options) { o.DrawAhead = n } }

// serial asks the same so often, one request after the other, and returns the answers.
func (s *started) serial(t *testing.T, body string, times int) (answers []string) {
	t.Helper()
	for range times {
		status, text := s.post(t, "/v1/chat/completions", body)
		if status != http.StatusOK {
			t.Fatalf("%v %v, want %v", status, text, http.StatusOK)
		}
		answers = append(answers, text)
	}
	return answers
}

// rests waits until nothing is computed.
func (s *started) rests(t *testing.T) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		s.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the server computes something a minute after the last answer")
	}
}

// TestDrawAhead: a client that asks the same again and again gets the answers that it gets without, whole and as a
// stream, with a stop text and with a grammar, and most of them were drawn before it asked.
func TestDrawAhead(t *testing.T) {
	for i, fields := range []string{`,"max_tokens":20`, `,"max_tokens":20,"stop":["e"],"stream":true`,
		`,"max_tokens":30,"logprobs":true,"top_logprobs":2,"response_format":{"type":"json_object"}`} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			body := asking(puzzle, fields)
			want := start(t).serial(t, body, 12)
			if slices.Equal(want[:6], want[6:]) {
				t.Fatal("the answers do not differ")
			}
			s := start(t, drawAhead(4))
			if diff := cmp.Diff(want, s.serial(t, body, 12)); diff != "" {
				t.Error(diff)
			}
			s.rests(t)
			// The first request is no repetition, and the second begins with what follows it.
			if began, used := s.tenants[0].Began.Load(), s.tenants[0].Used.Load(); used < 8 || began > used+4 {
				t.Errorf("%s: %d generations were begun ahead, %d of them were asked for", fields, began, used)
			}
		})
	}
}

// TestDrawAheadGivesWay: any other request ends what was begun ahead and unasked for, and itself begins nothing; who
// asks the same with seeds, or several choices, has nothing drawn ahead.
func TestDrawAheadGivesWay(t *testing.T) {
	s := start(t, drawAhead(8))
	long := asking(puzzle, `,"max_tokens":400,"ignore_eos":true`)
	for i, other := range []struct{ path, body string }{
		{"/v1/chat/completions", asking("Hello", `,"max_tokens":2`)},
		{"/v1/chat/completions", asking(puzzle, `,"max_tokens":2,"n":2`)},
		{"/v1/completions", `{"prompt":"one","max_tokens":0,"echo":true,"logprobs":1}`},
		{"/v1/embeddings", `{"input":"one"}`},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			short := strings.Replace(long, `:400`, fmt.Sprint(":", 10+i), 1)
			s.serial(t, short, 2)
			s.ahead.mu.Lock()
			left := len(s.ahead.drawn)
			s.ahead.mu.Unlock()
			if left != 8 {
				t.Fatalf("%d generations are drawn ahead, not 8", left)
			}
			began := s.tenants[0].Began.Load()
			if status, text := s.post(t, other.path, other.body); status != http.StatusOK {
				t.Fatalf("%v %v, want %v", status, text, http.StatusOK)
			}
			s.ahead.mu.Lock()
			left = len(s.ahead.drawn)
			s.ahead.mu.Unlock()
			if left != 0 || s.tenants[0].Began.Load() != began {
				t.Errorf("after %s %d generations are drawn ahead, and %d were begun", other.body, left,
					s.tenants[0].Began.Load()-began)
			}
		})
	}
	s.rests(t)
	before := s.tenants[0].Began.Load()
	for range 3 {
		for _, fields := range []string{`,"max_tokens":3,"seed":1`, `,"max_tokens":3,"n":2`,
			`,"max_tokens":3,"temperature":0`} {
			s.serial(t, asking(puzzle, fields), 1)
		}
	}
	if n := s.tenants[0].Began.Load() - before; n != 0 {
		t.Errorf("%d generations were begun ahead", n)
	}
}

// TestDrawAheadIsCancelled: what is under way when other work comes is ended, not only left aside.
func TestDrawAheadIsCancelled(t *testing.T) {
	s := start(t, drawAhead(3))
	const tokens = 1500
	body := asking(puzzle, fmt.Sprintf(`,"max_tokens":%d,"ignore_eos":true,"stream":true`, tokens))
	s.begins(t, body, 100)()
	s.rests(t)
	s.begins(t, body, 100)()
	s.serial(t, asking("Hello", `,"max_tokens":2`), 1)
	s.rests(t)
	if n := s.tenants[0].Began.Load(); n != 3 {
		t.Errorf("%d generations were begun ahead", n)
	}
	if n := s.engine.Stats().Decoded; n > 2*tokens {
		t.Errorf("%d tokens were drawn for requests that were given up", n)
	}
}

// TestDrawAheadOfOthers: while two clients ask, nothing is drawn ahead for either beyond what both ask for.
func TestDrawAheadOfOthers(t *testing.T) {
	s := start(t, drawAhead(4))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.post(t, "/v1/chat/completions", asking("Hello", `,"max_tokens":1500,"ignore_eos":true`))
	}()
	for running := 0; running == 0; running, _ = s.gate.Counts(0) {
		time.Sleep(time.Millisecond)
	}
	s.serial(t, asking(puzzle, `,"max_tokens":3`), 4)
	if running, _ := s.gate.Counts(0); running == 0 {
		t.Fatal("the long request ended before the others: nothing was seen")
	}
	if n := s.tenants[0].Began.Load(); n != 0 {
		t.Errorf("%d generations were begun ahead beside another client's request", n)
	}
	<-done
}
