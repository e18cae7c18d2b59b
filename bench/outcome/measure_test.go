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

// TestMeasuresOfAgents: flips are of those who answer again, challenges of those who were asked, and only debates with
// sides are won by one.
func TestMeasuresOfAgents(t *testing.T) {
	yes, no := true, false
	agents := func(ids ...[2]int) (list []Agent) {
		for i, id := range ids {
			list = append(list, Agent{Number: i, Times: 2, First: Turn{ID: id[0]}, Last: Turn{ID: id[1]}})
		}
		return list
	}
	once := agents([2]int{1, 1}, [2]int{1, 2})
	once[0].Times = 1
	asked := []debate.Challenged{{Agrees: &yes}, {Agrees: &no}, {}, {Agrees: &no}}
	sides := debate.Transcript{Roles: []string{debate.RoleAffirmative, debate.RoleNegative, debate.RoleModerator},
		Decision: debate.Decision{Side: " Negative"}}
	for name, test := range map[string]struct {
		of         string
		agents     []Agent
		transcript debate.Transcript
		want       float64
		known      bool
	}{
		"one of two flips":           {"flips", agents([2]int{1, 1}, [2]int{1, 2}), debate.Transcript{}, 0.5, true},
		"who answers once is out":    {"flips", once, debate.Transcript{}, 1, true},
		"unread is an answer":        {"flips", agents([2]int{1, -1}, [2]int{-1, -1}), debate.Transcript{}, 0.5, true},
		"nobody answers again":       {"flips", once[:1], debate.Transcript{}, 0, false},
		"nobody answers":             {"flips", nil, debate.Transcript{}, 0, false},
		"two of four challenge":      {"challenged", nil, debate.Transcript{Challenges: asked}, 0.5, true},
		"nobody is asked":            {"challenged", nil, debate.Transcript{}, 0, false},
		"the other side won":         {"won-by-affirmative", nil, sides, 0, true},
		"a side won":                 {"won-by-negative", nil, sides, 1, true},
		"a debate without two sides": {"won-by-negative", nil, debate.Transcript{}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, known := MeasureOf(test.of)
			d := &Debate{Outcome: &trial.Outcome{}, read: true, agents: test.agents}
			d.Transcript = test.transcript
			if got, has := m.Of(d); !known || got != test.want || has != test.known {
				t.Errorf("%s is %g, %t, want %g, %t", test.of, got, has, test.want, test.known)
			}
		})
	}
}
