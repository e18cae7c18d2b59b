package debate

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/inference"
)

// meter counts as many tokens for an agent's reply as its list says.
type meter struct {
	tokens   []int
	requests []inference.Request
}

func (m *meter) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	m.requests = append(m.requests, requests...)
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		replies[i] = inference.Reply{Text: "(A)", Tokens: m.tokens[r.Agent%len(m.tokens)]}
	}
	return replies, nil
}

// spent is a debate that had calls of so many tokens.
func spent(tokens ...int) *Transcript {
	var turns []Turn
	for i, n := range tokens {
		turns = append(turns, Turn{Agent: i, Reply: inference.Reply{Tokens: n}})
	}
	return &Transcript{Rounds: [][]Turn{turns}}
}

// TestBudgetOfTokens: the answers that count are the first ones, they fit, and the next one would not.
func TestBudgetOfTokens(t *testing.T) {
	tiny := load(t, "tiny")
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 50)
		m := &meter{tokens: lengths.Draw(t, "answers")}
		c := puzzle
		c.Prior = spent(lengths.Draw(t, "before")...)
		got, err := Sampling{Budget: BudgetTokens, Prompts: tiny}.Run(t.Context(), m, c)
		if err != nil {
			t.Fatal(err)
		}
		b, count := got.Budget, len(got.Last())
		if b.Asked != len(m.requests) || b.Asked < b.Calls || b.Used != tokens(got.Last()) {
			t.Fatalf("%+v, %d requests", b, len(m.requests))
		}
		if b.Used > b.Tokens && count > 1 {
			t.Fatalf("%d answers do not fit: %+v", count, b)
		}
		following := m.tokens[count%len(m.tokens)]
		if b.Used < b.Tokens && b.Used+following <= b.Tokens {
			t.Fatalf("answer %d of %d tokens fits and does not count: %+v", count, following, b)
		}
		for i, turn := range got.Last() {
			if turn.Agent != i {
				t.Fatalf("answer %d is agent %d's", i, turn.Agent)
			}
		}
	})
}

// TestBudgetIsSharedWithRoundZero: what is asked is what a society is asked in round 0, block by block.
func TestBudgetIsSharedWithRoundZero(t *testing.T) {
	asking := Asking{Seeds: Seeds{Run: 3}, Team: []Agent{{Persona: "You are Ann."}}}
	sampled, together := &meter{tokens: []int{1}}, &meter{tokens: []int{1}}
	c := puzzle
	c.Prior = spent(5, 4)
	if _, err := (Sampling{Asking: asking, Budget: BudgetTokens, Opening: "zero-shot", Confidence: ConfidenceAsked,
		Prompts: load(t, "tiny")}).Run(t.Context(), sampled, c); err != nil {
		t.Fatal(err)
	}
	if _, err := (Society{Asking: asking, Agents: 9, Rounds: 1, Opening: "zero-shot", Confidence: ConfidenceAsked,
		Prompts: load(t, "tiny")}).Run(t.Context(), together, puzzle); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(together.requests, sampled.requests); diff != "" {
		t.Error(diff)
	}
}

// TestBudgetEnds: replies without tokens do not spend anything, and an agent's replies are asked for no more than so
// often.
func TestBudgetEnds(t *testing.T) {
	c := puzzle
	c.Prior = spent(1, 5000)
	for tokens, asked := range map[int]int{0: 2, 1: most} {
		got, err := Sampling{Budget: BudgetTokens, Prompts: load(t, "tiny")}.Run(t.Context(),
			&meter{tokens: []int{tokens}}, c)
		if err != nil || got.Budget.Asked != asked || len(got.Last()) != asked {
			t.Errorf("of %d tokens each, %+v, %v", tokens, got.Budget, err)
		}
	}
	var story strings.Builder
	got, err := Sampling{Prompts: load(t, "tiny")}.Run(t.Context(), &meter{tokens: []int{3}}, c)
	if err != nil || got.Story(&story) != nil || !strings.Contains(story.String(),
		"2 calls and 5001 tokens; of 2 answers asked for, 2 count, with 6 tokens") {
		t.Error(err, story.String())
	}
}
