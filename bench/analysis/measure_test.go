package analysis

import (
	"testing"

	"github.com/parley-debate/parley/debate"
)

func TestMeasured(t *testing.T) {
	seven := 7.0
	sided := Row{N: 4, Accuracy: 0.75, Unparsed: 1, Dynamics: &Dynamics{Decided: []int{1, 3}, Agreement: &seven}}
	sided.Dynamics.decide(debate.Transcript{Roles: []string{"affirmative", "negative"},
		Decision: debate.Decision{Side: " Negative"}}, 1)
	sided.Dynamics.decide(debate.Transcript{Roles: []string{"affirmative", "negative"}}, 1)
	for name, want := range map[string]float64{
		"accuracy": 0.75, "unparsed": 0.25, "agreement": 7, "decided-in-turn-1": 0.75, "decided-in-turn-2": 0.75,
		"decided-in-turn-3": 0, "entropy-code": 0,
		"won-by-negative": 0.25, "won-by-neither": 0.25, "won-by-affirmative": 0,
	} {
		if got, known := sided.Measured(name); !known || got != want {
			t.Errorf("%s is %g, %v; want %g", name, got, known, want)
		}
	}
	for _, name := range []string{"accuracy-by-people", "decided-in-turn-0", "decided-in-turn-x", "entropy",
		"similarity"} {
		if got, known := sided.Measured(name); known {
			t.Errorf("%s is %g, and cannot be known", name, got)
		}
	}
	if _, known := (Row{}).Measured("accuracy"); known {
		t.Error("a row without debates has an accuracy")
	}
}
