package report

import (
	"bytes"
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
)

// figure is a drawing with its title and caption.
type figure struct {
	Title, Caption string
	SVG            template.HTML
}

// Colours of drawings are placeholders, which inline replaces by variables of the page's style sheet, so that drawings
// follow its light or dark scheme.
var (
	ink, soft, line     = color.RGBA{1, 1, 1, 255}, color.RGBA{2, 2, 2, 255}, color.RGBA{3, 3, 3, 255}
	better, worse, band = color.RGBA{4, 4, 4, 255}, color.RGBA{5, 5, 5, 255}, color.RGBA{6, 6, 6, 255}
	pale                = color.RGBA{7, 7, 7, 255}
	variables           = strings.NewReplacer("#010101", "var(--ink)", "#020202", "var(--soft)", "#030303",
		"var(--line)", "#040404", "var(--right)", "#050505", "var(--wrong)", "#060606", "var(--band)", "#070707",
		"var(--pale)")
	width, rowHeight, frame = vg.Points(640), vg.Points(24), vg.Points(64)
)

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

// grid is the grid of a plot.
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

// scatter draws points.
func scatter(p *plot.Plot, points plotter.XYs, shape draw.GlyphDrawer, c color.Color, radius float64) error {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	p.Add(s)
	return nil
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

// shares ticks every fifth of 1, or every tenth on a short axis. sides ticks what is lost to the left of 0 and won to
// the right, without signs.
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

// whole ticks the numbers from 0 to n-1.
func whole(n int) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, n)
	for i := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprint(i)}
	}
	return ticks
}

// render draws plots in rows of up to three; a nil plot is an empty place.
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
