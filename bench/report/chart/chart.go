// Package chart draws the figures of reports: plots in the style of the page, whose colours follow its light or dark
// scheme. It does not know what it draws.
package chart

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/parley-debate/parley/bench/table"
)

// Figure is a drawing with its title and caption.
type Figure struct {
	Title, Caption string
	SVG            template.HTML
	Narrow         template.HTML // it is drawn for a phone, and is "" where that would be too crowded
	Files          []table.Link  // they have the same figure, beside the page

	wide, narrow *sheet // what SVG and Narrow are drawn from; nil where they are empty
}

// sheet is what is drawn: plots in rows of as many columns. A nil plot is an empty place.
type sheet struct {
	width, height vg.Length
	columns       int
	plots         []*plot.Plot
}

// Colours of drawings are placeholders, which inline replaces by variables of the page's style sheet, so that drawings
// follow its light or dark scheme.
var (
	ink, Soft, Line     = color.RGBA{1, 1, 1, 255}, color.RGBA{2, 2, 2, 255}, color.RGBA{3, 3, 3, 255}
	Better, Worse, Band = color.RGBA{4, 4, 4, 255}, color.RGBA{5, 5, 5, 255}, color.RGBA{6, 6, 6, 255}
	Faint               = color.RGBA{7, 7, 7, 255}
	variables           = strings.NewReplacer("#010101", "var(--ink)", "#020202", "var(--soft)", "#030303",
		"var(--line)", "#040404", "var(--right)", "#050505", "var(--wrong)", "#060606", "var(--band)", "#070707",
		"var(--faint)", "#080808", "var(--published)")
)

// Sizes of drawings: their width, the height of a row, and that of the axis below rows.
const (
	Width     vg.Length = 640
	phone     vg.Length = 330 // of the narrow drawings
	RowHeight vg.Length = 24
	Frame     vg.Length = 64
)

// The most that one figure shows.
const (
	MostRows   = 40
	MostPanels = 12
)

// New is an empty plot in the report's style.
func New() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color, a.Label.TextStyle.Color = Line, Line, ink, Soft
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = vg.Points(10), vg.Points(10)
		a.Tick.Length, a.LineStyle.Width = vg.Points(3), vg.Points(0.7)
		a.Padding, a.Tick.Marker = vg.Points(4), Numbers
	}
	p.Title.TextStyle.Color, p.Title.TextStyle.Font.Size = ink, vg.Points(11)
	p.Title.Padding = vg.Points(4)
	return p
}

// Names names the rows of a plot, from below. A point at 0 keeps its distance from its name.
func Names(p *plot.Plot, names ...string) {
	p.NominalY(names...)
	p.Y.Padding = vg.Points(9)
}

// Grid is the grid of a plot.
func Grid(vertical, horizontal bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = nil, nil
	if vertical {
		g.Vertical.Color = Line
	}
	if horizontal {
		g.Horizontal.Color = Line
	}
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}

// Scatter draws points.
func Scatter(p *plot.Plot, points plotter.XYs, shape draw.GlyphDrawer, c color.Color, radius float64) error {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	p.Add(s)
	return nil
}

// Join draws a line through points, with or without the points.
func Join(p *plot.Plot, points plotter.XYs, c color.Color, width float64, dots bool) error {
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Color, l.Width = c, vg.Points(width)
	p.Add(l)
	if !dots {
		return nil
	}
	return Scatter(p, points, draw.CircleGlyph{}, c, 1+width)
}

// Render draws plots in rows of up to three; a nil plot is an empty place. For a phone it draws them one below another.
func (f *Figure) Render(w, h vg.Length, plots ...*plot.Plot) (err error) {
	f.wide = &sheet{w, h, min(3, len(plots)), plots}
	if f.SVG, err = f.wide.inline(f.Title); err != nil {
		return err
	}
	rows := (len(plots) + f.wide.columns - 1) / f.wide.columns
	below := slices.DeleteFunc(slices.Clone(plots), func(p *plot.Plot) bool { return p == nil })
	if slices.ContainsFunc(below, func(p *plot.Plot) bool { return longestName(p) > longestOnPhone }) {
		return nil
	}
	f.narrow = &sheet{phone, h / vg.Length(rows) * vg.Length(len(below)), 1, below}
	f.Narrow, err = f.narrow.inline(f.Title)
	return err
}

// longestOnPhone is how many characters the names of rows may have to leave room for the rows.
const longestOnPhone = 30

// longestName is the length of the longest name of a row.
func longestName(p *plot.Plot) (longest int) {
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		longest = max(longest, len([]rune(tick.Label)))
	}
	return longest
}

// inline draws the sheet in the style of the page.
func (s *sheet) inline(title string) (template.HTML, error) {
	canvas := vgsvg.New(s.width, s.height)
	s.draw(canvas, texts{"Sans", 1.3})
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	return template.HTML(inline(b.String(), title)), nil
}

// texts are those of a drawing: the variant of their font, Sans or Serif, and how large they are beside those of New.
// On the page they are 13 pixels high, in a paper 10 points of a width of 640.
type texts struct {
	variant font.Variant
	size    font.Length
}

// draw draws the plots on a canvas that has room for them.
func (s *sheet) draw(canvas vg.Canvas, t texts) {
	rows := slices.Collect(slices.Chunk(s.plots, s.columns))
	tiles := draw.Tiles{Rows: len(rows), Cols: s.columns, PadX: vg.Points(16), PadY: vg.Points(12),
		PadLeft: vg.Points(14), PadRight: vg.Points(10), PadTop: vg.Points(4)}
	for _, p := range s.plots {
		if p != nil {
			t.set(p)
			defer texts{t.variant, 1 / t.size}.set(p) // as they were, for the next drawing
		}
	}
	for i, row := range plot.Align(rows, tiles, draw.NewCanvas(canvas, s.width, s.height)) {
		for j, c := range row {
			if rows[i][j] != nil {
				rows[i][j].Draw(c)
			}
		}
	}
}

// set sets the texts of a plot; plotters of texts take those of the axes.
func (t texts) set(p *plot.Plot) {
	for _, f := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.X.Tick.Label.Font,
		&p.Y.Label.TextStyle.Font, &p.Y.Tick.Label.Font} {
		f.Variant, f.Size = t.variant, f.Size*t.size
	}
}

// inline makes a drawing part of a page: it drops the prologue of an SVG file and the fixed size, uses the colours of
// the page, and adds a label for screen readers.
func inline(svg, title string) string {
	_, svg, _ = strings.Cut(svg, "<svg")
	attributes, rest, _ := strings.Cut(svg, ">")
	box := attributes[strings.Index(attributes, "viewBox="):]
	box = box[:strings.Index(box, "\n")]
	return variables.Replace(fmt.Sprintf(`<svg %s role="img" aria-label="%s">%s`, box, template.HTMLEscapeString(title),
		rest))
}
