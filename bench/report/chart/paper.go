package chart

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Widths of figures in papers: that of one column, and that of a page with two columns. Conferences differ by a tenth
// (ACL has 219 and 455 points, ICML 234 and 487, IEEE 252 and 516), so that \includegraphics scales texts by little.
const (
	OneColumn  = 3.25 * vg.Inch
	TwoColumns = 6.75 * vg.Inch
	tallest    = 8 * vg.Inch // with room for a caption on a page
)

// Formats are the formats in which Paper draws.
var Formats = []string{"svg", "pdf"}

// Paper draws the figure for a paper, OneColumn or TwoColumns wide: texts in a face with the widths of Times, 7 to 8
// points high, and colours that differ in grey. It returns nil for one column if the figure is too crowded or too tall
// for it.
func (f *Figure) Paper(format string, width vg.Length) (drawing []byte, err error) {
	s := f.wide
	if width == OneColumn {
		s = f.narrow
	}
	if s == nil {
		return nil, nil
	}
	scale := width / s.width
	if width == OneColumn && s.height*scale > tallest {
		return nil, nil
	}
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.New(width, s.height*scale)
	case "pdf":
		c = newPDF(width, s.height*scale)
	default:
		return nil, fmt.Errorf("figures are drawn as %q, not as %q", Formats, format)
	}
	s.draw(scaled{printed{c}, scale}, texts{"Serif", 1})
	var b bytes.Buffer
	_, err = c.WriteTo(&b)
	return b.Bytes(), err
}

// paperColors are the colours that the placeholders have on paper. Those that stand side by side, Better and Worse and
// Published, differ by more than a tenth of the way from black to white where a page is printed in grey.
var paperColors = map[uint8]color.RGBA{
	ink.R: {0, 0, 0, 255}, Soft.R: {90, 90, 90, 255}, Line.R: {205, 205, 205, 255},
	Better.R: {0, 68, 136, 255}, Worse.R: {221, 150, 40, 255}, Band.R: {190, 212, 232, 255},
	Faint.R: {232, 232, 232, 255}, Published.R: {170, 85, 140, 255},
}

// printed is a canvas with the colours of paper.
type printed struct{ vg.Canvas }

// SetColor takes a placeholder. One that is partly transparent is mixed with the white of the page, since not every
// printer's software knows transparent colours.
func (p printed) SetColor(c color.Color) {
	if c == nil {
		c = ink
	}
	r, _, _, a := c.RGBA()
	on, ok := paperColors[uint8(r*255/max(1, a))]
	if !ok {
		p.Canvas.SetColor(c)
		return
	}
	opacity := float64(a) / 0xffff
	mix := func(level uint8) uint8 { return uint8(255 - opacity*(255-float64(level)) + 0.5) }
	p.Canvas.SetColor(color.RGBA{mix(on.R), mix(on.G), mix(on.B), 255})
}

// scaled is a canvas on which all lengths are multiplied by a factor. The canvas's own Scale has no fixed point that
// all formats share.
type scaled struct {
	vg.Canvas
	by vg.Length
}

func (s scaled) point(p vg.Point) vg.Point { return vg.Point{X: p.X * s.by, Y: p.Y * s.by} }

func (s scaled) path(p vg.Path) vg.Path {
	all := make(vg.Path, len(p))
	for i, c := range p {
		c.Pos, c.Radius = s.point(c.Pos), c.Radius*s.by
		control := make([]vg.Point, len(c.Control))
		for k, at := range c.Control {
			control[k] = s.point(at)
		}
		all[i], all[i].Control = c, control
	}
	return all
}

func (s scaled) SetLineWidth(w vg.Length) { s.Canvas.SetLineWidth(w * s.by) }

func (s scaled) SetLineDash(pattern []vg.Length, offset vg.Length) {
	all := make([]vg.Length, len(pattern))
	for i, length := range pattern {
		all[i] = length * s.by
	}
	s.Canvas.SetLineDash(all, offset*s.by)
}

func (s scaled) Translate(p vg.Point) { s.Canvas.Translate(s.point(p)) }

func (s scaled) Stroke(p vg.Path) { s.Canvas.Stroke(s.path(p)) }

func (s scaled) Fill(p vg.Path) { s.Canvas.Fill(s.path(p)) }

func (s scaled) FillString(f font.Face, at vg.Point, text string) {
	f.Font.Size *= s.by
	s.Canvas.FillString(f, s.point(at), text)
}
