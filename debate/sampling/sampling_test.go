package sampling

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// spent is a debate that had calls of so many tokens.
func spent(tokens ...int) *debate.Transcript {
	var turns []debate.Turn
	for i, n := range tokens {
		turns = append(turns, debate.Turn{Agent: i, Reply: inference.Reply{Tokens: n}})
	}
	return &debate.Transcript{Rounds: [][]debate.Turn{turns}}
}

// TestBudgetOfTokens: the answers that count are the first ones, they fit, and the next one would not.
func TestBudgetOfTokens(t *testing.T) {
	tiny := debatetest.Load(t, "tiny")
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 50)
		m := &debatetest.Meter{Tokens: lengths.Draw(t, "answers")}
		c := debatetest.Puzzle
		c.Prior = spent(lengths.Draw(t, "before")...)
		got, err := Sampling{Budget: BudgetTokens, Prompts: tiny}.Run(t.Context(), m, c)
		if err != nil {
			t.Fatal(err)
		}
		b, count := got.Budget, len(got.Last())
		if b.Asked != len(m.Requests) || b.Asked < b.Calls || b.Used != tokens(got.Last()) {
			t.Fatalf("the budget is %+v after %d requests, want as many asked, at least the calls, and the tokens used",
				b, len(m.Requests))
		}
		if b.Used > b.Tokens && count > 1 {
			t.Fatalf("%d answers do not fit the budget, want them to: %+v", count, b)
		}
		following := m.Tokens[count%len(m.Tokens)]
		if b.Used < b.Tokens && b.Used+following <= b.Tokens {
			t.Fatalf("answer %d of %d tokens fits and does not count: %+v", count, following, b)
		}
		for i, turn := range got.Last() {
			if turn.Agent != i {
				t.Fatalf("answer %d is agent %d's, want an agent of its own each, in order", i, turn.Agent)
			}
		}
	})
}

// TestBudgetIsSharedWithRoundZero: what is asked is what a society is asked in round 0, block by block.
func TestBudgetIsSharedWithRoundZero(t *testing.T) {
	asking := debate.Asking{Seeds: debate.Seeds{Run: 3}, Team: []debate.Agent{{Persona: "You are Ann."}}}
	sampled, together := &debatetest.Meter{Tokens: []int{1}}, &debatetest.Meter{Tokens: []int{1}}
	c := debatetest.Puzzle
	c.Prior = spent(5, 4)
	if _, err := (Sampling{Asking: asking, Budget: BudgetTokens, Opening: "zero-shot",
		Confidence: society.ConfidenceAsked,
		Prompts:    debatetest.Load(t, "tiny")}).Run(t.Context(), sampled, c); err != nil {
		t.Fatal(err)
	}
	if _, err := (society.Society{Asking: asking, Agents: 9, Rounds: 1, Opening: "zero-shot",
		Confidence: society.ConfidenceAsked,
		Prompts:    debatetest.Load(t, "tiny")}).Run(t.Context(), together, debatetest.Puzzle); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(together.Requests, sampled.Requests); diff != "" {
		t.Errorf("what is asked is what a society is asked in round 0 (-want +got):\n%s", diff)
	}
}

// TestBudgetEnds: replies without tokens do not spend anything, and an agent's replies are asked for no more than so
// often.
func TestBudgetEnds(t *testing.T) {
	c := debatetest.Puzzle
	c.Prior = spent(1, 5000)
	for tokens, asked := range map[int]int{0: 2, 1: debate.MaxSize} {
		t.Run(fmt.Sprint(tokens), func(t *testing.T) {
			got, err := Sampling{Budget: BudgetTokens, Prompts: debatetest.Load(t, "tiny")}.Run(t.Context(),
				&debatetest.Meter{Tokens: []int{tokens}}, c)
			if err != nil || got.Budget.Asked != asked || len(got.Last()) != asked {
				t.Errorf("answers of %d tokens each: %+v (%v), want %d asked and counted", tokens, got.Budget, err,
					asked)
			}
		})
	}
	var story strings.Builder
	got, err := Sampling{Prompts: debatetest.Load(t, "tiny")}.Run(t.Context(), &debatetest.Meter{Tokens: []int{3}}, c)
	if err != nil || got.Story(&story) != nil || !strings.Contains(story.String(),
		"2 calls and 5001 tokens; of 2 answers asked for, 2 count, with 6 tokens") {
		t.Errorf("the story tells the budget and that 2 of 2 answers count, with 6 tokens: %v, got %q", err,
			story.String())
	}
}
