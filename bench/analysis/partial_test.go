package analysis

import (
	"testing"

	"github.com/parley-debate/parley/bench/trial"
)

// TestPartialIntervals: one question has none; questions that are all alike have one with width.
func TestPartialIntervals(t *testing.T) {
	half, whole := 0.5, 1.0
	one := []trial.Outcome{{Question: "a", Partial: &half}, {Question: "a", Repeat: 1, Partial: &whole}}
	if p := partialIn("f1", debatesOf(one).All); p == nil || p.Mean != 0.75 || p.Interval != nil {
		t.Errorf("one question has a mean of its parts, 0.75, and no interval: got %+v", p)
	}
	for i, outcomes := range [][]trial.Outcome{
		{{Question: "a", Partial: &half}, {Question: "b", Partial: &half}},
		append(one, trial.Outcome{Question: "b", Partial: &whole}),
	} {
		t.Run([]string{"equal parts", "different parts"}[i], func(t *testing.T) {
			if p := partialIn("f1", debatesOf(outcomes).All); p.Interval == nil ||
				p.Interval.Low >= p.Mean || p.Interval.High <= p.Mean || p.Interval.High > 1 {
				t.Errorf("the interval has the mean in it and ends at 1: got %+v", p)
			}
		})
	}
	if partialIn("f1", debatesOf([]trial.Outcome{{Question: "a"}}).All) != nil ||
		partialIn("", debatesOf(one).All) != nil {
		t.Error("debates without a degree, or without its name, have a part, want none")
	}
}
