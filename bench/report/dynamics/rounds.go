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
	var panels []chart.Panel
	for i, row := range rows {
		p := panel(row, rows)
		if i%3 == 0 { // the first of its row
			p.Y.Label = "share of debates"
		}
		panels = append(panels, p)
	}
	return f, f.Render(float64((len(panels)+2)/3)*170, panels...)
}

// panel has one condition in front of the others.
func panel(row analysis.Row, all []analysis.Row) chart.Panel {
	rounds := pathOf(roundsOf(row))
	last := len(rounds) - 1
	p := chart.Panel{Title: row.Condition,
		X: chart.Axis{Label: "after round", Low: -0.2, High: float64(last) + 0.2, Ticks: chart.Whole(0, last)},
		Y: chart.Axis{High: 1, Ticks: chart.Shares, Grid: true}}
	p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bands, Colour: chart.Band, Points: rounds})
	for _, other := range all {
		others := pathOf(roundsOf(other))
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 0.7,
			Points: others[:min(len(others), len(rounds))]})
	}
	p.Marks = append(p.Marks, chart.Curve(rounds, chart.Better, 2)...)
	return p
}

// pathOf has the accuracy after each round, counted from 0, with its interval.
func pathOf(rounds []analysis.Round) (points []chart.Point) {
	for i, r := range rounds {
		points = append(points, chart.Point{X: float64(i), Y: r.Accuracy,
			Span: &chart.Interval{Low: r.Interval.Low, High: r.Interval.High}})
	}
	return points
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
