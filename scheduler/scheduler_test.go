package scheduler

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix/prefixtest"
)

// run steps until nothing is left and returns the jobs in the order in which they were done.
func run(t tester, s *Scheduler, e Engine) (done []*Job) {
	t.Helper()
	return runBesideTwin(t, s, e, nil)
}

// runBesideTwin is run that also compares the tree with its naive twin at every fifth step, unless saw is nil.
func runBesideTwin(t tester, s *Scheduler, e Engine, saw *prefixtest.Sightings) (done []*Job) {
	t.Helper()
	for steps := 0; !s.Idle(); steps++ {
		plan := s.Next()
		checkInvariants(t, s)
		if saw != nil && steps%5 == 0 {
			if err := compareWithTwin(s, saw); err != nil {
				t.Fatal(err)
			}
		}
		var sampled []step.Sampled
		if !plan.empty() {
			var err error
			if sampled, err = e.Step(context.Background(), plan); err != nil {
				t.Fatal(err)
			}
		}
		done = append(done, s.Apply(plan, sampled)...)
		checkInvariants(t, s)
		if steps > 100_000 {
			t.Fatal("no end in sight")
		}
	}
	return done
}

func checkInvariants(t tester, s *Scheduler) {
	t.Helper()
	if err := s.verify(); err != nil {
		t.Fatal(err)
	}
}

// TestVerify sees damage of every kind.
func TestVerify(t *testing.T) {
	for name, damage := range map[string]func(s *Scheduler){
		"private":  func(s *Scheduler) { s.private-- },
		"places":   func(s *Scheduler) { s.live[0].job.party.running++ },
		"promised": func(s *Scheduler) { s.options.Cells = 3 },
		"off its path": func(s *Scheduler) {
			s.live[0].leaf = s.tree.Grow(3, s.tree.Root(), 0, []step.Token{1, 2, 3})
		},
		"a shorter path": func(s *Scheduler) { s.live[0].leaf = s.tree.Root() },
		"another token":  func(s *Scheduler) { s.live[0].job.committed = []step.Token{9, 9, 9} },
		"more than reserved": func(s *Scheduler) {
			s.live[0].job.reserved, s.reserved = -1,
				s.reserved-s.live[0].job.reserved-1
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Cells: 100, Sequences: 4, Live: 4, Batch: 32}
			s, e := mustNew(t, o), newFakeEngine(t, o)
			s.Submit(Request{Prompt: []step.Token{1, 2, 3}, MaxTokens: 9, Sampling: step.Sampling{IgnoreEnd: true}})
			for range 3 {
				plan := s.Next()
				sampled, _ := e.Step(t.Context(), plan)
				s.Apply(plan, sampled)
			}
			if err := s.verify(); err != nil {
				t.Fatal(err)
			}
			if damage(s); s.verify() == nil {
				t.Errorf("%s: the damage was not seen, want an error", name)
			}
		})
	}
}

func mustNew(t tester, o Options) *Scheduler {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBatchingChangesNothing draws any mixture of requests, among them equal ones, equal prompts, prefixes of each
// other and continuations of earlier replies, and demands of each exactly what it gives alone on an engine without a
// cache.
func TestBatchingChangesNothing(t *testing.T) {
	var saved, joined, evicted, full, scored, coupled, preempted, drafted, accepted, put int
	var saw prefixtest.Sightings
	blind := func() bool {
		return coupled*preempted*accepted == 0 || drafted <= accepted || saved == 0 || joined == 0 || evicted == 0 ||
			full == 0 || scored == 0 || put == 0 || saw.Blind()
	}
	prefixtest.CheckUntilSeen(t, blind, func(t *rapid.T) {
		live := rapid.IntRange(1, 6).Draw(t, "live")
		o := Options{
			Live: live, Sequences: live + rapid.IntRange(0, 4).Draw(t, "more sequences"),
			Batch: live + rapid.IntRange(0, 10).Draw(t, "more rows"), Cells: rapid.IntRange(20, 120).Draw(t, "cells"),
			StepCost: rapid.SampledFrom([]float64{0, 0.5, 100}).Draw(t, "step cost"),
			Slack:    rapid.IntRange(0, 3).Draw(t, "slack"),
		}
		o.Width = rapid.SampledFrom([]int{0, 1, o.Batch}).Draw(t, "width")
		s, e := mustNew(t, o), newFakeEngine(t, o)
		more, behind := serveWaves(t, s, e, func() { runBesideTwin(t, s, e, &saw) })
		scored, put = scored+more, put+behind
		stats := s.Stats()
		saved += stats.PromptAsked - stats.PromptComputed
		joined += stats.Joined
		coupled += e.coupled
		preempted += stats.Preempted
		drafted += stats.Drafted
		accepted += stats.Accepted
		full += min(1, max(0, stats.PeakSequences-live+1))
		evicted += strings.Count(strings.Join(e.trace, ""), ":-1]")
	})
	if blind() {
		t.Errorf("coupled %d, preempted %d, drafted %d, accepted %d, saved %d, joined %d, evicted %d, full %d, "+
			"scored %d, put %d, %+v: the test saw nothing", coupled, preempted, drafted, accepted, saved, joined,
			evicted, full, scored, put, saw)
	}
}

// serveWaves hands in requests, some of which go on from earlier ones, and cancels some. It compares each result with
// that of the request alone, and returns how many tokens were forced, and how many were put behind others that more
// followed.
func serveWaves(t *rapid.T, s *Scheduler, e *fakeEngine, serve func()) (scored, put int) {
	var earlier [][]step.Token
	parties := rapid.Bool().Draw(t, "several parties")
	for wave := range rapid.IntRange(1, 4).Draw(t, "waves") {
		var jobs []*Job
		for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
			r := drawRequest(t, earlier, wave*100+i)
			if parties {
				r.Party = rapid.IntRange(0, 5).Draw(t, "party")
			}
			jobs = append(jobs, s.Submit(limited(r)))
			if rapid.IntRange(0, 3).Draw(t, "asked again") == 0 {
				jobs = append(jobs, s.Submit(limited(r)))
			}
		}
		doomed := jobs[rapid.IntRange(0, len(jobs)-1).Draw(t, "doomed")]
		if rapid.Bool().Draw(t, "cancel") {
			plan := s.Next()
			sampled, _ := e.Step(context.Background(), plan)
			s.Apply(plan, sampled)
			s.Cancel(doomed)
		} else {
			doomed = nil
		}
		serve()
		for _, job := range jobs {
			scored += len(job.Forced)
			want := alone(job.Request)
			switch tooLong := len(job.Prompt)+job.MaxTokens > s.options.Cells; {
			case job == doomed && errors.Is(job.Result.Err, ErrCancelled):
			case tooLong != errors.Is(job.Result.Err, ErrTooLong):
				t.Fatalf("%d+%d tokens in %d cells ended with the error %v, want %v if and only if they do not fit",
					len(job.Prompt), job.MaxTokens, s.options.Cells, job.Result.Err, ErrTooLong)
			case !tooLong && cmp.Diff(want, job.Result.Tokens) != "":
				t.Fatalf("prompt %v: %s", job.Prompt, cmp.Diff(want, job.Result.Tokens))
			}
			for i, token := range job.Result.Tokens {
				put += btoi(token.Put && i < len(job.Result.Tokens)-1)
			}
			earlier = append(earlier, append(slices.Clone(job.Prompt), tokensOf(job.Result.Tokens)...))
		}
	}
	return scored, put
}

func drawRequest(t *rapid.T, earlier [][]step.Token, submitted int) Request {
	var prompt []step.Token
	if len(earlier) > 0 && rapid.Bool().Draw(t, "goes on") {
		from := earlier[rapid.IntRange(0, len(earlier)-1).Draw(t, "from")]
		prompt = slices.Clone(from[:rapid.IntRange(0, len(from)).Draw(t, "up to")])
	}
	for range rapid.IntRange(0, 10).Draw(t, "new tokens") {
		prompt = append(prompt, step.Token(rapid.IntRange(0, 2).Draw(t, "token")))
	}
	if len(prompt) == 0 {
		prompt = []step.Token{0}
	}
	r := Request{
		Order: Order{Debate: rapid.IntRange(0, 3).Draw(t, "debate")}, Prompt: prompt,
		Sampling:  step.Sampling{Seed: uint64(rapid.IntRange(0, 2).Draw(t, "seed"))},
		MaxTokens: rapid.IntRange(1, 8).Draw(t, "max tokens"),
	}
	for range rapid.IntRange(-6, 4).Draw(t, "given tokens") {
		r.Forced = append(r.Forced, step.Token(rapid.IntRange(0, 2).Draw(t, "given")))
	}
	if r.Forced == nil && rapid.Bool().Draw(t, "limited") {
		r.Tag = limits{rapid.IntRange(0, 6).Draw(t, "sum"), rapid.IntRange(0, 3).Draw(t, "before some are put"),
			rapid.IntRange(1, 6).Draw(t, "put")}
	}
	if rapid.Bool().Draw(t, "keyed") {
		r.Key = sha256.Sum256(fmt.Append(nil, r.Sampling.Seed, r.MaxTokens, prompt, r.Forced, r.Tag))
	}
	return r
}

// limits have a request end once the sum of the tokens that are drawn is at least sum, unless that is 0; and put some
// tokens behind those that are drawn first, unless there are none of these.
type limits struct{ sum, first, put int }

// limited has a request keep to its tag, if it has one.
func limited(r Request) Request {
	l, ok := r.Tag.(limits)
	if !ok {
		return r
	}
	sum, drawn := 0, 0
	r.Until = func(token step.Sampled) bool {
		sum += int(token.Token)
		return l.sum > 0 && sum >= l.sum
	}
	r.Put = func(step.Sampled) []step.Token {
		if drawn++; drawn != l.first {
			return nil
		}
		return []step.Token{2, 1, 0, 2, 1, 0}[:l.put]
	}
	return r
}

// TestKnown: requests equal to one whose generation is known take it, in the same step or later, whatever the order.
func TestKnown(t *testing.T) {
	o := Options{Cells: 100, Sequences: 4, Live: 4, Batch: 32}
	s := mustNew(t, o)
	request := func(debate int, known any) *Job {
		return s.Submit(Request{Order: Order{Debate: debate}, Prompt: []step.Token{1, 2}, MaxTokens: 5, Key: Key{1},
			Known: known})
	}
	before, first, second := request(0, nil), request(1, "said"), request(2, "said otherwise")
	run(t, s, newFakeEngine(t, o))
	after := request(0, nil)
	other := s.Submit(Request{Prompt: []step.Token{1, 2}, MaxTokens: 5, Key: Key{2}})
	run(t, s, newFakeEngine(t, o))
	for i, job := range []*Job{before, first, second, after} {
		t.Run([]string{"before", "first", "second", "after"}[i], func(t *testing.T) {
			if want := []any{"said", "said", "said otherwise", "said"}[i]; job.Result.Known != want ||
				job.Result.Joined != (job == before || job == after) || job.Result.Tokens != nil {
				t.Errorf("%d: %+v, want %q", i, job.Result, want)
			}
		})
	}
	if stats := s.Stats(); len(other.Result.Tokens) == 0 || stats.Generations != 1 || stats.Joined != 2 {
		t.Errorf("of 3 equal requests 1 is computed and 2 join it: got %+v, tokens %v", stats, other.Result.Tokens)
	}
}

func tokensOf(sampled []step.Sampled) (tokens []step.Token) {
	for _, s := range sampled {
		tokens = append(tokens, s.Token)
	}
	return tokens
}

// TestResampling is the paper's 400 samples of one prompt: the prompt is computed once, samples run in waves, and
// sample 17 is what it is when only 20 are drawn.
func TestResampling(t *testing.T) {
	prompt := make([]step.Token, 100)
	for i := range prompt {
		prompt[i] = step.Token(i % 7)
	}
	sample := func(count int) ([]*Job, Stats) {
		o := Options{Cells: 2000, Sequences: 64, Live: 32, Batch: 256}
		s := mustNew(t, o)
		var jobs []*Job
		for i := range count {
			jobs = append(jobs, s.Submit(Request{Order: Order{Sample: i}, Prompt: prompt, MaxTokens: 30,
				Sampling: step.Sampling{Seed: uint64(i)}}))
		}
		run(t, s, newFakeEngine(t, o))
		return jobs, s.Stats()
	}
	many, stats := sample(400)
	few, _ := sample(20)
	if diff := cmp.Diff(few[17].Result.Tokens, many[17].Result.Tokens); diff != "" {
		t.Errorf("sample 17 has the same tokens of 20 and of 400 (-few +many):\n%s", diff)
	}
	for i, job := range many {
		if diff := cmp.Diff(alone(job.Request), job.Result.Tokens); diff != "" {
			t.Fatalf("sample %d has the tokens that it has alone (-alone +together):\n%s", i, diff)
		}
	}
	if want := 100; stats.PromptComputed != want || stats.PromptAsked != 40000 || stats.PeakSequences != 32 {
		t.Errorf("computed %d of %d prompt tokens for %d at once, want %d", stats.PromptComputed, stats.PromptAsked,
			stats.PeakSequences, want)
	}
}

// TestMemoryIsCounted: requests that share a prompt share its memory; when all are done, the replies of those that have
// a key are kept, and no job or prompt is.
func TestMemoryIsCounted(t *testing.T) {
	o := Options{Cells: 300, Sequences: 8, Live: 4, Batch: 32}
	s, prompt := mustNew(t, o), make([]step.Token, 100)
	for i := range 6 {
		r := Request{Prompt: prompt, MaxTokens: 5, Sampling: step.Sampling{IgnoreEnd: true, Seed: uint64(i)}}
		if i < 3 {
			r.Key[0] = byte(i + 1)
		}
		s.Submit(r)
	}
	if m := s.Memory(); m.Jobs != 0 || m.Prompts+m.Replies != 0 {
		t.Errorf("before the first plan the memory is %+v, want it empty", m)
	}
	e := newFakeEngine(t, o)
	plan := s.Next()
	if m := s.Memory(); m.Jobs != 6 || m.Prompts != 4*int64(len(prompt)) {
		t.Errorf("while they run: %+v, want 6 jobs with one prompt", m)
	}
	sampled, err := e.Step(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(plan, sampled)
	run(t, s, e)
	m := s.Memory()
	if m.Jobs != 0 || m.Kept != 3 || m.Prompts != 0 {
		t.Errorf("%+v, want 3 replies and nothing else", m)
	}
	if least, most := int64(5*leastPacked), int64(100+5*8); m.Replies < 3*least || m.Replies > 3*most || m.Tree == 0 {
		t.Errorf("%+v, want from %d to %d bytes for each reply: a run keeps those of all its questions", m, least, most)
	}
}

// TestTooLongFailsAlone gives the numbers and leaves the others alone.
func TestTooLongFailsAlone(t *testing.T) {
	o := Options{Cells: 16, Sequences: 2, Live: 2, Batch: 8}
	s := mustNew(t, o)
	long := s.Submit(Request{Prompt: make([]step.Token, 12), MaxTokens: 5})
	short := s.Submit(Request{Prompt: make([]step.Token, 12), MaxTokens: 4})
	none := s.Submit(Request{MaxTokens: 4})
	run(t, s, newFakeEngine(t, o))
	if err := long.Result.Err; !errors.Is(err, ErrTooLong) ||
		!strings.Contains(err.Error(), "12 prompt tokens and up to 5 new ones need 17 cells, the context has 16") {
		t.Errorf("a prompt that is too long got the error %v, want %v with the cells needed and there", err, ErrTooLong)
	}
	if short.Result.Err != nil || len(short.Result.Tokens) == 0 {
		t.Errorf("the request that fits ended with %+v, want tokens and no error", short.Result)
	}
	if none.Result.Err == nil {
		t.Error("an empty prompt went through, want an error")
	}
}

// TestSubmissionOrderDoesNotMatter plans the same batches for the same requests in any order of arrival.
func TestSubmissionOrderDoesNotMatter(t *testing.T) {
	o := Options{Cells: 200, Sequences: 6, Live: 4, Batch: 16}
	trace := func(order []int) []string {
		s, e := mustNew(t, o), newFakeEngine(t, o)
		for _, i := range order {
			s.Submit(Request{Order: Order{Debate: i / 3, Agent: i % 3}, Prompt: make([]step.Token, 5+i%4), MaxTokens: 6,
				Sampling: step.Sampling{Seed: uint64(i)}})
		}
		run(t, s, e)
		return e.trace
	}
	want := trace([]int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	if diff := cmp.Diff(want, trace([]int{8, 3, 5, 1, 0, 7, 2, 6, 4})); diff != "" {
		t.Errorf("other orders of arrival give the same batches (-want +got):\n%s", diff)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{Cells: 10, Sequences: 0, Live: 1, Batch: 1}, {Cells: 10, Sequences: 257, Live: 1, Batch: 1},
		{Cells: 10, Sequences: 2, Live: 3, Batch: 3}, {Cells: 10, Sequences: 3, Live: 3, Batch: 2},
		{Cells: 1, Sequences: 1, Live: 1, Batch: 1},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			if _, err := New(o); err == nil {
				t.Errorf("%+v was accepted, want an error", o)
			}
		})
	}
}

// BenchmarkStep measures the planning of one step by how many generations run and how many have finished. It must be
// negligible beside a decode, and must not grow with the finished ones.
func BenchmarkStep(b *testing.B) {
	for _, live := range []int{1, 64, 256} {
		for _, finished := range []int{0, 20_000} {
			b.Run(fmt.Sprintf("live=%d/finished=%d", live, finished),
				func(b *testing.B) { benchmarkStep(b, live, finished) })
		}
	}
}

func benchmarkStep(b *testing.B, live, finished int) {
	s := mustNew(b, Options{Cells: 1 << 24, Sequences: 256, Live: live, Batch: 512})
	prompt := make([]step.Token, 1000)
	sampled := make([]step.Sampled, 1024)
	step := func() {
		plan := s.Next()
		s.Apply(plan, sampled[:len(plan.Samples)])
	}
	submit := func(count, tokens int) {
		for i := range count {
			r := Request{Order: Order{Sample: i}, Prompt: prompt, MaxTokens: tokens}
			binary.LittleEndian.PutUint64(r.Key[:], uint64(s.submitted)+1)
			s.Submit(r)
		}
	}
	for s.stats.Generations < finished {
		submit(500, 3)
		for !s.Idle() {
			step()
		}
	}
	submit(live, 10_000)
	for range 3 {
		step()
	}
	for b.Loop() {
		step()
		if s.Idle() {
			b.StopTimer()
			submit(live, 10_000)
			step()
			b.StartTimer()
		}
	}
}
