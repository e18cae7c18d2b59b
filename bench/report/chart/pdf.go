package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdf is a vg.Canvas of one page. Unlike vgpdf it embeds of each font only the characters that are drawn, and it knows
// characters beyond those of Western Europe, such as the minus sign. Equal drawings are equal files.
type pdf struct {
	*fpdf.Fpdf
	height vg.Length
	widths []vg.Length // of lines, one for each Push and one more
	fonts  map[string]bool
}

func newPDF(width, height vg.Length) *pdf {
	d := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	d.SetCreationDate(time.Unix(0, 0).UTC())
	d.SetModificationDate(time.Unix(0, 0).UTC())
	d.SetCatalogSort(true)
	d.SetMargins(0, 0, 0)
	d.SetAutoPageBreak(false, 0)
	d.AddPage()
	p := &pdf{Fpdf: d, height: height, widths: make([]vg.Length, 1), fonts: make(map[string]bool)}
	vg.Initialize(p)
	return p
}

// SetLineWidth implements vg.Canvas, as the other methods do.
func (p *pdf) SetLineWidth(w vg.Length) {
	p.widths[len(p.widths)-1] = w
	p.Fpdf.SetLineWidth(w.Points())
}

func (p *pdf) SetLineDash(pattern []vg.Length, offset vg.Length) {
	all := make([]float64, len(pattern))
	for i, length := range pattern {
		all[i] = length.Points()
	}
	p.SetDashPattern(all, offset.Points())
}

func (p *pdf) SetColor(c color.Color) {
	r, g, b, _ := c.RGBA()
	p.SetFillColor(int(r>>8), int(g>>8), int(b>>8))
	p.SetDrawColor(int(r>>8), int(g>>8), int(b>>8))
	p.SetTextColor(int(r>>8), int(g>>8), int(b>>8))
}

// Transformations turn and move about the canvas's origin, which is the lower left corner: fpdf has its own at the
// upper left.
func (p *pdf) Rotate(radians float64) { p.TransformRotate(radians*180/math.Pi, 0, p.height.Points()) }

func (p *pdf) Translate(by vg.Point) { p.TransformTranslate(by.X.Points(), -by.Y.Points()) }

func (p *pdf) Scale(x, y float64) { p.TransformScale(x*100, y*100, 0, p.height.Points()) }

func (p *pdf) Push() {
	p.widths = append(p.widths, p.widths[len(p.widths)-1])
	p.TransformBegin()
}

func (p *pdf) Pop() {
	p.TransformEnd()
	p.widths = p.widths[:len(p.widths)-1]
}

func (p *pdf) Stroke(path vg.Path) {
	if p.widths[len(p.widths)-1] > 0 {
		p.draw(path, "D")
	}
}

func (p *pdf) Fill(path vg.Path) { p.draw(path, "F") }

// at is where fpdf has a point.
func (p *pdf) at(of vg.Point) (x, y float64) { return of.X.Points(), (p.height - of.Y).Points() }

func (p *pdf) draw(path vg.Path, style string) {
	for _, c := range path {
		x, y := p.at(c.Pos)
		switch c.Type {
		case vg.MoveComp:
			p.MoveTo(x, y)
		case vg.LineComp:
			p.LineTo(x, y)
		case vg.ArcComp:
			r, start := c.Radius.Points(), c.Start*180/math.Pi
			p.ArcTo(x, y, r, r, 0, start, start+c.Angle*180/math.Pi)
		case vg.CurveComp:
			p.curve(c.Control, x, y)
		case vg.CloseComp:
			p.ClosePath()
		}
	}
	p.DrawPath(style)
}

func (p *pdf) curve(control []vg.Point, x, y float64) {
	x0, y0 := p.at(control[0])
	if len(control) == 1 {
		p.CurveTo(x0, y0, x, y)
		return
	}
	x1, y1 := p.at(control[1])
	p.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
}

// FillString has the font come with its first text.
func (p *pdf) FillString(face font.Face, at vg.Point, text string) {
	if !p.fonts[face.Name()] {
		var b bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &b); err != nil {
			p.SetError(fmt.Errorf("font %s: %w", face.Name(), err))
			return
		}
		p.AddUTF8FontFromBytes(face.Name(), "", b.Bytes())
		p.fonts[face.Name()] = true
	}
	p.SetFont(face.Name(), "", face.Font.Size.Points())
	x, y := p.at(at)
	p.Text(x, y, text)
}

// DrawImage panics: no figure of a report has an image.
func (p *pdf) DrawImage(vg.Rectangle, image.Image) { panic("chart: figures have no images") }

func (p *pdf) Size() (width, height vg.Length) {
	w, h := p.GetPageSize()
	return vg.Length(w), vg.Length(h)
}

// WriteTo ends the drawing.
func (p *pdf) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
