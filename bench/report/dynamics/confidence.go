package dynamics

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	var panels []*plot.Plot
	for _, a := range agents[:min(chart.MostPanels, len(agents))] {
		p, err := confidencePanel(a, agents)
		if err != nil {
			return f, err
		}
		panels = append(panels, p)
	}
	columns := min(3, len(panels))
	for len(panels)%columns > 0 {
		panels = append(panels, nil)
	}
	return f, f.Render(chart.Width, vg.Length(len(panels)/columns)*200, panels...)
}

// confidencePanel draws one agent in front of the others of its condition. A bin without an interval has its point and
// its count alone.
func confidencePanel(a agent, all []agent) (*plot.Plot, error) {
	p := chart.New()
	p.Title.Text = strings.TrimSuffix(fmt.Sprintf("%s, agent %d\n%s", a.condition, a.Agent.Agent+1, a.model), "\n")
	p.Add(chart.Grid(false, true))
	for _, other := range all {
		if other.condition == a.condition {
			if err := chart.Join(p, accuracyAt(other.Confidence), chart.Line, 1, true); err != nil {
				return nil, err
			}
		}
	}
	// below an accuracy of 0, in two lines, as neighbours of three digits would touch
	countsAt := [2]float64{-0.1, -0.2}
	counts := plotter.XYLabels{}
	for i, b := range a.Confidence {
		x := float64(b.Confidence)
		counts.XYs = append(counts.XYs, plotter.XY{X: x, Y: countsAt[i%2]})
		counts.Labels = append(counts.Labels, fmt.Sprint(b.N))
		if b.Interval == nil {
			continue
		}
		ends := plotter.XYs{{X: x, Y: b.Interval.Low}, {X: x, Y: b.Interval.High}}
		if err := chart.Join(p, ends, chart.Better, 1.5, false); err != nil {
			return nil, err
		}
	}
	p.Add(chart.Texts{XYLabels: counts, Size: 0.8, Centered: true})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, 10.5, -0.27, 1
	p.X.Label.Text, p.Y.Label.Text = "stated confidence", "share of right roles"
	p.X.Tick.Marker, p.Y.Tick.Marker = confidences, chart.Shares
	return p, chart.Join(p, accuracyAt(a.Confidence), chart.Better, 2, true)
}

// confidences ticks 1 to 10.
var confidences = chart.Whole(11)[1:]

// accuracyAt are the points of a figure: stated confidence, from 1 to 10, and the mean share of right roles, from 0 to
// 1.
func accuracyAt(bins []roles.Bin) (points plotter.XYs) {
	for _, b := range bins {
		points = append(points, plotter.XY{X: float64(b.Confidence), Y: b.Smooth})
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
	p.Add(chart.Texts{XYLabels: labels, Offset: vg.Point{X: 5, Y: 3}})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, 10.5, -0.03, 1.03
	p.X.Label.Text, p.Y.Label.Text = "mean stated confidence", "share of puzzles solved"
	p.X.Tick.Marker, p.Y.Tick.Marker = confidences, chart.Shares
	return f, f.Render(chart.Width, 260, p)
}
