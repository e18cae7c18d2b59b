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

// labels stand where places says.
func (f frame) labels(m Mark) {
	for i, b := range f.places(m.Points) {
		f.text(label{at{b.left, b.bottom - f.descent()}, m.Points[i].Text, f.size, 0, m.Colour, false})
	}
}

// descent is how far letters reach below their line.
func (f frame) descent() float64 { return f.size / 4 }

// box is where a text stands.
type box struct{ left, right, top, bottom float64 }

// moved is the same box at another height.
func (b box) moved(top float64) box { return box{b.left, b.right, top, top + b.bottom - b.top} }

// places are those of labels: to the right of their points and above them or, where another label or a line is or the
// panel ends, in the line below, to the left, then further below, and above, and then anywhere in its column. A label
// without room stands in the first place.
func (f frame) places(points []Point) []box {
	taken := f.lined()
	lines := len(taken)
	place := func(p Point) box {
		to, wide, high := f.at(p), f.width(p.Text), f.size+f.descent()
		at := func(left float64, line int) box {
			bottom := to.y - 3 + float64(line)*high
			if line > 0 {
				bottom += 6 // below a line through the point, too
			}
			return box{left, left + wide, bottom - high, bottom}
		}
		for i := range 2*len(points) + 2 {
			line := 2 * i
			if i > len(points) {
				line = 2 * (len(points) - i)
			}
			for _, left := range []float64{to.x + beside, to.x - beside - wide} {
				for _, b := range []box{at(left, line), at(left, line+1)} {
					if f.inside(b) && !slices.ContainsFunc(taken, b.touches) {
						return b
					}
				}
			}
		}
		for b := at(to.x+beside, 0).moved(f.top); f.inside(b); b = b.moved(b.top + 1) {
			if !slices.ContainsFunc(taken, b.touches) {
				return b
			}
		}
		return at(to.x+beside, 0)
	}
	for _, p := range points {
		taken = append(taken, place(p))
	}
	return taken[lines:]
}

// lined is where the panel has intervals of points, and lines in steps.
func (f frame) lined() (boxes []box) {
	between := func(a, b at) {
		boxes = append(boxes, box{min(a.x, b.x) - 1, max(a.x, b.x) + 1, min(a.y, b.y) - 1, max(a.y, b.y) + 1})
	}
	for _, m := range f.Marks {
		for i, p := range m.Points {
			switch {
			case m.Kind == Lines && i > 0:
				between(f.at(m.Points[i-1]), f.at(p))
			case m.Kind == Dots && p.Span != nil:
				between(f.ends(p))
			}
		}
	}
	return boxes
}

// inside reports whether a text is within the panel.
func (f frame) inside(b box) bool {
	return b.left >= f.left && b.right <= f.to && b.top >= f.top-f.size && b.bottom <= f.bottom
}

// touches reports whether two texts are on each other.
func (b box) touches(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}
