package inference_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
)

// exchanges are requests with their replies.
func exchanges(requests []inference.Request, replies []inference.Reply) (call []inference.Exchange) {
	for i, r := range replies {
		call = append(call, inference.Exchange{Request: requests[i], Reply: r})
	}
	return call
}

// rehearsed: the debates that an engine has held, and nothing else, are rehearsed in the very steps that they took.
func rehearsed(t *testing.T, l *inference.Local, debates [][][]inference.Exchange) {
	t.Helper()
	got, err := l.Rehearse(t.Context(), debates)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.Stats(), got, cmpopts.IgnoreFields(inference.Stats{}, "PrefillDuration",
		"DecodeDuration")); diff != "" {
		t.Errorf("the rehearsal counts otherwise (-held, +rehearsed):\n%s", diff)
	}
}

// TestRehearse holds debates in which replies are heard, scored, drafted and bounded by a grammar, in so few cells that
// prompts are forgotten.
func TestRehearse(t *testing.T) {
	l := open(t, inference.Context(768), inference.Parallel(4), inference.StepCost(16), inference.Speculate(true))
	const debates = 16
	held := make([][][]inference.Exchange, debates)
	participants := make([]inference.Participant, debates)
	for i := range debates {
		participants[i] = l.Join(i)
	}
	var group sync.WaitGroup
	for i, p := range participants {
		group.Go(func() {
			defer p.Leave()
			messages := ask(fmt.Sprintf("Case %d: ", i/2) + puzzles[i/2%len(puzzles)])
			for round := range 3 {
				requests := make([]inference.Request, 2)
				for agent := range requests {
					requests[agent] = inference.Request{Messages: messages, MaxTokens: 60, Agent: agent, Round: round,
						Sampling: inference.Sampling{Temperature: 1, Seed: uint64(i/2 + 100*agent)}}
				}
				switch {
				case round == 1:
					requests[0].Continuations = []string{"(A)", "(B)"}
				case round == 2:
					requests[1].Grammar = `root ::= "(" [A-C] ")"`
				}
				replies, err := p.Generate(t.Context(), requests)
				if err != nil {
					t.Error(err)
					return
				}
				held[i] = append(held[i], exchanges(requests, replies))
				messages = append(slices.Clip(messages), inference.Message{Role: "assistant", Content: replies[1].Text},
					inference.Message{Role: "user", Content: "Think again."})
			}
		})
	}
	group.Wait()
	rehearsed(t, l, held)
	wide, err := open(t, inference.Context(8192), inference.Parallel(4)).Rehearse(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}
	if s := l.Stats(); s.Drafted == 0 || s.Joined == 0 || 10*s.PromptComputed < 11*wide.PromptComputed {
		t.Errorf("%+v, want drafts, equal requests, and a tenth more prompt tokens than the %d with room for all",
			s, wide.PromptComputed)
	}
	l.Close()
	if _, err := l.Rehearse(t.Context(), held); err == nil {
		t.Error("a closed engine rehearses, want an error")
	}
}
