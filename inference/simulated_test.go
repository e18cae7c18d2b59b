package inference_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
)

// play has three debates of three agents hold two rounds, in which they hear each other, and then rate two answers. It
// returns what was said.
func play(t *testing.T, e inference.Engine, sampling inference.Sampling,
	grammar string) (said map[string]inference.Reply) {
	t.Helper()
	said = make(map[string]inference.Reply)
	var mu sync.Mutex
	var wait sync.WaitGroup
	var debates []inference.Participant
	for i := range 3 {
		debates = append(debates, e.Join(i))
	}
	for i, p := range debates {
		wait.Go(func() {
			defer p.Leave()
			histories := make([][]inference.Message, 3)
			for round := range 3 {
				var requests []inference.Request
				for agent := range histories {
					if round == 0 {
						histories[agent] = ask(puzzles[i%2]) // the first and the last debate begin alike
					}
					r := inference.Request{Messages: histories[agent], MaxTokens: 120, Sampling: sampling, Agent: agent,
						Grammar: grammar}
					r.Sampling.Seed = uint64(10*round + agent)
					if round == 2 {
						r.Continuations = []string{"The answer is (A)", "(B)"}
					}
					requests = append(requests, r)
				}
				replies, err := p.Generate(t.Context(), requests)
				if err != nil {
					t.Error(err)
					return
				}
				all := ""
				for _, r := range replies {
					all += "One agent solution: " + r.Text + "\n"
					mu.Lock()
					r.CachedTokens = 0 // of whoever asked last among equals; Stats count them
					said[r.Key] = r
					mu.Unlock()
				}
				for agent, r := range replies {
					histories[agent] = append(histories[agent], inference.Message{Role: "assistant", Content: r.Text},
						inference.Message{Role: "user", Content: all})
				}
			}
		})
	}
	wait.Wait()
	return said
}

// TestSimulatedRun gives a simulated engine the very replies of a run: it counts what the run counted, to the last step
// and cell, with drafts and without, also where there is so little room that branches give way.
func TestSimulatedRun(t *testing.T) {
	for name, options := range map[string][]inference.Option{
		"plain":  nil,
		"drafts": {inference.StepCost(8), inference.Speculate(true)},
		"narrow": {inference.Context(1280), inference.Parallel(9)},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, options...)
			sampling, grammar := inference.Sampling{Temperature: 1}, ""
			if name == "narrow" {
				sampling.RepeatPenalty, grammar = 1.1, "root ::= [A-Z] [^\\n]*"
			}
			said := play(t, l, sampling, grammar)
			observed := 0
			r, err := l.Simulated(func(g inference.Generation) inference.Reply {
				reply, ok := said[g.Reply.Key]
				if !ok {
					t.Errorf("%v was never asked", g.Messages)
				}
				return reply
			}, func(g inference.Generation) error { observed++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			again := play(t, r, sampling, grammar)
			if diff := cmp.Diff(said, again, cmpopts.IgnoreFields(inference.Reply{}, "Duration"),
				cmpopts.EquateApprox(0, 1e-3)); diff != "" {
				t.Errorf("said otherwise: %s", diff)
			}
			want := l.Stats()
			if diff := cmp.Diff(want, r.Stats(), cmpopts.IgnoreFields(inference.Stats{}, "PrefillDuration",
				"DecodeDuration")); diff != "" {
				t.Errorf("counted otherwise: %s", diff)
			}
			if want.Joined == 0 || observed == 0 || name == "drafts" && want.Accepted == 0 ||
				name == "narrow" && want.PeakCells < 1100 {
				t.Errorf("nothing was put to the test: %d observed, %+v", observed, want)
			}
		})
	}
}

// TestSimulated gives replies that the model would never write: they are said to the end token, or to the bound.
func TestSimulated(t *testing.T) {
	l := open(t)
	r, err := l.Simulated(func(g inference.Generation) inference.Reply {
		return inference.Reply{Text: fmt.Sprintf("Reply %d, 東京.", g.Agent)}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	replies := generate(t, r,
		greedy(puzzles[0]),
		inference.Request{Messages: ask(puzzles[0]), Agent: 1, MaxTokens: 3},
		inference.Request{Messages: ask(puzzles[0]), Agent: 2,
			Continuations: []string{"Reply 1", "Reply 2, 東京.", "Reply"}},
		inference.Request{Messages: ask(puzzles[0]), Agent: 3, Continuations: []string{"First", "Second"}},
		inference.Request{Messages: ask(strings.Repeat(puzzles[0], 100))},
	)
	if r := replies[0]; r.Text != "Reply 0, 東京." || r.Stop != inference.StopEnd || r.Err != nil || r.PromptTokens < 50 {
		t.Errorf("the first simulated reply is told whole, behind a prompt of at least 50 tokens: got %+v", r)
	}
	if r := replies[1]; !strings.HasPrefix("Reply 1", r.Text) || r.Tokens != 3 || r.Stop != inference.StopLength {
		t.Errorf("a simulated reply is cut after 3 tokens: got %q, %d tokens, stop %s", r.Text, r.Tokens, r.Stop)
	}
	if replies[2].Text != "Reply 2, 東京." || replies[3].Text != "First" {
		t.Errorf("simulated replies come in the order of requests: got %q and %q", replies[2].Text, replies[3].Text)
	}
	if replies[4].Err == nil {
		t.Errorf("too long: %+v", replies[4])
	}
	if s := l.Stats(); s.Steps != 0 || l.Latencies().Time(r.Stats()) != 0 {
		t.Errorf("the model computed %+v", s)
	}
	if m := l.Memory(); m.Weights < 1<<20 || m.Cells != 8192*4*4*32*2*2 || m.Peak < m.Weights {
		t.Errorf("memory is that of the weights and of 8,192 cells: got %+v", m)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	p := r.Join(0)
	if _, err := p.Generate(t.Context(), []inference.Request{greedy(puzzles[0])}); err == nil {
		t.Error("asked after the end")
	}
	other, err := l.Simulated(func(inference.Generation) inference.Reply { return inference.Reply{} }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Join(0).Generate(t.Context(), []inference.Request{greedy(puzzles[0])}); err == nil {
		t.Error("a simulated engine outlived the one it shares the model with")
	}
	if _, err := l.Simulated(nil, nil); err == nil {
		t.Error("a closed engine was simulated")
	}
}
