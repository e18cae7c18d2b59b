package dynamics

import (
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/report/chart"
)

// Beliefs draws one panel for each condition whose agents' beliefs were measured, with the curves of the others behind
// it.
func Beliefs(c analysis.Comparison, t *outcome.Table) (chart.Figure, error) {
	f := chart.Figure{Title: "Belief in the right answer",
		Caption: "Mean probability of the right answer among the answers, before the messages of agents (at 0, 1 " +
			"and so on) and behind them (half a step later), with its 95 % band; other conditions are grey. What " +
			"rises up to a number was read, what rises behind it was written."}
	var paths []path
	for _, r := range c.Rows {
		if _, told := r.Measures.Number("belief-told"); !told {
			continue
		}
		p := path{condition: r.Condition}
		for k, v := range relation.Trajectory(relation.Rows(t.Under(r.Condition).Held().All), analysis.Level) {
			at := chart.Point{X: float64(k) / 2, Y: *v.Number}
			if v.Interval != nil {
				at.Span = &chart.Interval{Low: v.Interval.Low, High: v.Interval.High}
			}
			p.points = append(p.points, at)
		}
		if len(p.points) > 1 {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return f, nil
	}
	paths, rest := firstOf(paths, "whose beliefs were measured")
	f.Caption += rest
	err := drawPaths(&f, paths, "message", "probability")
	return f, err
}
