package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/parley-debate/parley/bench/table"
)

// Heat is a table of shaded cells. The texts in the cells say all that the shades do.
type Heat struct {
	XLabel, YLabel string
	Columns        []string // a name may have several lines
	Rows           []Row    // from the top
}

// mostOnPhone is how many columns have room on a phone.
const mostOnPhone = 5

// Row is one row of a Heat.
type Row struct {
	Name  string
	Cells []Cell // one for each column
}

// Cell is one cell. Shade is from -1, the colour of what is wrong, over 0, none, to 1, the colour of what is right.
type Cell struct {
	Text  string
	Shade float64
}

// Heat draws the cells. Rows beyond MostRows are left out.
func (f *Figure) Heat(h Heat) error {
	h.Rows = h.Rows[:min(MostRows, len(h.Rows))]
	p := New()
	p.Add(cells{h})
	p.X.Label.Text, p.Y.Label.Text = h.XLabel, h.YLabel
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(h.Columns))-0.5, -0.5, float64(len(h.Rows))-0.5
	lines, names := 1, make([]string, 0, len(h.Rows))
	for _, name := range h.Columns {
		lines = max(lines, len(text.Plain{}.Lines(name)))
	}
	for _, r := range slices.Backward(h.Rows) {
		names = append(names, r.Name)
	}
	if len(h.Columns) > 8 { // narrow ones
		p.X.Tick.Label.Font.Size = 8
	}
	p.NominalX(h.Columns...)
	p.NominalY(names...)
	p.X.Width, p.Y.Width, p.X.Label.Padding = 0, 0, 3
	err := f.Render(Width, vg.Length(len(h.Rows))*RowHeight+Frame+vg.Length(lines-1)*14, p)
	if len(h.Columns) > mostOnPhone {
		f.Narrow, f.narrow = "", nil // the texts of neighbouring cells would overlap
	}
	return err
}

// cells draws the rectangles and their texts.
type cells struct{ Heat }

// Plot implements plot.Plotter.
func (h cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Tick.Label
	style.XAlign, style.YAlign, style.Rotation = draw.XCenter, draw.YCenter, 0
	const gap = 1 // between neighbours, in points
	for i, r := range h.Rows {
		row := float64(len(h.Rows) - 1 - i)
		for j, cell := range r.Cells {
			left, right := x(float64(j)-0.5)+gap, x(float64(j)+0.5)-gap
			low, high := y(row-0.5)+gap, y(row+0.5)-gap
			c.FillPolygon(shadeOf(cell.Shade), []vg.Point{{X: left, Y: low}, {X: left, Y: high}, {X: right, Y: high},
				{X: right, Y: low}})
			c.FillText(style, vg.Point{X: (left + right) / 2, Y: (low + high) / 2}, table.Minus(cell.Text))
		}
	}
}

// DataRange implements plot.DataRanger.
func (h cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(h.Columns)) - 0.5, -0.5, float64(len(h.Rows)) - 0.5
}

// tint is a placeholder colour that is partly transparent, so that the page behind it shows through in either scheme.
type tint struct {
	of      uint8 // the level of all of its channels
	opacity float64
}

// RGBA implements color.Color. The half keeps the level when a writer divides by the opacity and rounds down.
func (t tint) RGBA() (r, g, b, a uint32) {
	a = uint32(t.opacity * math.MaxUint16)
	level := uint32((float64(t.of) + 0.5) * float64(a) / 255)
	return level, level, level, a
}

// shadeOf is the colour of a cell. At most half of it is opaque, so that the text on it can be read in both schemes.
func shadeOf(shade float64) tint {
	const most, least = 0.5, 0.04
	of := Better.R
	if shade < 0 {
		of = Worse.R
	}
	return tint{of, least + (most-least)*math.Min(1, math.Abs(shade))}
}
