package dynamics

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/table"
)

const aloneTitle = "Accuracy by confidence, each model alone"

// aloneOf are the agents that debated with nobody.
func aloneOf(c analysis.Comparison) []agent {
	return slices.DeleteFunc(agentsOf(c), func(a agent) bool { return a.Alone == nil })
}

func aloneTable(c analysis.Comparison) table.Table {
	t := table.New([]table.Column[agent]{
		table.Words("condition", func(a agent) string { return a.condition }),
		table.Words("model", func(a agent) string { return a.model }),
		table.Counts("solutions", func(a agent) int { return a.Alone.N }),
		table.Decimals("strict", func(a agent) *float64 { return &a.Alone.Strict }),
		table.Decimals("smooth", func(a agent) *float64 { return &a.Alone.Smooth }),
		table.Counts("with a confidence", func(a agent) int { return a.Alone.Sure }),
		table.Decimals("mean confidence", func(a agent) *float64 { return known(a.Alone.Sure, &a.Alone.Confidence) }),
	}, aloneOf(c))
	t.Title = aloneTitle
	t.Caption = "Solutions of models that debated with nobody: share with all roles right, mean share of " +
		"players whose role is right, and the mean confidence, from 1 to 10, of those that state one (source 2, " +
		"Figure 2)."
	return t
}

// known is a mean of so many numbers; nil of none.
func known(n int, mean *float64) *float64 {
	if n == 0 {
		return nil
	}
	return mean
}

// aloneFigure draws a point for each model that states confidences.
func aloneFigure(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: aloneTitle, Caption: "Share of puzzles that a model solves alone, and its mean stated " +
		"confidence, from 1 to 10 (source 2, Figure 2, by which the teams were chosen)."}
	agents := slices.DeleteFunc(aloneOf(c), func(a agent) bool { return a.Alone.Sure == 0 })
	if len(agents) == 0 {
		return f, nil
	}
	p := chart.New()
	p.Add(chart.Grid(true, true))
	var points plotter.XYs
	labels := plotter.XYLabels{}
	for i, a := range agents {
		at, name := plotter.XY{X: a.Alone.Confidence, Y: a.Alone.Strict}, fmt.Sprint(i+1)
		if same := slices.Index(points, at); same >= 0 {
			labels.Labels[same] += ", " + name
		} else {
			points, labels.XYs = append(points, at), append(labels.XYs, at)
			labels.Labels = append(labels.Labels, name)
		}
		f.Caption += fmt.Sprintf(" %d: %s.", i+1, a.condition)
	}
	if err := chart.Scatter(p, points, draw.CircleGlyph{}, chart.Better, 3.5); err != nil {
		return f, err
	}
	names, err := plotter.NewLabels(labels)
	if err != nil {
		return f, err
	}
	for i := range names.TextStyle {
		names.TextStyle[i].Font, names.TextStyle[i].Color = p.X.Tick.Label.Font, chart.Soft
	}
	names.Offset = vg.Point{X: 5, Y: 3}
	p.Add(names)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, 10.5, -0.03, 1.03
	p.X.Label.Text, p.Y.Label.Text = "mean stated confidence", "share of puzzles solved"
	p.X.Tick.Marker, p.Y.Tick.Marker = confidences, chart.Shares
	return f, f.Render(chart.Width, 260, p)
}
