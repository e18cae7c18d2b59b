package chart

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-fonts/liberation/liberationserifregular"
	"codeberg.org/go-pdf/fpdf"

	"github.com/parley-debate/parley/internal/escape"
)

// Widths of figures in papers, in points: that of one column, and that of a page with two columns. Conferences differ
// by a tenth (ACL has 219 and 455 points, ICML 234 and 487, IEEE 252 and 516), so that \includegraphics scales texts by
// little.
const (
	OneColumn  = 234.0
	TwoColumns = 486.0
	tallest    = 576.0 // with room for a caption on a page
)

// Formats are the formats in which Paper draws.
var Formats = []string{"svg", "pdf"}

// Paper draws the figure for a paper, OneColumn or TwoColumns wide: texts in a face with the widths of Times, 7 to 8
// points high, and colours that differ in grey. It returns nil for one column if the figure is too crowded or too tall
// for it.
func (f *Figure) Paper(format string, width float64) (drawing []byte, err error) {
	s := f.wide
	if width == OneColumn {
		s = f.narrow
	}
	if s == nil || width == OneColumn && s.height*width/s.width > tallest {
		return nil, nil
	}
	switch format {
	case "svg":
		return []byte(s.svg(f.Title, true, width)), nil
	case "pdf":
		return s.pdf(width / s.width)
	}
	return nil, fmt.Errorf("figures are drawn as %q, not as %q", Formats, format)
}

// pdf is a canvas of one page. It embeds of its font only the characters that are drawn, among them those beyond
// Western Europe, such as the minus sign. Equal drawings are equal files.
type pdf struct {
	*fpdf.Fpdf
	scale float64
}

const serif = "liberationserif-regular"

// pdf draws the sheet with all lengths multiplied by a scale.
func (s *sheet) pdf(scale float64) ([]byte, error) {
	d := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: scale * s.width, Ht: scale * s.height}})
	d.SetCreationDate(time.Unix(0, 0).UTC())
	d.SetModificationDate(time.Unix(0, 0).UTC())
	d.SetCatalogSort(true)
	d.SetMargins(0, 0, 0)
	d.SetAutoPageBreak(false, 0)
	d.AddPage()
	d.AddUTF8FontFromBytes(serif, "", liberationserifregular.TTF)
	s.draw(&pdf{d, scale}, inPaper)
	var b bytes.Buffer
	err := d.Output(&b)
	return b.Bytes(), err
}

// take takes a pen, and says whether it fills or draws.
func (d *pdf) take(p pen) (style string) {
	rgb := p.colour.onPaper(p.shown())
	r, g, b := int(rgb[0]), int(rgb[1]), int(rgb[2])
	d.SetFillColor(r, g, b)
	d.SetDrawColor(r, g, b)
	d.SetTextColor(r, g, b)
	d.SetDashPattern(nil, 0)
	if p.dashed {
		d.SetDashPattern([]float64{4 * d.scale, 3 * d.scale}, 0)
	}
	if p.width == 0 {
		return "F"
	}
	d.SetLineWidth(p.width * d.scale)
	return "D"
}

func (d *pdf) path(points []at, closed bool, p pen) {
	style := d.take(p)
	for i, to := range points {
		if i == 0 {
			d.MoveTo(to.x*d.scale, to.y*d.scale)
		} else {
			d.LineTo(to.x*d.scale, to.y*d.scale)
		}
	}
	if closed {
		d.ClosePath()
	}
	d.DrawPath(style)
}

func (d *pdf) dot(middle at, radius float64, p pen) {
	d.Circle(middle.x*d.scale, middle.y*d.scale, radius*d.scale, d.take(p))
}

// text draws a box for what fpdf has no place for, such as emojis.
func (d *pdf) text(l label) {
	d.take(pen{colour: l.colour})
	d.SetFont(serif, "", l.size*d.scale)
	text := strings.Map(func(r rune) rune {
		if r > 0xffff {
			return '□'
		}
		return r
	}, escape.Text(l.text))
	x, y := l.x*d.scale, l.y*d.scale
	d.TransformBegin()
	if l.turned {
		d.TransformRotate(90, x, y)
	}
	d.Text(x-l.anchor*d.GetStringWidth(text), y, text)
	d.TransformEnd()
}
