package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/wording"
)

// curve is one series of a sweep over one setting; all other swept settings have one value in it. At[i] is the value at
// which Rows[i] was measured, and add keeps both sorted.
type curve struct {
	Name  string
	At    []float64 // values of the setting, rising; where they are not numbers, their indices in study.values
	Rows  []analysis.Row
	Paper []chart.Point // published numbers
}

// quantity is what a figure of a sweep draws: the accuracy and the interval of its rows.
type quantity struct {
	name, meaning string // how the title and the caption begin
	share         bool   // from 0 to 1
}

var right = quantity{"Accuracy", "Share of right debates", true}

// sweeps draws one figure for every swept setting, with the published numbers over it, and one for each score that
// another program gives. A setting whose values are not numbers has a figure only if no numeric setting is swept.
func sweeps(s study) (figures []chart.Figure, err error) {
	figures, err = s.sweepsOf(right)
	if err != nil || s.Scores == nil {
		return figures, err
	}
	for _, m := range s.Scores.Measures {
		more, err := s.scoredBy(m).sweepsOf(quantity{m.Name,
			"Mean of the numbers that another program gives the decisions", false})
		if err != nil {
			return figures, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// thinking draws accuracy over reasoning, where conditions differ in how long agents may reason.
func thinking(s study) ([]chart.Figure, error) {
	var curves []curve
	for _, t := range s.Comparison.Thinking() {
		c := curve{Name: t.Name}
		for _, p := range t.Points {
			c.At, c.Rows = append(c.At, p.Tokens), append(c.Rows, p.Row)
		}
		curves = append(curves, c)
	}
	if curves == nil {
		return nil, nil
	}
	s.Published, s.For = nil, nil
	return nonEmpty(s.sweep("tokens of reasoning for a question", curves, right))
}

// scoredBy returns a study whose rows have the scores of another program as accuracies. The rows are cloned first: s is
// a copy, but its rows are shared with all other tables of the section. Published numbers are dropped, since papers do
// not publish these scores.
func (s study) scoredBy(m offline.MeasureScores) study {
	s.Published, s.For = nil, nil
	s.Comparison.Rows = slices.Clone(s.Comparison.Rows)
	for i := range s.Comparison.Rows {
		r := &s.Comparison.Rows[i]
		r.N = 0
		for _, c := range m.Conditions {
			if c.Condition != r.Condition {
				continue
			}
			r.N, r.Accuracy, r.Interval = c.Debates, c.Mean, stat.Unknown()
			if c.Interval != nil {
				r.Interval = *c.Interval
			}
		}
	}
	return s
}

// sweepsOf draws a figure for every swept setting that has at least one curve.
func (s study) sweepsOf(q quantity) (figures []chart.Figure, err error) {
	settings := s.settings()
	numeric := slices.DeleteFunc(slices.Clone(settings),
		func(setting string) bool { _, numbers := s.values(setting); return !numbers })
	if len(numeric) > 0 {
		settings = numeric
	}
	for _, setting := range settings {
		curves := s.curves(setting)
		if len(curves) == 0 {
			continue
		}
		f, err := s.sweep(setting, curves, q)
		if err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// curves are the series over a setting; those with a single value are left out.
func (s study) curves(setting string) []curve {
	return slices.DeleteFunc(s.series(setting), func(c curve) bool { return len(c.At) < 2 })
}

// series returns all series over a setting, in the order of the experiment. Points that were not run are skipped, so
// that an unfinished sweep has shorter curves instead of gaps. Two points belong to one series if they agree in the
// experiment's own series and in all settings but this one.
func (s study) series(setting string) (curves []curve) {
	values, numbers := s.values(setting)
	for _, p := range s.Points {
		value := valueAt(p, setting)
		i := slices.IndexFunc(s.Comparison.Rows,
			func(r analysis.Row) bool { return r.Condition == p.Condition && r.N > 0 })
		if value == "" || i < 0 {
			continue
		}
		at := float64(slices.Index(values, value))
		if numbers {
			at, _ = strconv.ParseFloat(value, 64) // values has parsed it
		}
		name := seriesWithout(p, setting)
		k := slices.IndexFunc(curves, func(c curve) bool { return c.Name == name })
		if k < 0 {
			k, curves = len(curves), append(curves, curve{Name: name})
		}
		curves[k].add(at, s.Comparison.Rows[i], s.Published)
	}
	return curves
}

// add inserts a point where its value belongs: files may list values in any order, and a line through unsorted ones
// would run back and forth.
func (c *curve) add(at float64, r analysis.Row, published []Published) {
	k, _ := slices.BinarySearch(c.At, at)
	c.At, c.Rows = slices.Insert(c.At, k, at), slices.Insert(c.Rows, k, r)
	for _, n := range published {
		if n.Condition == r.Condition {
			c.Paper = append(c.Paper, chart.Point{X: at, Y: n.Accuracy})
		}
	}
}

// scores returns the shares of right answers by question and value of the setting. Only questions that were asked at
// each value count: others would make a difference of questions look like one of the setting.
func (s study) scores(c curve) (scores [][]float64, clusters []string) {
	outcomes := s.Table()
	for _, question := range outcomes.Questions() {
		var of []float64
		for _, r := range c.Rows {
			if asked := outcomes.Under(r.Condition).CountOf(question); asked.Times > 0 {
				of = append(of, stat.Share(asked.Right, asked.Times))
			}
		}
		if len(of) == len(c.Rows) {
			scores = append(scores, of)
			clusters = append(clusters, outcomes.Under(c.Rows[0].Condition).Clusters[question])
		}
	}
	return scores, clusters
}

// seriesWithout returns the name of a point's series, with the values of all settings except one.
func seriesWithout(p experiment.Point, setting string) string {
	name := p.Series
	for _, at := range p.At {
		if at.Setting != setting {
			name += fmt.Sprintf(", %s %s", at.Setting, at.Value)
		}
	}
	return name
}

// sweep draws a panel for every curve, with the other curves behind it.
func (s study) sweep(setting string, curves []curve, q quantity) (chart.Figure, error) {
	f := chart.Figure{Title: q.name + " by " + setting, Caption: s.sweepCaption(setting, curves, q)}
	var panels []chart.Panel
	for _, c := range curves[:min(chart.MostPanels, len(curves))] {
		p := s.sweepPanel(setting, c, curves, q)
		if len(panels)%3 == 0 { // the first of its row
			p.Y.Label = q.name
		}
		panels = append(panels, p)
	}
	height := 190.0
	if len(panels) < 3 {
		height = 240
	}
	return f, f.Render(float64((len(panels)+2)/3)*height, panels...)
}

// sweepCaption explains what is drawn. It names the paper's models where its numbers are left out, because a reader who
// knows the paper looks for them.
func (s study) sweepCaption(setting string, curves []curve, q quantity) string {
	caption := fmt.Sprintf("%s at each value of %s, with its 95 %% band", q.meaning, setting)
	if len(curves) > 1 {
		caption += "; other series are grey"
	}
	caption += "."
	if spread(curves) {
		caption += fmt.Sprintf(" The axis of %s is logarithmic.", setting)
	}
	if len(curves) > chart.MostPanels {
		caption += fmt.Sprintf(" The first %d of %d series have a panel.", chart.MostPanels, len(curves))
	}
	if slices.ContainsFunc(curves, func(c curve) bool { return len(c.Paper) > 0 }) {
		return caption + fmt.Sprintf(" Diamonds: published for a model with the same name (%s).",
			wording.List(s.From))
	}
	if len(s.For) > 0 {
		caption += fmt.Sprintf(" The paper reports this for %s, not for %s; its numbers are not drawn.",
			wording.List(s.For),
			s.Header.Model.Name)
	}
	return caption
}

// sweepPanel draws one curve with its band above all others in grey. The vertical axis begins at zero and its end comes
// from all curves, so that panels can be compared by eye.
func (s study) sweepPanel(setting string, c curve, all []curve, q quantity) chart.Panel {
	low, high := math.Inf(1), math.Inf(-1)
	for _, other := range all {
		for _, r := range other.Rows {
			drawn := drawnTo(r)
			low, high = min(low, drawn.Low), max(high, drawn.High)
		}
		for _, theirs := range other.Paper {
			low, high = min(low, theirs.Y), max(high, theirs.Y)
		}
	}
	p := chart.Panel{Title: c.Name, X: chart.Axis{Label: setting},
		Y:     chart.Axis{Low: min(0, low), High: max(0, high), Grid: true},
		Marks: []chart.Mark{{Kind: chart.Bands, Colour: chart.Band, Points: c.line()}}}
	for _, other := range all {
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 0.6, Points: other.line()})
	}
	p.Marks = append(p.Marks, chart.Curve(c.line(), chart.Better, 2)...)
	p.Marks = append(p.Marks, chart.Mark{Kind: chart.Diamonds, Colour: chart.Published, Size: 4, Points: c.Paper})
	if q.share {
		p.Y.Ticks, p.Y.Low, p.Y.High = chart.Shares, 0, chart.CeilTenth(high)
	}
	values, numbers := s.values(setting)
	if p.X.Log = spread(all); len(values) > 0 { // else the values were measured, and lie anywhere
		p.X.Ticks = ticksAt(c.At, values, numbers)
	}
	if !numbers {
		p.X.Low, p.X.High = -0.3, float64(len(values))-0.7
	}
	return p
}

// spread reports whether the values of the curves lie so far apart that only a logarithmic axis tells them from each
// other: positive ones, the largest of which is twenty times the least.
func spread(curves []curve) bool {
	least, most := math.Inf(1), 0.0
	for _, c := range curves {
		least, most = min(least, slices.Min(c.At)), max(most, slices.Max(c.At))
	}
	return least > 0 && most >= 20*least
}

// line returns the points of the curve, from the lowest value of the setting to the highest.
func (c curve) line() (points []chart.Point) {
	for i, r := range c.Rows {
		points = append(points, chart.Point{X: c.At[i], Y: r.Accuracy, Span: drawnTo(r)})
	}
	return points
}

// drawnTo is how far the band of a curve goes beside a number: nowhere where its interval is not known.
func drawnTo(r analysis.Row) *chart.Interval {
	if !r.Interval.Known() {
		return &chart.Interval{Low: r.Accuracy, High: r.Accuracy}
	}
	return (*chart.Interval)(&r.Interval)
}

// ticksAt ticks the values.
func ticksAt(at []float64, names []string, numbers bool) chart.Ticks {
	return func(float64, float64) (ticks []chart.Tick) {
		for _, x := range at {
			label := strconv.FormatFloat(x, 'g', -1, 64)
			if !numbers {
				label = names[int(x)]
			}
			ticks = append(ticks, chart.Tick{At: x, Label: label})
		}
		return ticks
	}
}
