package dynamics

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
)

// roundsOf are the rounds of a condition, none if it held no debate.
func roundsOf(r analysis.Row) []analysis.Round {
	if r.Dynamics == nil {
		return nil
	}
	return r.Dynamics.Rounds
}

// withDebates returns the conditions in which agents answered more than once, in the order of the table. If there are
// too many for a figure, it has the first ones, and rest says so.
func withDebates(c analysis.Comparison) (rows []analysis.Row, rest string) {
	for _, r := range c.Rows {
		if slices.ContainsFunc(roundsOf(r), func(round analysis.Round) bool { return round.Compared > 0 }) {
			rows = append(rows, r)
		}
	}
	if len(rows) > chart.MostPanels {
		rest = fmt.Sprintf(" The first %d of %d conditions with several rounds are drawn.", chart.MostPanels,
			len(rows))
		rows = rows[:chart.MostPanels]
	}
	return rows, rest
}

// Votes draws one panel for each condition, with the curves of the others behind it.
func Votes(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Accuracy of the vote by round",
		Caption: "Share of debates in which a majority vote over the latest answers (in puzzles, one vote per " +
			"player) is right after each round, with its 95 % band; other conditions are grey. A debate that ended " +
			"early keeps its vote."}
	rows, rest := withDebates(c)
	if len(rows) == 0 {
		return f, nil
	}
	f.Caption += rest
	columns := min(3, len(rows))
	panels := make([][]*plot.Plot, (len(rows)+columns-1)/columns)
	for i := range panels {
		panels[i] = make([]*plot.Plot, columns)
	}
	for i, row := range rows {
		p, err := panel(row, rows)
		if err != nil {
			return f, err
		}
		if i%columns == 0 {
			p.Y.Label.Text = "share of debates"
		}
		panels[i/columns][i%columns] = p
	}
	return f, f.Render(chart.Width, vg.Length(len(panels))*vg.Points(170), slices.Concat(panels...)...)
}

// panel draws one condition in front of the others. The band is a polygon: the upper ends of the intervals forth, the
// lower ones back.
func panel(row analysis.Row, all []analysis.Row) (*plot.Plot, error) {
	p, rounds := chart.New(), roundsOf(row)
	p.Title.Text = row.Condition
	p.Add(chart.Grid(false, true))
	var outline plotter.XYs
	for i, r := range rounds {
		outline = append(outline, plotter.XY{X: float64(i), Y: r.Interval.High})
	}
	for i, r := range slices.Backward(rounds) {
		outline = append(outline, plotter.XY{X: float64(i), Y: r.Interval.Low})
	}
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = chart.Band, 0
	p.Add(area)
	for _, other := range all {
		others := roundsOf(other)
		if err := path(p, others[:min(len(others), len(rounds))], chart.Soft, 0.7, false); err != nil {
			return nil, err
		}
	}
	p.X.Label.Text = "after round"
	p.X.Tick.Marker = chart.Whole(len(rounds))
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = chart.Shares, 0, 1
	p.X.Min, p.X.Max = -0.2, float64(len(rounds))-0.8
	return p, path(p, rounds, chart.Better, 2, true)
}

// path draws the accuracy after each round, counted from 0, as a line with or without points.
func path(p *plot.Plot, rounds []analysis.Round, c color.Color, width float64, dots bool) error {
	var points plotter.XYs
	for i, r := range rounds {
		points = append(points, plotter.XY{X: float64(i), Y: r.Accuracy})
	}
	return chart.Join(p, points, c, width, dots)
}

// Transitions draws one row for each condition and round: lost answers to the left, won ones to the right. Where none
// was lost or won, nothing is drawn.
func Transitions(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Answers that became right or wrong",
		Caption: "Share of agents whose answer changed in a round from right to wrong or unparsed (left, orange), " +
			"or to right (right, blue)."}
	var names []string
	var lost, won plotter.Values
	conditions, rest := withDebates(c)
	f.Caption += rest
	moved := 0
	for _, row := range conditions {
		for i, r := range roundsOf(row) {
			if r.Compared > 0 {
				names = append(names, fmt.Sprintf("%s, round %d", row.Condition, i))
				lost = append(lost, -float64(r.Lost)/float64(r.Compared))
				won = append(won, float64(r.Won)/float64(r.Compared))
				moved += r.Lost + r.Won
			}
		}
	}
	if moved == 0 {
		return f, nil
	}
	slices.Reverse(names)
	slices.Reverse(lost)
	slices.Reverse(won)
	p := chart.New()
	p.Add(chart.Grid(true, false))
	most := 0.05
	for i, values := range []plotter.Values{lost, won} {
		bars, err := plotter.NewBarChart(values, vg.Points(11))
		if err != nil {
			return f, err
		}
		bars.Horizontal, bars.LineStyle.Width, bars.Color = true, 0, []color.Color{chart.Worse, chart.Better}[i]
		p.Add(bars)
		for _, v := range values {
			most = max(most, math.Abs(v))
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1.1*most, 1.1*most, -0.6, float64(len(names))-0.4
	p.X.Tick.Marker = chart.Sides
	p.X.Label.Text = "share of agents: became wrong or unparsed (left), right (right)"
	chart.Names(p, names...)
	return f, f.Render(chart.Width, vg.Length(len(names))*vg.Points(19)+chart.Frame, p)
}
