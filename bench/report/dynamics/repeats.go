package dynamics

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
)

// RepeatFigures are MADC's Figures 4 and 5, of runs with repeats: log-likelihood and entropy by condition, with
// their spread. Both are as its program computes them, which is finite whatever agents answer.
func RepeatFigures(c analysis.Comparison) (figures []chart.Figure, err error) {
	for _, of := range []struct{ metric, title, axis, number string }{
		{analysis.LikelihoodByCode, "Log-likelihood of right answers over repeats", "bits, summed over questions", "4"},
		{analysis.EntropyByCode, "Entropy of answers over repeats", "bits, mean over questions", "5"},
	} {
		rows := slices.DeleteFunc(slices.Clone(c.Repeated), func(r analysis.Repeated) bool {
			return r.Metric != of.metric || len(r.Values) == 0
		})
		if len(rows) == 0 {
			continue
		}
		f := chart.Figure{Title: of.title, Caption: fmt.Sprintf("Mean over repeats, with a line of one standard "+
			"deviation to each side; each small point below it is one repeat. As the program of MADC computes "+
			"it, from parsed answers of all rounds (its Figure %s).", of.number)}
		if len(rows) > chart.MostRows {
			f.Caption += fmt.Sprintf(" The first %d of %d conditions are drawn.", chart.MostRows, len(rows))
			rows = rows[:chart.MostRows]
		}
		if err := spreads(&f, rows, of.axis); err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// spreads draws a row for each condition, the first one on top.
func spreads(f *chart.Figure, rows []analysis.Repeated, axis string) error {
	const below = 0.25 // the points of repeats, so that the line does not hide them
	means, single := chart.Mark{Colour: chart.Better, Size: 3.5}, chart.Mark{Colour: chart.Soft, Size: 1.6}
	low, high := rows[0].Values[0], rows[0].Values[0]
	var names []string
	for i, r := range rows {
		at, s := float64(i), r.Spread()
		names = append(names, r.Condition)
		span := &chart.Interval{Low: s.Mean - s.Deviation, High: s.Mean + s.Deviation}
		means.Points = append(means.Points, chart.Point{X: s.Mean, Y: at, Span: span})
		for _, v := range r.Values {
			single.Points = append(single.Points, chart.Point{X: v, Y: at + below})
			low, high = min(low, v, span.Low), max(high, v, span.High)
		}
	}
	room := max(0.05*(high-low), 0.01) // so that no point lies on the edge
	return f.Render(float64(len(rows))*chart.RowHeight+chart.Frame, chart.Panel{Y: chart.Axis{Names: names},
		X: chart.Axis{Label: axis, Low: low - room, High: high + room, Grid: true}, Marks: []chart.Mark{single, means}})
}
