package dynamics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/table"
)

// confidence draws a panel for each agent that says how sure it is: how right its proposals are at each confidence, and
// how many there are.
func confidence(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Accuracy by stated confidence",
		Caption: "Mean share of players whose role is right in an agent's proposals, by its confidence in them, " +
			"from 1 to 10, with 95 % intervals; the number of proposals stands below each point (Wu et al., Figure " +
			"2). Other agents of the condition are grey."}
	agents := slices.DeleteFunc(agentsOf(c), func(a agent) bool { return len(a.Confidence) == 0 })
	if len(agents) == 0 {
		return f, nil
	}
	if len(agents) > chart.MostPanels {
		f.Caption += fmt.Sprintf(" The first %d of %d agents have a panel.", chart.MostPanels, len(agents))
	}
	var panels []chart.Panel
	for i, a := range agents[:min(chart.MostPanels, len(agents))] {
		p := confidencePanel(a, agents)
		if i%3 == 0 { // the first of its row
			p.Y.Label = "share of right roles"
		}
		panels = append(panels, p)
	}
	return f, f.Render(float64((len(panels)+2)/3)*200, panels...)
}

// confidencePanel draws one agent in front of the others of its condition. A bin without an interval has its point and
// its count alone.
func confidencePanel(a agent, all []agent) chart.Panel {
	p := chart.Panel{
		Title: strings.TrimSuffix(fmt.Sprintf("%s, agent %d\n%s", a.condition, a.Agent.Agent+1, a.model), "\n"),
		X:     chart.Axis{Label: "stated confidence", Low: 0.5, High: 10.5, Ticks: confidences},
		Y:     chart.Axis{Low: -0.27, High: 1, Ticks: chart.Shares, Grid: true},
	}
	for _, other := range all {
		if other.condition == a.condition {
			p.Marks = append(p.Marks, chart.Curve(accuracyAt(other.Confidence), chart.Line, 1)...)
		}
	}
	// below an accuracy of 0, in two lines, as neighbours of three digits would touch
	countsAt := [2]float64{-0.1, -0.2}
	counts := chart.Mark{Kind: chart.Texts, Colour: chart.Soft, Size: 0.8}
	for i, b := range a.Confidence {
		counts.Points = append(counts.Points, chart.Point{X: float64(b.Confidence), Y: countsAt[i%2],
			Text: fmt.Sprint(b.N)})
	}
	p.Marks = append(p.Marks, counts, chart.Mark{Colour: chart.Better, Size: 3, Points: accuracyAt(a.Confidence)})
	p.Marks = append(p.Marks, chart.Curve(accuracyAt(a.Confidence), chart.Better, 2)...)
	return p
}

// confidences ticks 1 to 10.
var confidences = chart.Whole(1, 10)

// accuracyAt are the points of a figure: stated confidence, from 1 to 10, and the mean share of right roles, from 0 to
// 1.
func accuracyAt(bins []roles.Bin) (points []chart.Point) {
	for _, b := range bins {
		points = append(points, chart.Point{X: float64(b.Confidence), Y: b.Smooth,
			Span: (*chart.Interval)(b.Interval)})
	}
	return points
}

const aloneTitle = "Accuracy by confidence, each model alone"

// aloneOf are the agents that debated with nobody.
func aloneOf(c analysis.Comparison) []agent {
	return slices.DeleteFunc(agentsOf(c), func(a agent) bool { return a.Alone == nil })
}

// aloneTable has a row for each agent that debated with nobody.
func aloneTable(c analysis.Comparison) table.Table {
	t := table.New([]table.Column[agent]{
		table.Words("condition", func(a agent) string { return a.condition }),
		table.Words("model", func(a agent) string { return a.model }),
		table.Counts("solutions", func(a agent) int { return a.Alone.N }),
		table.Decimals("strict", func(a agent) *float64 { return &a.Alone.Strict }),
		table.Decimals("smooth", func(a agent) *float64 { return &a.Alone.Smooth }),
		table.Counts("with a confidence", func(a agent) int { return a.Alone.Sure }),
		table.Decimals("mean confidence", func(a agent) *float64 {
			return ofSome(a.Alone.Sure, &a.Alone.Confidence)
		}),
	}, aloneOf(c))
	t.Title = aloneTitle
	t.Caption = "Solutions of models that debated with nobody: share with all roles right, mean share of " +
		"players whose role is right, and the mean confidence, from 1 to 10, of those that state one (Wu et al., " +
		"Figure 2)."
	return t
}

// ofSome returns a mean of n numbers, nil if n is 0: the table then shows a dash, not a mean of 0.
func ofSome(n int, mean *float64) *float64 {
	if n == 0 {
		return nil
	}
	return mean
}

// aloneFigure draws a point for each model that states confidences.
func aloneFigure(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: aloneTitle, Caption: "Share of puzzles that a model solves alone, and its mean stated " +
		"confidence, from 1 to 10 (Wu et al., Figure 2, by which the teams were chosen)."}
	agents := slices.DeleteFunc(aloneOf(c), func(a agent) bool { return a.Alone.Sure == 0 })
	if len(agents) == 0 {
		return f, nil
	}
	var points []chart.Point
	for i, a := range agents {
		at := chart.Point{X: a.Alone.Confidence, Y: a.Alone.Strict, Text: fmt.Sprint(i + 1)}
		same := func(o chart.Point) bool { return o.X == at.X && o.Y == at.Y }
		if k := slices.IndexFunc(points, same); k >= 0 {
			points[k].Text += ", " + at.Text
		} else {
			points = append(points, at)
		}
		f.Caption += fmt.Sprintf(" %d: %s.", i+1, a.condition)
	}
	return f, f.Render(260, chart.Panel{
		X: chart.Axis{Label: "mean stated confidence", Low: 0.5, High: 10.5, Ticks: confidences, Grid: true},
		Y: chart.Axis{Label: "share of puzzles solved", Low: -0.03, High: 1.03, Ticks: chart.Shares, Grid: true},
		Marks: []chart.Mark{{Colour: chart.Better, Size: 3.5, Points: points},
			{Kind: chart.Labels, Colour: chart.Soft, Points: points}}})
}
