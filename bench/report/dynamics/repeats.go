package dynamics

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	p := chart.New()
	p.Add(chart.Grid(true, false))
	names := make([]string, len(rows))
	const below = 0.25 // the points of repeats, so that the line does not hide them
	low, high := rows[0].Values[0], rows[0].Values[0]
	for i, r := range rows {
		at, s := float64(len(rows)-1-i), r.Spread()
		names[len(rows)-1-i] = r.Condition
		var single plotter.XYs
		for _, v := range r.Values {
			single = append(single, plotter.XY{X: v, Y: at - below})
			low, high = min(low, v, s.Mean-s.Deviation), max(high, v, s.Mean+s.Deviation)
		}
		ends := plotter.XYs{{X: s.Mean - s.Deviation, Y: at}, {X: s.Mean + s.Deviation, Y: at}}
		if err := chart.Join(p, ends, chart.Better, 1.5, false); err != nil {
			return err
		}
		if err := chart.Scatter(p, single, draw.CircleGlyph{}, chart.Soft, 1.6); err != nil {
			return err
		}
		if err := chart.Scatter(p, plotter.XYs{{X: s.Mean, Y: at}}, draw.CircleGlyph{}, chart.Better,
			3.5); err != nil {
			return err
		}
	}
	room := max(0.05*(high-low), 0.01) // so that no point lies on the edge
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-room, high+room, -0.5, float64(len(rows))-0.5
	p.X.Label.Text = axis
	chart.Names(p, names...)
	return f.Render(chart.Width, vg.Length(len(rows))*chart.RowHeight+chart.Frame, p)
}
