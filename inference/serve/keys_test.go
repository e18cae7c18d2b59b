package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/session"
)

// twoKeys is a server for two people, of whom each can see in usage what was cached.
func twoKeys(o *Options) { o.Keys, o.PromptDetails = []string{"key-a", "key-b"}, true }

// as has a key ask, and returns the status and the answer.
func (s *started) as(t testing.TB, key, path, body string, header ...string) (status int, answer string) {
	t.Helper()
	return s.post(t, path, body, append(header, "Authorization", "Bearer "+key)...)
}

// pin is a prompt with a secret, of which more and more is known.
func pin(digits ...any) string {
	text, _ := json.Marshal("My PIN is" + strings.TrimSuffix(fmt.Sprintln(append([]any{""}, digits...)...), "\n"))
	return fmt.Sprintf(`{"prompt":%s,"max_tokens":1,"temperature":0}`, text)
}

// guess has key B find four digits of a prompt of somebody else, with ten guesses for each: the digit for which most
// was cached is taken.
func (s *started) guess(t *testing.T) (digits []any) {
	t.Helper()
	for range 4 {
		best, most := 0, -1
		for digit := range 10 {
			_, text := s.as(t, "key-b", "/v1/completions", pin(append(slices.Clone(digits), digit, "")...))
			var answer struct{ Usage usage }
			if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Usage.PromptDetails == nil {
				t.Fatalf("an answer tells how many tokens were cached: got %s (%v), want prompt_tokens_details", text,
					err)
			}
			if n := answer.Usage.PromptDetails.CachedTokens; n > most {
				best, most = digit, n
			}
		}
		digits = append(digits, best)
	}
	return digits
}

// TestGuesses: what another key has asked cannot be found by guessing it and looking whether it was cached; that can be
// done where the server shares prefixes.
func TestGuesses(t *testing.T) {
	secret := []any{7, 3, 9, 1}
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprint(shared), func(t *testing.T) {
			s := start(t, twoKeys, func(o *Options) { o.SharePrefixes = shared })
			s.as(t, "key-a", "/v1/completions", pin(append(secret, "and nobody knows it.")...))
			if got := s.guess(t); slices.Equal(got, secret) != shared {
				t.Errorf("with prefixes shared %v, what another key asked was guessed as %v, want %v found only where "+
					"they are shared", shared, got, secret)
			}
		})
	}
}

// observes has key B ask, and key A do something before each request. It returns all that B is told.
func (s *started) observes(t *testing.T, does func(*testing.T, *started)) (all []string) {
	t.Helper()
	for _, body := range []string{asking(puzzle, `,"max_tokens":6`), asking(puzzle, `,"max_tokens":6`),
		asking(puzzle, `,"max_tokens":6`), asking(puzzle, `,"max_tokens":60,"temperature":0,"ignore_eos":true`)} {
		does(t, s)
		_, text := s.as(t, "key-b", "/v1/chat/completions", body, session.Header, "alice")
		_, metrics := s.get(t, "/metrics", "Authorization", "Bearer key-b")
		all = append(all, text, metrics)
	}
	return all
}

// TestKeyIsToldOfItselfAlone: whatever key A does, before or meanwhile, key B gets the same texts, usage and metrics: A
// asks for the same in a session of the same name, has it kept in the journal, ends the session, or has an equal reply
// under way.
func TestKeyIsToldOfItselfAlone(t *testing.T) {
	asks := func(t *testing.T, s *started) {
		if status, text := s.as(t, "key-a", "/v1/chat/completions", asking(puzzle, `,"max_tokens":6`), session.Header,
			"alice"); status != http.StatusOK {
			t.Errorf("a request of a key in a session got %d %s, want 200", status, text)
		}
	}
	var want []string
	for _, c := range []struct {
		name string
		does func(t *testing.T, s *started)
	}{
		{"nothing", func(*testing.T, *started) {}},
		{"asks", asks},
		{"asks as a user", func(t *testing.T, s *started) {
			s.as(t, "key-a", "/v1/chat/completions", asking(puzzle, `,"max_tokens":6,"user":"alice"`))
		}},
		{"ends the session", func(t *testing.T, s *started) {
			r, _ := http.NewRequest(http.MethodDelete, s.url+"/sessions/alice", nil)
			if status, _ := s.do(t, r, "Authorization", "Bearer key-a"); status != http.StatusNoContent {
				t.Error(status)
			}
		}},
		{"has an equal one under way", func(t *testing.T, s *started) {
			t.Cleanup(s.begins(t, asking(puzzle, `,"max_tokens":60,"temperature":0,"ignore_eos":true,"stream":true`),
				500, "Authorization", "Bearer key-a"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, twoKeys, func(o *Options) { o.Journal = &kept{all: make(map[string]generation.Record)} })
			got := s.observes(t, c.does)
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("whatever another key does, a key is told the same (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRoomBelongsToItsKey: a key that has as many requests as may wait, in whichever sessions, takes no room from
// another; the length of a session's name is bounded.
func TestRoomBelongsToItsKey(t *testing.T) {
	s := start(t, twoKeys, inference.Parallel(2), func(o *Options) { o.MaxWaiting = 10 })
	for range 3 {
		t.Cleanup(s.begins(t, asking(puzzle, `,"max_tokens":1500,"ignore_eos":true,"n":4,"stream":true`), 100,
			"Authorization", "Bearer key-a"))
	}
	for _, c := range []struct {
		key, name string
		n, want   int
	}{
		{"key-a", "", 9, http.StatusTooManyRequests}, {"key-a", "other", 1, http.StatusTooManyRequests},
		{"key-b", "", 9, http.StatusOK}, {"key-b", strings.Repeat("x", 256), 1, http.StatusOK},
		{"key-b", strings.Repeat("x", 257), 1, http.StatusBadRequest},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.key, c.name), func(t *testing.T) {
			body := asking("Hello", fmt.Sprintf(`,"max_tokens":2,"n":%d,"user":%q`, c.n, c.name))
			if status, text := s.as(t, c.key, "/v1/chat/completions", body); status != c.want {
				t.Errorf("%d %s, want %d", status, text, c.want)
			}
		})
	}
}

// TestBesideAnother: however much another key asks for, in many choices or many sessions, a reply takes about twice
// what it takes alone, counted in steps, which cost as much as eight tokens, and tokens.
func TestBesideAnother(t *testing.T) {
	for _, many := range []string{"choices", "sessions"} {
		t.Run(many, func(t *testing.T) {
			s := start(t, twoKeys, inference.Parallel(16))
			asked := 0
			cost := func() (all []int) {
				for range 7 {
					before := s.engine.Stats()
					asked++
					status, text := s.as(t, "key-b", "/v1/chat/completions", asking(fmt.Sprint("Number ", asked),
						`,"max_tokens":10,"ignore_eos":true`))
					if status != http.StatusOK {
						t.Fatalf("a request beside another key's got %d %s, want 200", status, text)
					}
					after := s.engine.Stats()
					all = append(all, 8*(after.Steps-before.Steps)+after.Rows-before.Rows)
				}
				slices.Sort(all)
				return all
			}
			alone := cost()
			for i := range 12 {
				fields, name := `,"max_tokens":1500,"ignore_eos":true,"stream":true,"n":64`, "one"
				if many == "sessions" {
					fields, name = strings.Replace(fields, "64", "4", 1), fmt.Sprint(i)
				}
				t.Cleanup(s.begins(t, asking(fmt.Sprint(puzzle, i), fields), 100, "Authorization", "Bearer key-a",
					session.Header, name))
			}
			beside := cost()
			t.Logf("alone %d, beside another key %d", alone, beside)
			if beside[3] > 5*alone[3]/2 {
				t.Errorf("alone a reply costs %d, beside another key %d, want the last at most 2.5 times as much",
					alone, beside)
			}
		})
	}
}

// TestPreparingBesideAnother: however many requests of another key are to be read and tokenized, one that comes later
// is prepared beside them, and not after them. What is counted is how many of the others are answered meanwhile.
func TestPreparingBesideAnother(t *testing.T) {
	s := start(t, twoKeys)
	const many = 40
	first, err := s.turns.Admit(0, make([]string, runtime.GOMAXPROCS(0)))
	if err != nil {
		t.Fatal(err)
	}
	heavy := `{"tokens":` + listed(80_000, "1") + `}`
	var answered atomic.Int64
	var group sync.WaitGroup
	for range many {
		group.Go(func() {
			if status, text := s.as(t, "key-a", "/detokenize", heavy); status != http.StatusOK {
				t.Errorf("a heavy request got %d %.200s, want 200", status, text)
			}
			answered.Add(1)
		})
	}
	for waiting := 0; waiting < many; _, waiting = s.turns.Counts(0) {
		time.Sleep(time.Millisecond)
	}
	for _, turn := range first {
		s.turns.Leave(turn)
	}
	before := answered.Load()
	if status, text := s.as(t, "key-b", "/tokenize", `{"prompt":"Hi"}`); status != http.StatusOK {
		t.Errorf("a request beside heavy ones of another key got %d %s, want 200", status, text)
	}
	// each processor may answer the two that it has begun
	if n := int(answered.Load() - before); n > 2*runtime.GOMAXPROCS(0)+2 {
		t.Errorf("%d of %d requests of another key were answered first, want at most %d", n, many,
			2*runtime.GOMAXPROCS(0)+2)
	}
	group.Wait()
	for key := range 2 {
		if running, waiting := s.turns.Counts(key); running+waiting != 0 {
			t.Errorf("key %d has %d turns and waits for %d in the end, want none", key, running, waiting)
		}
	}
}

// crowded is a journal that notes how many read it at once.
type crowded struct {
	kept
	now, most, reads atomic.Int32
}

// Known implements Journal.
func (c *crowded) Known(key string) (generation.Record, bool) {
	now := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
		continue
	}
	c.reads.Add(1)
	time.Sleep(20 * time.Millisecond)
	return c.kept.Known(key)
}

// TestKeptAreReadInTurn: replies of a journal, each of which takes memory while it is read, are read a few at a time;
// those of another key are read at once.
func TestKeptAreReadInTurn(t *testing.T) {
	journal := &crowded{kept: kept{all: make(map[string]generation.Record)}}
	s := start(t, twoKeys, func(o *Options) { o.Journal = journal })
	flood := `{"prompt":"One","max_tokens":1,"n":100,"seed":1}`
	for range 2 { // the second time all are there
		var group sync.WaitGroup
		group.Go(func() {
			if status, text := s.as(t, "key-a", "/v1/completions", flood); status != http.StatusOK {
				t.Errorf("a flood of kept replies got %d %s, want 200", status, text)
			}
		})
		for journal.now.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		begun := journal.reads.Load()
		status, text := s.as(t, "key-b", "/v1/completions", `{"prompt":"Two","max_tokens":1}`)
		if status != http.StatusOK {
			t.Errorf("a request beside a flood of another key got %d %s, want 200", status, text)
		}
		if between := int(journal.reads.Load() - begun); between > 60 {
			t.Errorf("%d of the flood were read before another key was answered, want at most 60", between)
		}
		group.Wait()
	}
	if most, reads := int(journal.most.Load()), journal.reads.Load(); most > runtime.GOMAXPROCS(0)+1 || reads != 202 {
		t.Errorf("%d of %d reads at once, want at most %d", most, reads, runtime.GOMAXPROCS(0)+1)
	}
}

// TestEmbeddingsWaitTheirTurn: a text to embed waits in the line of its key until a place is free, and in no other;
// there is as much room to wait as for choices, and a client that goes leaves the line.
func TestEmbeddingsWaitTheirTurn(t *testing.T) {
	s := start(t, twoKeys, inference.Parallel(2), func(o *Options) { o.MaxWaiting = 3 })
	busy, err := s.gate.Admit(0, make([]string, 2)) // all places, by key A
	if err != nil {
		t.Fatal(err)
	}
	const two = `{"input":["a","b"]}`
	ctx, hangUp := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() {
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+vectorPath, strings.NewReader(two))
		r.Header.Set("Authorization", "Bearer key-a")
		_, err := http.DefaultClient.Do(r)
		asked <- err
	}()
	s.waits(t, 2)
	for _, c := range []struct {
		name, key, body string
		want            int
	}{
		{"no room in the line of the key", "key-a", `{"input":["c","d","e"]}`, http.StatusTooManyRequests},
		{"another key", "key-b", `{"input":"c"}`, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			if status, text := s.as(t, c.key, vectorPath, c.body); status != c.want {
				t.Errorf("%d %.200s, want %d", status, text, c.want)
			}
		})
	}
	hangUp()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the request to wait until its client goes", err)
	}
	s.waits(t, 0)
	for _, ticket := range busy {
		s.gate.Leave(ticket)
	}
	if status, text := s.as(t, "key-a", vectorPath, two); status != http.StatusOK {
		t.Errorf("%d %.200s once there are places, want %d", status, text, http.StatusOK)
	}
	if running, waiting := s.gate.Counts(0); running != 0 || waiting != 0 {
		t.Errorf("%d run and %d wait in the end, want none", running, waiting)
	}
}

// waits returns when so many of key A wait for a place.
func (s *started) waits(t *testing.T, want int) {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		_, waiting := s.gate.Counts(0)
		if waiting == want {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d wait, want %d", waiting, want)
		}
	}
}

// TestBatchWaitsForMemory: where there is memory for one request at a time, those of a caller of WithTurn get it one
// after the other, and only one that needs more than there is in all is refused.
func TestBatchWaitsForMemory(t *testing.T) {
	s := start(t, inference.Parallel(4), func(o *Options) { o.MaxInFlight = 1 << 20 })
	const fields = `,"grammar":"root ::= \"a\"","max_tokens":`
	var group sync.WaitGroup
	for i, want := range []int{200, 200, 200, 413, 200, 200, 200, 200} {
		most := 2000
		if want == http.StatusRequestEntityTooLarge {
			most = 4000
		}
		body := asking(fmt.Sprint(i), fmt.Sprint(fields, most))
		group.Go(func() {
			r := httptest.NewRequest(http.MethodPost, chatPath, strings.NewReader(body))
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r.WithContext(WithTurn(t.Context(), func(string) {})))
			if w.Code != want {
				t.Errorf("request %d: %d %.200s, want %d", i, w.Code, w.Body, want)
			}
		})
	}
	group.Wait()
}

// TestMemoryBelongsToItsKey: however much one key has under way, a request of another finds memory.
func TestMemoryBelongsToItsKey(t *testing.T) {
	s := start(t, twoKeys, func(o *Options) { o.MaxInFlight = 64 << 20 })
	for {
		if s.bodies.Lease(0).Grow(1<<20) != nil || s.replies.Lease(0).Grow(1<<20) != nil {
			break
		}
	}
	for s.replies.Lease(0).Grow(1<<10) == nil { // all that key A can have
	}
	for path, body := range map[string]string{chatPath: asking("Hi", `,"max_tokens":64`),
		vectorPath: `{"input":"Hi"}`} {
		t.Run(path, func(t *testing.T) {
			if status, text := s.as(t, "key-a", path, body); status != http.StatusTooManyRequests {
				t.Errorf("key A: %d %s, want %d", status, text, http.StatusTooManyRequests)
			}
			if status, text := s.as(t, "key-b", path, body); status != http.StatusOK {
				t.Errorf("key B: %d %s, want %d", status, text, http.StatusOK)
			}
		})
	}
}
