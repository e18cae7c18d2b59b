package chart

import (
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/table"
)

// drawings draw the marks of each kind.
var drawings = [...]func(frame, Mark){
	Dots: frame.dots, Diamonds: frame.diamonds, Hollow: frame.diamonds, Lines: frame.lines, Bands: frame.bands,
	Bars: frame.bars, Cells: frame.cells, Texts: frame.texts, Labels: frame.labels,
}

// at is where a point is drawn.
func (f frame) at(p Point) at { return at{f.x(p.X), f.y(p.Y)} }

// ends are where the ends of a point's span are drawn.
func (f frame) ends(p Point) (low, high at) {
	if f.Y.Names != nil {
		return at{f.x(p.Span.Low), f.y(p.Y)}, at{f.x(p.Span.High), f.y(p.Y)}
	}
	return at{f.x(p.X), f.y(p.Span.Low)}, at{f.x(p.X), f.y(p.Span.High)}
}

func (f frame) dots(m Mark) {
	for _, p := range m.Points {
		if p.Span != nil {
			low, high := f.ends(p)
			f.path([]at{low, high}, false, pen{colour: m.Colour, width: 1.5})
		}
	}
	for _, p := range m.Points {
		f.dot(f.at(p), m.Size, pen{colour: m.Colour})
	}
}

func (f frame) diamonds(m Mark) {
	p := pen{colour: m.Colour}
	if m.Kind == Hollow {
		p.width = 1.3
	}
	for _, o := range m.Points {
		to, r := f.at(o), m.Size
		f.path([]at{{to.x, to.y - r}, {to.x + r, to.y}, {to.x, to.y + r}, {to.x - r, to.y}}, true, p)
	}
}

func (f frame) lines(m Mark) {
	var points []at
	for _, p := range m.Points {
		points = append(points, f.at(p))
	}
	f.path(points, false, pen{colour: m.Colour, width: m.Size, dashed: m.Dashed})
}

// bands are between the upper ends of the spans, forth, and the lower ones, back.
func (f frame) bands(m Mark) {
	var upper, lower []at
	for _, p := range m.Points {
		low, high := f.ends(p)
		upper, lower = append(upper, high), append(lower, low)
	}
	slices.Reverse(lower)
	f.path(slices.Concat(upper, lower), true, pen{colour: m.Colour})
}

func (f frame) bars(m Mark) {
	for _, p := range m.Points {
		if p.Span.Low == p.Span.High {
			continue
		}
		low, high := f.ends(p)
		across := at{m.Size / 2, 0}
		if f.Y.Names != nil {
			across = at{0, m.Size / 2}
		}
		f.path([]at{{low.x - across.x, low.y - across.y}, {low.x + across.x, low.y + across.y},
			{high.x + across.x, high.y + across.y}, {high.x - across.x, high.y - across.y}}, true,
			pen{colour: m.Colour})
	}
}

// cells are rectangles with their texts. At most half of a shade is opaque, so that the text on it can be read in both
// schemes.
func (f frame) cells(m Mark) {
	const gap, most, least = 1, 0.5, 0.04 // between neighbours; opacities
	size := f.size
	for _, p := range m.Points {
		size = min(size, max(smallest*f.size, f.size*(f.column()-2*near)/max(f.width(p.Text), 1)))
	}
	for _, p := range m.Points {
		shade := pen{colour: Better, opacity: least + (most-least)*min(1, math.Abs(p.Shade))}
		if p.Shade < 0 {
			shade.colour = Worse
		}
		left, right := f.x(p.X-0.5)+gap, f.x(p.X+0.5)-gap
		high, low := f.y(p.Y-0.5)+gap, f.y(p.Y+0.5)-gap
		f.path([]at{{left, low}, {left, high}, {right, high}, {right, low}}, true, shade)
		f.text(label{at{(left + right) / 2, (low+high)/2 + 0.35*size}, table.Minus(p.Text), size, 0.5, Ink, false})
	}
}

func (f frame) texts(m Mark) {
	for _, p := range m.Points {
		to := f.at(p)
		f.text(label{at{to.x, to.y + 0.35*m.Size*f.size}, p.Text, m.Size * f.size, 0.5, m.Colour, false})
	}
}

// labels stand to the right of their points and above them, or where else beside them no label is yet.
func (f frame) labels(m Mark) {
	type box struct{ left, right, top, bottom float64 }
	var taken []box
	for _, p := range m.Points {
		to, wide := f.at(p), f.width(p.Text)
		for i, by := range []at{{5, -3}, {5, f.size}, {-5 - wide, -3}, {-5 - wide, f.size}} {
			at := at{to.x + by.x, to.y + by.y}
			b := box{at.x, at.x + wide, at.y - f.size, at.y}
			if i < 3 && slices.ContainsFunc(taken, func(o box) bool {
				return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
			}) {
				continue
			}
			taken = append(taken, b)
			f.text(label{at, p.Text, f.size, 0, m.Colour, false})
			break
		}
	}
}
