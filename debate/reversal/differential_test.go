package reversal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// originalReversal is what MADC's program made of one order (tools/differential/madc.py).
type originalReversal struct {
	Order    string   `json:"order"`
	Most     int      `json:"most"`
	Hears    int      `json:"hears"`
	Roles    []string `json:"roles"`
	Own      string   `json:"own"`
	Heard    []string `json:"heard"`
	Message  string   `json:"message"`
	Sampled  bool     `json:"recalls the sampled question"`
	Examples bool     `json:"recalls worked examples"`
}

// TestDifferentialReversals: the centre hears the same solutions in the same order behind the same messages, and
// recalls a question with worked examples that its own answer was not sampled by.
func TestDifferentialReversals(t *testing.T) {
	var originals struct {
		Reversals struct {
			SampledRoles []string           `json:"sampled roles"`
			Cases        []originalReversal `json:"cases"`
		} `json:"reversals"`
	}
	debatetest.ReadExpectations(t, "madc.json", &originals)
	r := originals.Reversals
	var pool []debate.Turn
	for i := range 9 {
		for _, kind := range []string{"A", "B"} {
			text := fmt.Sprintf("·%s%d·", kind, i)
			pool = append(pool, debate.Turn{
				Agent: len(pool), Messages: debate.Conversation("", debatetest.Load(t, "reversal").First("·q·")),
				Reply: inference.Reply{Text: text}, Answer: answer.Of("(" + kind + ")"),
			})
		}
	}
	c := debate.Case{ID: "q", Question: "·q·", Extract: answer.Choice, Truth: answer.Of("(A)"),
		Prior: &debate.Transcript{Rounds: [][]debate.Turn{pool}}}
	for _, want := range r.Cases {
		d := Reversal{Hears: want.Hears, MostSolutions: want.Most, Order: want.Order,
			Prompts: debatetest.Load(t, "reversal")}
		got, err := d.Run(t.Context(), &debatetest.Meter{Tokens: []int{1}}, c)
		if err != nil {
			t.Fatal(err)
		}
		turn, heard := got.Rounds[1][0], []string(nil)
		for _, i := range turn.Heard {
			heard = append(heard, strings.Trim(pool[i].Reply.Text, "·"))
		}
		m := turn.Messages
		if !slices.Equal(heard, want.Heard) || !slices.Equal(debatetest.MessageRoles(m), want.Roles) ||
			m[1].Content != want.Own ||
			debatetest.Mask(m[2].Content) != want.Message {
			t.Errorf("%s of %d: heard %v in %v, want %+v", want.Order, want.Hears, heard, m, want)
		}
		recalled := turn.Messages[0].Content
		if (recalled == pool[0].Messages[0].Content) != want.Sampled ||
			strings.Contains(recalled, "Step 1: ") != want.Examples {
			t.Errorf("%s of %d recalls %q, want %+v", want.Order, want.Hears, recalled, want)
		}
	}
	if roles := debatetest.MessageRoles(pool[0].Messages); !slices.Equal(roles, r.SampledRoles) {
		t.Errorf("solutions are sampled by %v, want %v", roles, r.SampledRoles)
	}
	debatetest.Enough(t, len(r.Cases), 24)
}
