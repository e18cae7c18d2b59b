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
	by := make(map[string][]*outcome.Debate)
	for _, d := range t.Debates() {
		if d.Transcript.Beliefs != nil {
			by[d.Condition] = append(by[d.Condition], d)
		}
	}
	var names []string
	var curves [][]chart.Point
	longest := 0.0
	for _, r := range c.Rows {
		var curve []chart.Point
		for k, v := range relation.Trajectory(relation.Rows(by[r.Condition]), analysis.Level) {
			p := chart.Point{X: float64(k) / 2, Y: *v.Number}
			if v.Interval != nil {
				p.Span = &chart.Interval{Low: v.Interval.Low, High: v.Interval.High}
			}
			curve, longest = append(curve, p), max(longest, p.X)
		}
		if len(curve) > 1 && len(names) < chart.MostPanels {
			names, curves = append(names, r.Condition), append(curves, curve)
		}
	}
	if len(names) == 0 {
		return chart.Figure{}, nil
	}
	var panels []chart.Panel
	for i, name := range names {
		p := chart.Panel{Title: name,
			X: chart.Axis{Label: "message", Low: -0.2, High: longest + 0.2, Ticks: chart.Whole(0, int(longest))},
			Y: chart.Axis{High: 1, Ticks: chart.Shares, Grid: true}}
		if i%3 == 0 { // the first of its row
			p.Y.Label = "probability"
		}
		if curves[i][0].Span != nil {
			p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bands, Colour: chart.Band, Points: curves[i]})
		}
		for _, other := range curves {
			p.Marks = append(p.Marks, chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 0.7, Points: other})
		}
		p.Marks = append(p.Marks, chart.Curve(curves[i], chart.Better, 1.6)...)
		panels = append(panels, p)
	}
	return f, f.Render(float64((len(panels)+2)/3)*170, panels...)
}
