// Package chart draws the figures of reports. A figure is a value: panels, each of which has marks over two axes; what
// it shows is not known here. It is drawn on the page, in the colours of its light or dark scheme, and for papers.
package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

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

// Panel is marks over two axes.
type Panel struct {
	Title string
	X, Y  Axis
	Marks []Mark
}

// Axis is one axis of a panel.
type Axis struct {
	Label     string
	Low, High float64  // its ends; where they are equal, those of what is drawn
	Ticks     Ticks    // nil is numbers
	Names     []string // of columns, or of rows from the top, at 0, 1 and so on; they may have several lines
	Grid      bool
	Log       bool
}

// Mark is how points are drawn.
type Mark struct {
	Kind   Kind
	Colour Colour
	Size   float64 // of dots their radius, of lines their width, of bars their thickness
	Dashed bool
	Points []Point
}

// Kind says what stands at the points of a mark.
type Kind int

// Kinds of marks. A span lies along X if the rows of the panel have names, and along Y if not.
const (
	Dots     Kind = iota // with their spans as lines
	Diamonds             // published numbers
	Hollow               // such that are not to be compared
	Lines                // through the points
	Bands                // between the ends of the spans
	Bars                 // from one end of the span to the other
	Cells                // shaded, with their texts
	Texts                // over the points
	Labels               // beside the points, where no other label is
)

// Point is where a mark is.
type Point struct {
	X, Y  float64
	Span  *Interval
	Text  string
	Shade float64 // of a cell: from -1, the colour of what is wrong, over 0, none, to 1, that of what is right
}

// Curve is a line through points, with dots and without their spans.
func Curve(points []Point, c Colour, width float64) []Mark {
	dots := Mark{Colour: c, Size: 1 + width}
	for _, p := range points {
		dots.Points = append(dots.Points, Point{X: p.X, Y: p.Y})
	}
	return []Mark{{Kind: Lines, Colour: c, Size: width, Points: points}, dots}
}

// Interval is where a number may lie.
type Interval struct{ Low, High float64 }

// Colour is one of those that the page has in either scheme, and a paper on white.
type Colour int

// Colours. Those that stand side by side, Better and Worse and Published, differ by more than a tenth of the way from
// black to white where a page is printed in grey.
const (
	Ink Colour = iota
	Soft
	Line
	Better
	Worse
	Band
	Faint
	Published
)

var colours = [...]struct {
	page  string // the variable of its style sheet
	paper [3]uint8
}{
	Ink: {"ink", [3]uint8{0, 0, 0}}, Soft: {"soft", [3]uint8{90, 90, 90}}, Line: {"line", [3]uint8{205, 205, 205}},
	Better: {"right", [3]uint8{0, 68, 136}}, Worse: {"wrong", [3]uint8{221, 150, 40}},
	Band: {"band", [3]uint8{190, 212, 232}}, Faint: {"faint", [3]uint8{232, 232, 232}},
	Published: {"published", [3]uint8{170, 85, 140}},
}

// onPaper is a colour on the white of a page. What shines through is mixed with it, since not every printer's software
// knows transparent colours.
func (c Colour) onPaper(opacity float64) (rgb [3]uint8) {
	for i, level := range colours[c].paper {
		rgb[i] = uint8(255 - opacity*(255-float64(level)) + 0.5)
	}
	return rgb
}

// Sizes of drawings: their width, the height of a row, and that of the axis below rows.
const (
	Width     = 640.0
	phone     = 330.0 // of the narrow drawings
	RowHeight = 24.0
	Frame     = 64.0
)

// The most that one figure shows.
const (
	MostRows   = 40
	MostPanels = 12
)

// Render draws panels in rows of up to three, so many points high in all. For a phone it draws them one below another.
func (f *Figure) Render(height float64, panels ...Panel) error {
	for i := range panels {
		if err := panels[i].complete(); err != nil {
			return err
		}
	}
	columns := min(3, len(panels))
	rows := (len(panels) + columns - 1) / columns
	f.wide = &sheet{Width, height, columns, panels}
	f.SVG = template.HTML(f.wide.svg(f.Title, false, Width))
	narrow := &sheet{phone, height / float64(rows) * float64(len(panels)), 1, panels}
	if !slices.ContainsFunc(panels, func(p Panel) bool { return p.crowded(narrow) }) {
		f.narrow, f.Narrow = narrow, template.HTML(narrow.svg(f.Title, false, phone))
	}
	return nil
}

// complete checks what is to be drawn, and sets the ends of axes that are still open.
func (p *Panel) complete() error {
	var xs, ys []float64
	for _, m := range p.Marks {
		for _, at := range m.Points {
			xs, ys = append(xs, at.X), append(ys, at.Y)
			if at.Span != nil && p.Y.Names != nil {
				xs = append(xs, at.Span.Low, at.Span.High)
			} else if at.Span != nil {
				ys = append(ys, at.Span.Low, at.Span.High)
			}
		}
	}
	for _, all := range [][]float64{xs, ys} {
		for _, x := range all {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s has a point at %g", strings.TrimSpace("panel "+p.Title), x)
			}
		}
	}
	p.X.complete(xs)
	p.Y.complete(ys)
	return nil
}
