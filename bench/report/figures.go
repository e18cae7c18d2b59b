package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
)

// accuracies draws one row for each condition, the first one on top. If there are many, points of sweeps are left to
// the figures of their sweeps. s and its comparison are copies, so that leaving rows out here changes no table.
func accuracies(s study) (chart.Figure, error) {
	f := chart.Figure{Title: "Accuracy by condition", Caption: "Points with 95 % intervals; conditions that look at " +
		"the truth are grey. The dashed line is the constant guess."}
	c, published := s.Comparison, s.Published
	c.Rows = c.Distinct()
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
	var names []string
	for _, r := range c.Rows {
		names = append(names, strings.ReplaceAll(r.Names(), " = ", " =\n"))
	}
	p := accuracyPanel(s.rowsOf(c.Rows), names, &c.Guess)
	theirs, missing := over(c, published)
	if len(theirs) > 0 {
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Diamonds, Colour: chart.Published, Size: 4.5, Points: theirs})
		f.Caption += " Diamonds are the published numbers."
	}
	if len(missing) > 0 && s.Points == nil {
		f.Caption += " Published, but not in this run: " + strings.Join(missing, ", ") + "."
	}
	return f, f.Render(float64(n)*chart.RowHeight+chart.Frame, p)
}

// front draws accuracy over tokens, and the front through what no other condition beats with as few.
func front(s study) (f chart.Figure, err error) {
	f = chart.Figure{Title: "Accuracy over tokens", Caption: "Each point is a condition with its 95 % interval, by " +
		"the tokens that it generates for a question. The line is the front: no other condition has a higher " +
		"accuracy with as few tokens. The table says what is shown to be better."}
	if s.Comparison.Front == nil {
		return f, nil
	}
	on, off := chart.Mark{Colour: chart.Better, Size: 3.5}, chart.Mark{Colour: chart.Soft, Size: 3}
	line := chart.Mark{Kind: chart.Lines, Colour: chart.Better, Size: 1.5}
	names := chart.Mark{Kind: chart.Labels, Colour: chart.Soft}
	low := 1.0
	for _, p := range s.Comparison.Front.Points {
		low = min(low, p.Interval.Low)
		point := chart.Point{X: p.Tokens, Y: p.Accuracy, Text: p.Condition,
			Span: &chart.Interval{Low: p.Interval.Low, High: p.Interval.High}}
		names.Points = append(names.Points, point)
		if !p.OnFront {
			off.Points = append(off.Points, point)
			continue
		}
		if n := len(line.Points); n > 0 { // a step: more tokens alone bring nothing
			line.Points = append(line.Points, chart.Point{X: p.Tokens, Y: line.Points[n-1].Y})
		}
		on.Points, line.Points = append(on.Points, point), append(line.Points, point)
	}
	fewest, most := on.Points[0].X, s.Comparison.Front.Points[len(names.Points)-1].Tokens
	return f, f.Render(280, chart.Panel{Marks: []chart.Mark{line, off, on, names},
		X: chart.Axis{Label: "tokens generated for a question", Log: true, Low: fewest / 1.2, High: 1.2 * most,
			Grid: true},
		Y: chart.Axis{Label: "share right", Low: math.Floor(10*low) / 10, High: 1.05, Ticks: chart.Shares}})
}

// accuracyPanel has accuracies with their intervals, in grey if a row is set apart, and the constant guess, nil for
// none. A row in which nothing was held has no accuracy to draw.
func accuracyPanel(rows []row, names []string, guess *float64) chart.Panel {
	p := chart.Panel{Y: chart.Axis{Names: names},
		X: chart.Axis{Label: "share of debates that are right", High: 1, Ticks: chart.Shares, Grid: true}}
	if guess != nil {
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 1, Dashed: true,
			Points: []chart.Point{{X: *guess, Y: -0.5}, {X: *guess, Y: float64(len(rows)) - 0.5}}})
	}
	for _, apart := range []bool{false, true} {
		m := chart.Mark{Colour: chart.Better, Size: 3.5}
		if apart {
			m.Colour = chart.Soft
		}
		for i, r := range rows {
			if r.N > 0 && r.Apart() == apart {
				m.Points = append(m.Points, chart.Point{X: r.Accuracy, Y: float64(i),
					Span: &chart.Interval{Low: r.Interval.Low, High: r.Interval.High}})
			}
		}
		p.Marks = append(p.Marks, m)
	}
	return p
}

// mostForest is how many rows a forest plot has at most. The tables beside it have all numbers.
const mostForest = 60

// forests draw published numbers next to ours, one figure for each measure: those that are compared filled, those for
// other models or other questions hollow. Left out are numbers that the run does not have, and those beside which the
// user's own questions were asked: they have nothing in common but the name of the task.
//
// A measure has one row for each condition of a task, however many numbers are published for it; tasks and measures
// stand in the order in which they are first published. Measures have different units, and so never share an axis.
func forests(compared, apart []pair) (figures []chart.Figure, err error) {
	type thing struct{ task, condition string }
	var tasks, measures []string
	things, rows := make(map[string][]thing), make(map[string]map[thing]*chart.Measured)
	for i, p := range slices.Concat(compared, apart) {
		if !p.Ours.Known || p.Replaced || p.Contrast != "" { // differences have no axis in common with the rest
			continue
		}
		of := thing{p.Task, p.Condition}
		if tasks, measures = appendNew(tasks, p.Task), appendNew(measures, p.Measure); rows[p.Measure] == nil {
			rows[p.Measure] = make(map[thing]*chart.Measured)
		}
		r := rows[p.Measure][of]
		if r == nil {
			r = &chart.Measured{Name: p.Condition, Value: p.Ours.Value,
				Interval: (*chart.Interval)(p.Ours.Interval)}
			rows[p.Measure][of], things[p.Measure] = r, append(things[p.Measure], of)
		}
		if i < len(compared) {
			r.Beside = append(r.Beside, p.Value)
		} else {
			r.Apart = append(r.Apart, p.Value)
		}
	}
	for _, measure := range measures {
		var list []chart.Measured
		for _, of := range things[measure][:min(mostForest, len(things[measure]))] {
			r := *rows[measure][of]
			if len(tasks) > 1 {
				r.Name = of.task + " · " + r.Name
			}
			list = append(list, r)
		}
		f, drawErr := chart.Forest("Ours and published: "+measure, measure, list)
		if drawErr != nil {
			return figures, fmt.Errorf("figure of published numbers, %s: %w", measure, drawErr)
		}
		f.Caption = forestCaption(list, len(things[measure]))
		figures = append(figures, f)
	}
	return figures, nil
}

// forestCaption explains the points that there are.
func forestCaption(rows []chart.Measured, all int) string {
	has := func(of func(chart.Measured) bool) bool { return slices.ContainsFunc(rows, of) }
	caption := "Circles are ours"
	if has(func(r chart.Measured) bool { return r.Interval != nil }) {
		caption += ", with 95 % intervals"
	}
	if caption += "."; has(func(r chart.Measured) bool { return len(r.Beside) > 0 }) {
		caption += " Filled diamonds are published for a model with the same name on the same questions."
	}
	if has(func(r chart.Measured) bool { return len(r.Apart) > 0 }) {
		caption += " Hollow diamonds are published for other models or other questions: they are shown, but not " +
			"comparable with ours."
	}
	if len(rows) < all {
		caption += fmt.Sprintf(" The first %d of %d are drawn.", len(rows), all)
	}
	return caption
}

// over places published numbers in the rows of their conditions; missing has those without a row. A condition that is a
// copy of another one is found in the row of that one.
func over(c analysis.Comparison, published []Published) (points []chart.Point, missing []string) {
	for _, number := range published {
		i := slices.IndexFunc(c.Rows, func(r analysis.Row) bool {
			return r.Condition == number.Condition || slices.Contains(r.Duplicates, number.Condition)
		})
		if i < 0 {
			missing = append(missing, number.Condition)
			continue
		}
		points = append(points, chart.Point{X: number.Accuracy, Y: float64(i)})
	}
	return points, missing
}
