package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// upTo are options for tests with so many choices, one request after the other.
func upTo(choices int) Options {
	o := fast()
	o.Choices, o.Parallel = choices, 1
	return o
}

// counts are the choices of each request that a server got; 0 is one without n.
func (f *fake) counts() (list []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, body := range f.bodies {
		n, _ := body["n"].(float64)
		list = append(list, int(n))
	}
	return list
}

// TestChoices: requests of one call that differ in their seeds alone go as choices of as few requests as there can be,
// under the seed of the first; others go alone. Each reply says how it was drawn, and the counts are those of requests.
func TestChoices(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	e, kept := open(t, upTo(4), f)
	requests := alike(10)
	greedy, grammar := alike(11)[10:], alike(14)[12:]
	greedy[0].Sampling.Temperature = 0
	for i := range grammar {
		grammar[i].Grammar = "root ::= [a]"
	}
	requests = slices.Concat(requests, greedy, grammar, questions(2)[1:])
	replies, err := ask(t.Context(), e, requests)
	if err != nil {
		t.Fatal(err)
	}
	sent := f.counts()
	if slices.Sort(sent); !slices.Equal(sent, []int{0, 0, 2, 2, 4, 4}) {
		t.Errorf("choices of requests: %v, want %v", sent, []int{0, 0, 2, 2, 4, 4})
	}
	for i, r := range replies {
		var want *inference.Choice
		switch {
		case i < 8:
			want = &inference.Choice{Index: i % 4, Of: 4, Seed: uint64(i / 4 * 4)}
		case i < 10:
			want = &inference.Choice{Index: i % 2, Of: 2, Seed: 8}
		case i >= 11 && i < 13:
			want = &inference.Choice{Index: (i + 1) % 2, Of: 2, Seed: 12}
		}
		if diff := cmp.Diff(want, r.Choice); diff != "" || r.Key != e.key(t, requests[i]) {
			t.Errorf("%d: the key is %s (want %s); the choice (-want +got):\n%s", i, r.Key, e.key(t, requests[i]),
				diff)
		}
	}
	checkRecords(t, kept, replies)
	want := inference.Stats{Generations: 14, PromptAsked: 14 * 9, PromptComputed: 2*(9-4) + 4*9,
		Decoded: 6*3 + 2*(4+5+6) + 2*4, PeakSequences: 4}
	if diff := cmp.Diff(want, e.Stats(), cmpopts.IgnoreFields(want, "DecodeDuration")); diff != "" {
		t.Errorf("so many requests and choices are sent (-want +got):\n%s", diff)
	}
	again, err := ask(t.Context(), e, requests)
	if diff := cmp.Diff(replies, again); err != nil || diff != "" || f.asked.Load() != 6 {
		t.Errorf("asked again: %d requests in all (%v), want 6 and the same replies (-first +again):\n%s",
			f.asked.Load(), err, diff)
	}
	if about := e.Model().About(); !strings.Contains(about, "for up to 4 replies at once") {
		t.Errorf(`%v, want a text with "for up to 4 replies at once"`, about)
	}
}

// held is a fault that waits for a channel, and then has the server answer.
func held(arrived chan<- bool, finish <-chan bool) faulty {
	return func(w http.ResponseWriter, through func(http.ResponseWriter)) {
		close(arrived)
		<-finish
		through(w)
	}
}

// gathered waits until so many jobs wait in choices.
func (e *Engine) gathered(n int) {
	for {
		e.mu.Lock()
		jobs := 0
		for _, c := range e.gathering {
			jobs += len(c.jobs)
		}
		e.mu.Unlock()
		if jobs == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestChoicesGather: a lone request is sent at once, and without n. What others ask while it has the only place gathers
// and goes as one request. When the engine is stopped, what has gathered is not sent.
func TestChoicesGather(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprint(stopped), func(t *testing.T) {
			f := start(t, vLLM)
			arrived, finish := make(chan bool), make(chan bool)
			f.faults = []faulty{held(arrived, finish)}
			o := upTo(50)
			o.Grace = time.Minute
			e, kept := open(t, o, f)
			requests, done := alike(6), make(chan error)
			each := func(r inference.Request) {
				_, err := ask(context.Background(), e, []inference.Request{r})
				done <- err
			}
			go each(requests[0])
			<-arrived
			for _, r := range requests[1:] {
				go each(r)
			}
			e.gathered(5)
			enough := errors.New("enough")
			if stopped {
				e.refuse(enough)
			}
			close(finish)
			failed := 0
			for range requests {
				if err := <-done; err != nil {
					if failed++; !errors.Is(err, enough) {
						t.Errorf("%v, want %v", err, enough)
					}
				}
			}
			want, recorded := []int{0, 5}, 6
			if stopped {
				want, recorded = []int{0}, 1
			}
			if sent := f.counts(); !slices.Equal(sent, want) || len(kept.all) != recorded || failed != 6-recorded {
				t.Errorf("stopped %v: choices %v, %d recorded and %d failed, want %v, %d and %d", stopped, sent,
					len(kept.all), failed, want, recorded, 6-recorded)
			}
			checkRecords(t, kept, nil)
		})
	}
}

// faultsOfChoices are answers that do not have the choices asked for, by what the error says of them.
var faultsOfChoices = map[string]faulty{
	"3 choices, where 4 were asked for": changed(`"choices":\[\{.*?"assistant"\}\},`, `"choices":[`),
	"5 choices, where 4 were asked for": changed(`"choices":\[(\{.*?"assistant"\}\},)`, `"choices":[$1$1`),
	"1 choices, where 4 were asked for": changed(`"choices":\[.*\],"model"`, `"choices":[{"index":0}],"model"`),
	"a choice has the number 1,":        changed(`"index":2`, `"index":1`),
	"a choice has the number 4,":        changed(`"index":2`, `"index":4`),
	"a choice has the number -1,":       changed(`"index":2`, `"index":-1`),
	"4 choices have 3 tokens":           changed(`"completion_tokens":18`, `"completion_tokens":3`),
	"4 choices have 19 tokens":          changed(`"completion_tokens":18`, `"completion_tokens":19`),
	"the log-probabilities of 0,":       changed(`"logprobs"`, `"logprops"`),
	"the log-probabilities of 14,":      changed(`stop","index":2`, `abort","index":2`),
	"4 choices have 18 tokens":          changed(`stop","index":2`, `length","index":2`),
	"is not the JSON":                   changed(`"finish_reason":"stop"`, `"finish_reason":["a"]`),
}

// TestFaultsOfChoices: a fault concerns all choices of a request, which is sent again as it was. No other reply is
// recorded, and none twice. A server that never gets better ends in an error without a record.
func TestFaultsOfChoices(t *testing.T) {
	t.Parallel()
	faults := map[string]faulty{}
	for _, name := range []string{"cut", "reset", "no answer", "not HTTP", "half JSON", "busy", "gateway", "none",
		"number", "no usage", "no text"} {
		faults["passing: "+name] = passing[name]
	}
	for name, fault := range faultsOfChoices {
		faults[name] = fault
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t, vLLM)
			f.faults = []faulty{fault, fault}
			o := upTo(4)
			o.Patience = time.Second // the server has to be asked twice in vain on a busy machine too
			e, kept := open(t, o, f)
			replies, err := ask(t.Context(), e, alike(8))
			if err != nil {
				t.Fatal(err)
			}
			checkRecords(t, kept, replies)
			if sent := f.counts(); !slices.Equal(sent, []int{4, 4, 4, 4}) || e.Retried() != 2 || len(kept.all) != 8 {
				t.Errorf("choices %v, %d retries, %d records; want %v, 2 and 8",
					sent, e.Retried(), len(kept.all), []int{4, 4, 4, 4})
			}
			for range 1000 {
				f.faults = append(f.faults, fault)
			}
			if _, err = ask(t.Context(), e, alike(12)[8:]); err == nil || len(kept.all) != 8 ||
				faultsOfChoices[name] != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("a faulty answer got the error %v with %d records, want %q in it and 8", err, len(kept.all),
					name)
			}
		})
	}
}

// TestChoicesRefused: programs of which it is not known that they draw choices apart and count their tokens are refused
// by name, before anything is asked. A server that takes fewer choices ends the run with advice.
func TestChoicesRefused(t *testing.T) {
	t.Parallel()
	for _, program := range []string{sgLang, llamaServer, ollama, openAI} {
		t.Run(program, func(t *testing.T) {
			f := start(t, program)
			_, err := Open(t.Context(), f.URL+"#m", upTo(2))
			if err == nil || !strings.Contains(err.Error(), "of "+program+" that is not known: leave --choices out") ||
				f.asked.Load() > 0 {
				t.Errorf("%s, which has no choices: %v after %d requests, want an error and none", program, err,
					f.asked.Load())
			}
			if _, err := Open(t.Context(), f.URL+"#m", upTo(1)); err != nil {
				t.Error(err)
			}
		})
	}
	f := start(t, vLLM)
	fewer := status(400, `{"error":{"message":"n 4: must be from 1 to 3"}}`)
	f.faults = []faulty{fewer, fewer} // of any question
	e, kept := open(t, upTo(4), f)
	_, err := ask(t.Context(), e, alike(4))
	if err == nil || !strings.Contains(err.Error(), "must be from 1 to 3; it was asked for 4 replies at once") ||
		len(kept.all) > 0 {
		t.Errorf("a server that refuses 4 choices got the error %v and %d records, want what it said and none", err,
			len(kept.all))
	}
}

// TestExchangeOfChoices reads what vLLM 0.32.0 said when the embedded model was asked who it is, for two choices of at
// most twelve tokens at temperature 2: one ended, the other was cut off.
func TestExchangeOfChoices(t *testing.T) {
	t.Parallel()
	text := datatest.Read(t, "testdata/exchanges/vllm-choices.json")
	f := start(t, vLLM)
	f.faults = []faulty{status(200, string(text))}
	e, _ := open(t, upTo(2), f)
	s := e.pool.servers[0]
	s.about.model = "tiny"
	requests := alike(2)
	requests[0].MaxTokens, requests[1].MaxTokens = 12, 12
	replies, err := ask(t.Context(), e, requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []inference.Reply{
		{Text: "I am a tiny model and[)", Stop: inference.StopEnd, Tokens: 9},
		{Text: "I am a tiny model am a tiny model trained on ordering", Stop: inference.StopLength, Tokens: 12,
			CachedTokens: 17},
	} {
		t.Run(want.Text, func(t *testing.T) {
			got := replies[i]
			want.PromptTokens, want.Choice = 17, &inference.Choice{Index: i, Of: 2}
			want.Key, want.Duration, want.LogProb = got.Key, got.Duration, got.LogProb
			if diff := cmp.Diff(want, got); diff != "" || got.LogProb >= 0 || got.LogProb < -99 {
				t.Errorf("%d: a choice has a probability between e^-99 and 1, got the log %g; the reply (-want "+
					"+got):\n%s", i, got.LogProb, diff)
			}
		})
	}
}

// TestChoicesResume ends an engine within the records of its second request. Another asks for what is missing alone,
// and has the recorded replies as they were.
func TestChoicesResume(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	kept, killed := &records{}, errors.New("killed")
	o := upTo(6)
	o.Generation = func(g inference.Generation) error {
		if len(kept.all) == 7 {
			return killed
		}
		return kept.add(g)
	}
	first, err := Open(t.Context(), f.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	requests := alike(12)
	if _, err := ask(t.Context(), first, requests); !errors.Is(err, killed) {
		t.Fatalf("%v, want %v", err, killed)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	before := len(f.counts())
	recorded := make(map[string]inference.Reply)
	for _, g := range kept.all {
		text, err := json.Marshal(g.Reply)
		var reply inference.Reply
		if err = errors.Join(err, json.Unmarshal(text, &reply)); err != nil {
			t.Fatal(err)
		}
		recorded[reply.Key] = reply
	}
	o = upTo(6)
	o.Known = func(key string) (inference.Reply, bool) {
		r, known := recorded[key]
		return r, known
	}
	second, more := open(t, o, f)
	replies, err := ask(t.Context(), second, requests)
	if err != nil {
		t.Fatal(err)
	}
	if sent := f.counts()[before:]; before != 2 || len(recorded) != 7 || !slices.Equal(sent, []int{5}) ||
		len(more.all) != 5 {
		t.Errorf("%d requests, %d recorded, then choices %v, %d more; want 2, 7, %v and 5",
			before, len(recorded), sent, len(more.all), []int{5})
	}
	for i, r := range replies {
		if was, known := recorded[r.Key]; known {
			if diff := cmp.Diff(was, r); diff != "" {
				t.Errorf("%d: a resumed reply is the recorded one (-want +got):\n%s", i, diff)
			}
		}
	}
	more.all = append(more.all, kept.all...)
	checkRecords(t, more, replies)
}

// TestAnyChoices asks at random, from several participants, for equal prompts and others. With one choice, all that is
// sent and recorded is what an engine without choices sends and records. With more, each reply is recorded once, and
// the choices of each request are all there.
func TestAnyChoices(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	rapid.Check(t, func(t *rapid.T) {
		var calls [][]inference.Request
		for range rapid.IntRange(1, 4).Draw(t, "participants") {
			var call []inference.Request
			for range rapid.IntRange(0, 9).Draw(t, "requests") {
				r := questions(3)[rapid.IntRange(0, 2).Draw(t, "question")]
				r.Sampling.Seed = rapid.Uint64Range(0, 20).Draw(t, "seed")
				call = append(call, r)
			}
			calls = append(calls, call)
		}
		parallel, most := rapid.IntRange(1, 3).Draw(t, "parallel"), rapid.IntRange(2, 6).Draw(t, "choices")
		plain, records, _ := allOf(t, f, Options{Parallel: parallel}, calls)
		bodies, same, _ := allOf(t, f, Options{Parallel: parallel, Choices: 1}, calls)
		if diff := cmp.Diff(plain, bodies) + cmp.Diff(records, same); diff != "" ||
			strings.Contains(strings.Join(append(plain, records...), ""), `"choice"`) {
			t.Errorf("with one choice a request, bodies and records are those without choices (-without +with):\n%s",
				diff)
		}
		several, _, kept := allOf(t, f, Options{Parallel: parallel, Choices: most}, calls)
		drawn := make(map[string]bool)
		for _, g := range kept {
			c := g.Reply.Choice
			if c == nil {
				c = &inference.Choice{Of: 1, Seed: g.Sampling.Seed}
			}
			drawn[fmt.Sprint(g.Messages, c.Seed, c.Index, " of ", c.Of)] = true
			if c.Of > most {
				t.Errorf("%d choices, want at most %v", c.Of, most)
			}
		}
		sum := 0
		for _, text := range several {
			var body map[string]any
			_ = json.Unmarshal([]byte(text), &body)
			sum += askedIn(body)
		}
		if len(kept) != len(records) || len(drawn) != len(kept) || sum != len(kept) || len(several) > len(plain) {
			t.Errorf("%d records, %d of them different, of %d requests for %d replies; want %d", len(kept), len(drawn),
				len(several), sum, len(records))
		}
	})
}

// allOf has an engine asked by several participants at once. It returns what was sent and what was recorded, sorted.
func allOf(t *rapid.T, f *fake, o Options, calls [][]inference.Request) (bodies, lines []string,
	kept []inference.Generation) {
	f.mu.Lock()
	f.bodies = nil
	f.mu.Unlock()
	all := &records{}
	o.Generation = all.add
	e, err := Open(context.Background(), f.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for _, call := range calls {
		go func() {
			_, err := ask(context.Background(), e, call)
			done <- err
		}()
	}
	for range calls {
		err = errors.Join(err, <-done)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	for _, body := range f.bodies {
		text, _ := json.Marshal(body)
		bodies = append(bodies, string(text))
	}
	for _, g := range all.all {
		text, _ := json.Marshal([]any{g.Messages, g.Sampling, g.Reply})
		lines = append(lines, string(text))
	}
	slices.Sort(bodies)
	slices.Sort(lines)
	return bodies, lines, all.all
}
