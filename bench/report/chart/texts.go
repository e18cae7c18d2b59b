package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Texts is a plotter of texts at points, in the font of the axes as it is when they are drawn.
type Texts struct {
	plotter.XYLabels
	Size     font.Length // beside that of the axes; 0 is 1
	Centered bool        // over the point; otherwise the text begins at the point
	Offset   vg.Point
}

// Plot implements plot.Plotter.
func (t Texts) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.TextStyle{Color: Soft, Font: p.X.Tick.Label.Font, Handler: p.X.Tick.Label.Handler}
	if t.Size > 0 {
		style.Font.Size *= t.Size
	}
	if t.Centered {
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	}
	x, y := p.Transforms(&c)
	for i, at := range t.XYs {
		if point := (vg.Point{X: x(at.X), Y: y(at.Y)}); c.Contains(point) {
			c.FillText(style, point.Add(t.Offset), t.Labels[i])
		}
	}
}

// DataRange implements plot.DataRanger.
func (t Texts) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(t.XYs) }
