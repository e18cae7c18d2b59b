package dynamics

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
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
	return firstOf(rows, "with several rounds")
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
	var paths []path
	for _, row := range rows {
		p := path{condition: row.Condition}
		for i, r := range roundsOf(row) {
			p.points = append(p.points, chart.Point{X: float64(i), Y: r.Accuracy,
				Span: &chart.Interval{Low: r.Interval.Low, High: r.Interval.High}})
		}
		paths = append(paths, p)
	}
	err := drawPaths(&f, paths, "after round", "share of debates")
	return f, err
}

// path is a share of a condition in the course of its debates.
type path struct {
	condition string
	points    []chart.Point // their spans are drawn if the first has one
}

// drawPaths draws one panel for each path, as long as it is, with the others behind it.
func drawPaths(f *chart.Figure, paths []path, x, y string) error {
	var panels []chart.Panel
	for i, own := range paths {
		last := own.points[len(own.points)-1].X
		p := chart.Panel{Title: own.condition,
			X: chart.Axis{Label: x, Low: -0.2, High: last + 0.2, Ticks: chart.Whole(0, int(last))},
			Y: chart.Axis{High: 1, Ticks: chart.Shares, Grid: true}}
		if i%3 == 0 { // the first of its row
			p.Y.Label = y
		}
		if own.points[0].Span != nil {
			p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bands, Colour: chart.Band, Points: own.points})
		}
		for _, other := range paths {
			p.Marks = append(p.Marks, chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 0.7,
				Points: other.points[:min(len(other.points), len(own.points))]})
		}
		p.Marks = append(p.Marks, chart.Curve(own.points, chart.Better, 2)...)
		panels = append(panels, p)
	}
	return f.Render(float64((len(panels)+2)/3)*170, panels...)
}

// firstOf returns as many of the conditions as a figure has room for; if that is not all, rest says so. are says what
// the conditions have in common.
func firstOf[T any](list []T, are string) (first []T, rest string) {
	if len(list) <= chart.MostPanels {
		return list, ""
	}
	return list[:chart.MostPanels], fmt.Sprintf(" The first %d of %d conditions %s are drawn.", chart.MostPanels,
		len(list), are)
}

// Transitions draws one row for each condition and round: lost answers to the left, won ones to the right. Where none
// was lost or won, nothing is drawn.
func Transitions(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Answers that became right or wrong",
		Caption: "Share of agents whose answer changed in a round from right to wrong or unparsed (left, orange), " +
			"or to right (right, blue)."}
	lost := chart.Mark{Kind: chart.Bars, Colour: chart.Worse, Size: 11}
	won := chart.Mark{Kind: chart.Bars, Colour: chart.Better, Size: 11}
	var names []string
	moved, most := 0, 0.05
	conditions, rest := withDebates(c)
	f.Caption += rest
	for _, row := range conditions {
		for i, r := range roundsOf(row) {
			if r.Compared > 0 {
				at := chart.Point{Y: float64(len(names))}
				names = append(names, fmt.Sprintf("%s, round %d", row.Condition, i))
				left, right := stat.Share(r.Lost, r.Compared), stat.Share(r.Won, r.Compared)
				at.Span = &chart.Interval{Low: -left}
				lost.Points = append(lost.Points, at)
				at.Span = &chart.Interval{High: right}
				won.Points = append(won.Points, at)
				moved, most = moved+r.Lost+r.Won, max(most, left, right)
			}
		}
	}
	if moved == 0 {
		return f, nil
	}
	p := chart.Panel{Y: chart.Axis{Names: names}, Marks: []chart.Mark{lost, won},
		X: chart.Axis{Label: "share of agents: became wrong or unparsed (left), right (right)", Low: -1.1 * most,
			High: 1.1 * most, Ticks: chart.Sides, Grid: true}}
	return f, f.Render(float64(len(names))*19+chart.Frame, p)
}
