package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measured is one row of a forest plot: a number of ours beside those of others for the same thing.
type Measured struct {
	Name     string
	Value    float64
	Interval *Interval // where it is nil, the point is drawn alone
	Beside   []float64 // the others' numbers, of the same thing
	Apart    []float64 // they measure something else, are not to be compared, and are drawn hollow
}

// Interval is where a number may lie.
type Interval struct{ Low, High float64 }

// Forest draws a row for each number, the first one on top: ours as a point with its interval, those of others in a
// colour of their own. The axis is that of shares, 0 to 1, if all are shares.
func Forest(title, label string, rows []Measured) (f Figure, err error) {
	f.Title = title
	p := New()
	p.Add(Grid(true, false))
	names := make([]string, len(rows))
	low, high := 0.0, 1.0
	for i, r := range slices.Backward(rows) {
		y := float64(len(rows) - 1 - i)
		names[len(rows)-1-i] = r.Name
		if err := r.draw(p, y); err != nil {
			return f, err
		}
		for _, x := range r.all() {
			low, high = min(low, x), max(high, x)
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, -0.5, float64(len(rows))-0.5
	if p.X.Label.Text = label; low == 0 && high == 1 {
		p.X.Tick.Marker = Shares
	}
	Names(p, names...)
	return f, f.Render(Width, vg.Length(len(rows))*RowHeight+Frame, p)
}

// draw draws a row at a height.
func (r Measured) draw(p *plot.Plot, y float64) error {
	if r.Interval != nil {
		l, err := plotter.NewLine(plotter.XYs{{X: r.Interval.Low, Y: y}, {X: r.Interval.High, Y: y}})
		if err != nil {
			return err
		}
		l.Color, l.Width = Better, vg.Points(1.5)
		p.Add(l)
	}
	if err := Scatter(p, plotter.XYs{{X: r.Value, Y: y}}, draw.CircleGlyph{}, Better, 3.5); err != nil {
		return err
	}
	for _, of := range []struct {
		values []float64
		shape  draw.GlyphDrawer
	}{{r.Beside, Diamond{}}, {r.Apart, Diamond{Hollow: true}}} {
		for _, x := range of.values {
			if err := Scatter(p, plotter.XYs{{X: x, Y: y}}, of.shape, Published, 4.5); err != nil {
				return err
			}
		}
	}
	return nil
}

// all are the numbers that the axis has to reach.
func (r Measured) all() []float64 {
	all := slices.Concat([]float64{r.Value}, r.Beside, r.Apart)
	if r.Interval != nil {
		all = append(all, r.Interval.Low, r.Interval.High)
	}
	return slices.DeleteFunc(all, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// Published is the colour of published numbers.
var Published = color.RGBA{8, 8, 8, 255}

// Diamond is the glyph of published numbers; hollow for those that are not to be compared.
type Diamond struct{ Hollow bool }

// DrawGlyph implements draw.GlyphDrawer.
func (d Diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Line(vg.Point{X: at.X - r, Y: at.Y})
	path.Close()
	c.SetColor(style.Color)
	if !d.Hollow {
		c.Fill(path)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(1.3)})
	c.Stroke(path)
}
