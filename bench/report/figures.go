package report

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/report/course"
)

// figuresOf draws all figures for which a run has something to show.
func figuresOf(s study) (figures []chart.Figure, err error) {
	figures, err = sweeps(s)
	var rounds map[string][]analysis.Round
	if s.Exact() { // else it is not known who was right before the decision
		pooled, poolErr := pools(s)
		figures, err = append(figures, pooled...), errors.Join(err, poolErr)
		rounds = course.RoundsOf(s.Table())
	}
	for _, draw := range []func() (chart.Figure, error){
		func() (chart.Figure, error) { return accuracies(s) },
		func() (chart.Figure, error) { return course.Votes(s.Comparison, rounds) },
		func() (chart.Figure, error) { return course.Transitions(s.Comparison, rounds) },
	} {
		f, drawErr := draw()
		if drawErr != nil {
			err = errors.Join(err, fmt.Errorf("figure %q: %w", f.Title, drawErr))
		}
		if f.SVG != "" {
			figures = append(figures, f)
		}
	}
	for _, draw := range []func(analysis.Comparison) ([]chart.Figure, error){course.RepeatFigures,
		course.PuzzleFigures} {
		more, drawErr := draw(s.Comparison)
		figures, err = append(figures, more...), errors.Join(err, drawErr)
	}
	return figures, err
}

// accuracies draws one row for each condition, the first one on top. If there are many, points of sweeps are left to
// the figures of their sweeps.
func accuracies(s study) (chart.Figure, error) {
	f := chart.Figure{Title: "Accuracy by condition", Caption: "Points with 95 % intervals; conditions that look at " +
		"the truth are grey. The dashed line is the constant guess."}
	c, published := s.Comparison, s.Published
	if len(c.Rows) > chart.MostRows {
		c.Rows = slices.DeleteFunc(slices.Clone(c.Rows),
			func(r analysis.Row) bool { return len(s.point(r.Condition).At) > 0 })
		f.Caption += " Sweeps have figures of their own."
		s.Comparison = c
	}
	n := len(c.Rows)
	if n == 0 {
		return f, nil
	}
	p := chart.New()
	guess, err := plotter.NewLine(plotter.XYs{{X: c.Guess, Y: -0.5}, {X: c.Guess, Y: float64(n) - 0.5}})
	if err != nil {
		return f, err
	}
	guess.Color, guess.Dashes = chart.Soft, []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(chart.Grid(true, false), guess)
	names := make([]string, n)
	for i, r := range rowsOf(s) {
		y := n - 1 - i
		names[y] = r.Condition
		if err := point(p, r, float64(y)); err != nil {
			return f, err
		}
	}
	theirs, missing := over(c, published)
	if len(theirs) > 0 {
		if err := chart.Scatter(p, theirs, draw.PyramidGlyph{}, chart.Worse, 4.5); err != nil {
			return f, err
		}
		f.Caption += " Triangles are the published numbers."
	}
	if len(missing) > 0 && s.Points == nil {
		f.Caption += " Published, but not in this run: " + strings.Join(missing, ", ") + "."
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.5, float64(n)-0.5
	p.X.Label.Text = "share of debates that are right"
	p.X.Tick.Marker = chart.Shares
	p.NominalY(names...)
	return f, f.Render(chart.Width, vg.Length(n)*chart.RowHeight+chart.Frame, p)
}

// point draws an accuracy with its interval, in grey if its row is set apart.
func point(p *plot.Plot, r row, y float64) error {
	if r.N == 0 { // there is no accuracy
		return nil
	}
	c := color.Color(chart.Better)
	if r.Apart() {
		c = chart.Soft
	}
	l, err := plotter.NewLine(plotter.XYs{{X: r.Interval.Low, Y: y}, {X: r.Interval.High, Y: y}})
	if err != nil {
		return err
	}
	l.Color, l.Width = c, vg.Points(1.5)
	p.Add(l)
	return chart.Scatter(p, plotter.XYs{{X: r.Accuracy, Y: y}}, draw.CircleGlyph{}, c, 3.5)
}

// over places published numbers in the rows of their conditions; missing are those without a row.
func over(c analysis.Comparison, published []Published) (points plotter.XYs, missing []string) {
	for _, number := range published {
		i := slices.IndexFunc(c.Rows, func(r analysis.Row) bool { return r.Condition == number.Condition })
		if i < 0 {
			missing = append(missing, number.Condition)
			continue
		}
		points = append(points, plotter.XY{X: number.Accuracy, Y: float64(len(c.Rows) - 1 - i)})
	}
	return points, missing
}
