package report

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"parley/bench/analysis"
)

// figure is a drawing with what it shows.
type figure struct {
	Title, Caption string
	SVG            template.HTML
}

// Colours of drawings stand for variables of the page's style, which differ in the dark.
var (
	ink, soft, line     = color.RGBA{1, 1, 1, 255}, color.RGBA{2, 2, 2, 255}, color.RGBA{3, 3, 3, 255}
	better, worse, band = color.RGBA{4, 4, 4, 255}, color.RGBA{5, 5, 5, 255}, color.RGBA{6, 6, 6, 255}
	pale                = color.RGBA{7, 7, 7, 255}
	variables           = strings.NewReplacer("#010101", "var(--ink)", "#020202", "var(--soft)", "#030303",
		"var(--line)", "#040404", "var(--right)", "#050505", "var(--wrong)", "#060606", "var(--band)", "#070707",
		"var(--pale)")
	width, rowHeight, frame = vg.Points(640), vg.Points(24), vg.Points(64)
)

// figuresOf draws what there is to draw.
func figuresOf(s study) (figures []figure, err error) {
	figures, err = sweeps(s)
	var rounds map[string][]analysis.Round
	if s.Exact() { // if not, who was right before the decision is not known
		pooled, poolErr := pools(s)
		figures, err = append(figures, pooled...), errors.Join(err, poolErr)
		rounds = roundsOf(s.Run)
	}
	for _, draw := range []func() (figure, error){
		func() (figure, error) { return accuracies(s) },
		func() (figure, error) { return votes(s.Comparison, rounds) },
		func() (figure, error) { return transitions(s.Comparison, rounds) },
	} {
		f, drawErr := draw()
		if drawErr != nil {
			err = errors.Join(err, fmt.Errorf("figure %q: %w", f.Title, drawErr))
		}
		if f.SVG != "" {
			figures = append(figures, f)
		}
	}
	return figures, err
}

// Bounds of what one figure shows.
const (
	mostRows   = 40
	mostPanels = 12
)

// accuracies draws one row a condition, the first one on top. Where they are many, those of sweeps are left to their
// own figures.
func accuracies(s study) (figure, error) {
	f := figure{Title: "Accuracy by condition", Caption: "Points with 95 % intervals; conditions that look at the " +
		"truth are grey. The dashed line is the constant guess."}
	c, published := s.Comparison, s.Published
	if len(c.Rows) > mostRows {
		c.Rows = slices.DeleteFunc(slices.Clone(c.Rows),
			func(r analysis.Row) bool { return len(s.point(r.Condition).At) > 0 })
		f.Caption += " Sweeps have figures of their own."
		s.Comparison = c
	}
	n := len(c.Rows)
	if n == 0 {
		return f, nil
	}
	p := newPlot()
	guess, err := plotter.NewLine(plotter.XYs{{X: c.Guess, Y: -0.5}, {X: c.Guess, Y: float64(n) - 0.5}})
	if err != nil {
		return f, err
	}
	guess.Color, guess.Dashes = soft, []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(grid(true, false), guess)
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
		if err := scatter(p, theirs, draw.PyramidGlyph{}, worse, 4.5); err != nil {
			return f, err
		}
		f.Caption += " Triangles are the published numbers."
	}
	if len(missing) > 0 && s.Points == nil {
		f.Caption += " Published, but not in this run: " + strings.Join(missing, ", ") + "."
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.5, float64(n)-0.5
	p.X.Label.Text = "share of debates that are right"
	p.X.Tick.Marker = shares
	p.NominalY(names...)
	return f, f.render(width, vg.Length(n)*rowHeight+frame, p)
}

// point draws an accuracy with its interval, in grey if it is no method's.
func point(p *plot.Plot, r row, y float64) error {
	if r.N == 0 { // none of its debates could be held
		return nil
	}
	c := color.Color(better)
	if r.Apart() {
		c = soft
	}
	l, err := plotter.NewLine(plotter.XYs{{X: r.Interval.Low, Y: y}, {X: r.Interval.High, Y: y}})
	if err != nil {
		return err
	}
	l.Color, l.Width = c, vg.Points(1.5)
	p.Add(l)
	return scatter(p, plotter.XYs{{X: r.Accuracy, Y: y}}, draw.CircleGlyph{}, c, 3.5)
}

// over places published numbers in the rows of their conditions.
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

// debated are the first conditions in which agents answered more than once, in the order of the table; rest says of how
// many more, if there are any.
func debated(c analysis.Comparison, rounds map[string][]analysis.Round) (names []string, rest string) {
	for _, r := range c.Rows {
		if slices.ContainsFunc(rounds[r.Condition], func(round analysis.Round) bool { return round.Compared > 0 }) {
			names = append(names, r.Condition)
		}
	}
	if len(names) > mostPanels {
		rest = fmt.Sprintf(" The first %d of %d conditions with several rounds are drawn.", mostPanels, len(names))
		names = names[:mostPanels]
	}
	return names, rest
}

// votes draws one panel a condition, with the others behind it.
func votes(c analysis.Comparison, rounds map[string][]analysis.Round) (figure, error) {
	f := figure{Title: "Accuracy of the vote by round",
		Caption: "Share of debates in which a majority vote over the latest answers (in puzzles, one vote per " +
			"player) is right after each round, with its 95 % band; other conditions are grey. A debate that ended " +
			"early keeps its vote."}
	names, rest := debated(c, rounds)
	if len(names) == 0 {
		return f, nil
	}
	f.Caption += rest
	low := 1.0
	for _, name := range names {
		for _, r := range rounds[name] {
			low = min(low, r.Interval.Low)
		}
	}
	columns := min(3, len(names))
	panels := make([][]*plot.Plot, (len(names)+columns-1)/columns)
	for i := range panels {
		panels[i] = make([]*plot.Plot, columns)
	}
	for i, name := range names {
		p, err := panel(name, names, rounds)
		if err != nil {
			return f, err
		}
		p.Y.Min, p.Y.Max = math.Floor(low*10)/10, 1
		panels[i/columns][i%columns] = p
	}
	return f, f.render(width, vg.Length(len(panels))*vg.Points(170), slices.Concat(panels...)...)
}

func panel(name string, names []string, rounds map[string][]analysis.Round) (*plot.Plot, error) {
	p := newPlot()
	p.Title.Text = name
	p.Add(grid(false, true))
	var outline plotter.XYs
	for i, r := range rounds[name] {
		outline = append(outline, plotter.XY{X: float64(i), Y: r.Interval.High})
	}
	for i, r := range slices.Backward(rounds[name]) {
		outline = append(outline, plotter.XY{X: float64(i), Y: r.Interval.Low})
	}
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = band, 0
	p.Add(area)
	for _, other := range names {
		if err := path(p, rounds[other], line, 1); err != nil {
			return nil, err
		}
	}
	p.X.Label.Text = "after round"
	p.X.Tick.Marker = whole(len(rounds[name]))
	p.Y.Tick.Marker = shares
	p.X.Min, p.X.Max = -0.2, float64(len(rounds[name]))-0.8
	return p, path(p, rounds[name], better, 2)
}

func path(p *plot.Plot, rounds []analysis.Round, c color.Color, width float64) error {
	var points plotter.XYs
	for i, r := range rounds {
		points = append(points, plotter.XY{X: float64(i), Y: r.Accuracy})
	}
	return join(p, points, c, width, true)
}

// join draws a line through points, with or without the points.
func join(p *plot.Plot, points plotter.XYs, c color.Color, width float64, dots bool) error {
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Color, l.Width = c, vg.Points(width)
	p.Add(l)
	if !dots {
		return nil
	}
	return scatter(p, points, draw.CircleGlyph{}, c, 1+width)
}

// transitions draws one row a condition and round: to the left what was lost, to the right what was won.
func transitions(c analysis.Comparison, rounds map[string][]analysis.Round) (figure, error) {
	f := figure{Title: "Answers that became right or wrong",
		Caption: "Share of agents whose answer changed in a round from right to wrong or unparsed (left, orange), " +
			"or to right (right, blue)."}
	var names []string
	var lost, won plotter.Values
	conditions, rest := debated(c, rounds)
	f.Caption += rest
	for _, name := range conditions {
		for i, r := range rounds[name] {
			if r.Compared > 0 {
				names = append(names, fmt.Sprintf("%s, round %d", name, i))
				lost = append(lost, -float64(r.Lost)/float64(r.Compared))
				won = append(won, float64(r.Won)/float64(r.Compared))
			}
		}
	}
	if len(names) == 0 {
		return f, nil
	}
	slices.Reverse(names)
	slices.Reverse(lost)
	slices.Reverse(won)
	p := newPlot()
	p.Add(grid(true, false))
	most := 0.05
	for i, values := range []plotter.Values{lost, won} {
		bars, err := plotter.NewBarChart(values, vg.Points(11))
		if err != nil {
			return f, err
		}
		bars.Horizontal, bars.LineStyle.Width, bars.Color = true, 0, []color.Color{worse, better}[i]
		p.Add(bars)
		for _, v := range values {
			most = max(most, math.Abs(v))
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1.1*most, 1.1*most, -0.6, float64(len(names))-0.4
	p.X.Tick.Marker = sides
	p.NominalY(names...)
	return f, f.render(width, vg.Length(len(names))*vg.Points(19)+frame, p)
}

// newPlot is an empty plot in the report's style.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color, a.Label.TextStyle.Color = line, line, ink, soft
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = vg.Points(10), vg.Points(10)
		a.Tick.Length, a.LineStyle.Width = vg.Points(3), vg.Points(0.7)
		a.Padding = vg.Points(4)
	}
	p.Title.TextStyle.Color, p.Title.TextStyle.Font.Variant, p.Title.TextStyle.Font.Size = ink, "Sans", vg.Points(11)
	p.Title.Padding = vg.Points(4)
	return p
}

func grid(vertical, horizontal bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = nil, nil
	if vertical {
		g.Vertical.Color = line
	}
	if horizontal {
		g.Horizontal.Color = line
	}
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}

func scatter(p *plot.Plot, points plotter.XYs, shape draw.GlyphDrawer, c color.Color, radius float64) error {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	p.Add(s)
	return nil
}

// shares ticks every fifth, or tenth where little is shown, and sides what is lost and won, both without a sign.
var (
	shares = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		step := 2
		if high-low < 0.45 {
			step = 1
		}
		for tenth := 0; tenth <= 10; tenth += step {
			if v := float64(tenth) / 10; v >= low-1e-9 && v <= high+1e-9 {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%d %%", 10*tenth)})
			}
		}
		return ticks
	})
	sides = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		step := 0.01
		for _, larger := range []float64{0.02, 0.05, 0.1, 0.2, 0.25} {
			if high/step > 4 {
				step = larger
			}
		}
		for i := math.Ceil(low / step); i <= high/step; i++ {
			ticks = append(ticks, plot.Tick{Value: i * step, Label: fmt.Sprintf("%.0f %%", 100*math.Abs(i*step))})
		}
		return ticks
	})
)

// floorTenth and ceilTenth are where an axis of shares begins and ends.
func floorTenth(share float64) float64 { return math.Max(0, math.Floor(share*10)/10) }
func ceilTenth(share float64) float64  { return math.Min(1, math.Ceil(share*10)/10) }

func whole(n int) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, n)
	for i := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprint(i)}
	}
	return ticks
}

// render draws plots in rows of three.
func (f *figure) render(w, h vg.Length, plots ...*plot.Plot) error {
	canvas := vgsvg.New(w, h)
	columns := min(3, len(plots))
	rows := make([][]*plot.Plot, 0, len(plots)/columns)
	for row := range slices.Chunk(plots, columns) {
		rows = append(rows, row)
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: vg.Points(16), PadY: vg.Points(12),
		PadRight: vg.Points(10), PadTop: vg.Points(4)}
	for i, row := range plot.Align(rows, tiles, draw.New(canvas)) {
		for j, c := range row {
			if rows[i][j] != nil {
				rows[i][j].Draw(c)
			}
		}
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	f.SVG = template.HTML(inline(b.String(), f.Title))
	return nil
}

// inline makes a drawing part of a page: without the prolog of a file, of any width, in the colours of the page and
// with a name.
func inline(svg, title string) string {
	_, svg, _ = strings.Cut(svg, "<svg")
	attributes, rest, _ := strings.Cut(svg, ">")
	box := attributes[strings.Index(attributes, "viewBox="):]
	box = box[:strings.Index(box, "\n")]
	return variables.Replace(fmt.Sprintf(`<svg %s role="img" aria-label="%s">%s`, box, template.HTMLEscapeString(title),
		rest))
}
