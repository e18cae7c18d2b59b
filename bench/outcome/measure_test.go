package outcome

import (
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestCostOfCalls: calls and tokens are those of the tables. A call that failed costs nothing, and a closing turn has
// tokens but is no call.
func TestCostOfCalls(t *testing.T) {
	asked := []inference.Message{{Content: "q"}}
	closing := debate.Turn{Kind: debate.KindClosing, Messages: asked, Reply: inference.Reply{Tokens: 3}}
	d := &Debate{Outcome: &trial.Outcome{}}
	d.Transcript.Rounds = [][]debate.Turn{{{Messages: asked, Reply: inference.Reply{Tokens: 10}},
		{Agent: 1, Messages: asked, Error: "no room", Reply: inference.Reply{Tokens: 100}}, closing}}
	for name, want := range map[string]float64{"calls": 1, "tokens": 13, "rounds": 1} {
		t.Run(name, func(t *testing.T) {
			m, _ := MeasureOf(name)
			if got, known := m.Of(d); !known || got != want {
				t.Errorf("%g, %t, want %g", got, known, want)
			}
		})
	}
}
