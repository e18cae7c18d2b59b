package chart

import (
	"math"
	"slices"
	"strings"
)

// sheet is what is drawn: panels in rows of as many columns.
type sheet struct {
	width, height float64
	columns       int
	panels        []Panel
}

// Distances: from the edges of a sheet, between its panels, of ticks, between an axis and what is drawn, and of labels.
const (
	edge      = 5.0
	between   = 14.0
	tickSize  = 3.0
	near      = 4.0
	fromNames = 9.0
	beside    = 5.0
)

// margins are around what a panel draws: they have its axes and its title.
type margins struct{ left, right, top, bottom float64 }

// draw draws the panels. Those below one another have the same margins to the left and right, those beside one another
// above and below, so that their axes are in line.
func (s *sheet) draw(c canvas, of face) {
	around := make([]margins, len(s.panels))
	rows := (len(s.panels) + s.columns - 1) / s.columns
	wide := (s.width - 2*edge - between*float64(s.columns-1)) / float64(s.columns)
	high := (s.height - 2*edge - between*float64(rows-1)) / float64(rows)
	for i, p := range s.panels {
		around[i] = p.margins(of, wide)
	}
	for i, p := range s.panels {
		m := around[i]
		for k, o := range around {
			if k%s.columns == i%s.columns {
				m.left, m.right = max(m.left, o.left), max(m.right, o.right)
			}
			if k/s.columns == i/s.columns {
				m.top, m.bottom = max(m.top, o.top), max(m.bottom, o.bottom)
			}
		}
		left, top := edge+float64(i%s.columns)*(wide+between), edge+float64(i/s.columns)*(high+between)
		f := frame{canvas: c, face: of, Panel: p, from: left, to: left + wide, left: left + m.left,
			right: left + wide - m.right, top: top + m.top, bottom: top + high - m.bottom}
		f.draw(top, top+high)
	}
}

// margins are those that the texts of a panel of a width need.
func (p Panel) margins(of face, wide float64) (m margins) {
	for _, t := range p.Y.ticks() {
		for line := range strings.SplitSeq(t.Label, "\n") {
			m.left = max(m.left, of.width(line))
		}
	}
	if m.left += near; p.Y.Names != nil {
		m.left += fromNames
	} else {
		m.left += tickSize + near
	}
	if p.Y.Label != "" {
		m.left += 1.4 * of.size
	}
	lines := 1
	for _, t := range p.X.ticks() {
		lines = max(lines, 1+strings.Count(t.Label, "\n"))
		if p.X.Names == nil && p.X.part(t.At) > 0.9 {
			m.right = max(m.right, of.width(t.Label)/2)
		}
	}
	m.right = max(m.right, min(wide/3, p.besideLast(of, wide-m.left)))
	m.bottom = 1.2*of.size*float64(lines) + near
	if p.X.Names == nil {
		m.bottom += tickSize + near/2
	} else if p.turned(of, (wide-m.left-m.right)/float64(len(p.X.Names))) {
		m.bottom = 2 * near
		for _, name := range p.X.Names {
			m.bottom = max(m.bottom, 2*near+of.width(oneLine(name)))
		}
	}
	m.bottom += 1.2 * of.size * float64(len(of.broken(p.X.Label, wide)))
	if p.Title != "" {
		m.top = of.size * (0.7 + 1.2*float64(1+strings.Count(p.Title, "\n")))
	}
	return m
}

// besideLast is the margin with which labels have room to the right of their points, where a panel is so wide with it.
func (p Panel) besideLast(of face, wide float64) (margin float64) {
	for _, m := range p.Marks {
		for _, o := range m.Points {
			if part := p.X.part(o.X); m.Kind == Labels && part > 0.5 {
				margin = max(margin, (beside+of.width(o.Text)-(1-part)*wide)/part)
			}
		}
	}
	return margin
}

// oneLine is a name on one line.
func oneLine(name string) string { return strings.ReplaceAll(name, "\n", " ") }

// smallest is how small names of columns and texts of cells may be beside other texts.
const smallest = 0.75

// namesSize is the size of texts at which the names of columns of a width have room beside each other.
func (p Panel) namesSize(of face, column float64) float64 {
	least := of.size
	for _, name := range p.X.Names {
		for line := range strings.SplitSeq(name, "\n") {
			least = min(least, of.size*(column-near)/max(of.width(line), 1))
		}
	}
	return least
}

// turned reports whether the names of columns of a width have to run upwards.
func (p Panel) turned(of face, column float64) bool {
	return p.namesSize(of, column) < smallest*of.size
}

// crowded reports whether a sheet, such as one for a phone, has no room for the names of rows and columns, and for the
// texts of cells.
func (p Panel) crowded(s *sheet) bool {
	const longest = 30 // of the names of rows
	for _, name := range p.Y.Names {
		for line := range strings.SplitSeq(name, "\n") {
			if len([]rune(line)) > longest {
				return true
			}
		}
	}
	m := p.margins(onPage, s.width-2*edge)
	f := frame{face: onPage, Panel: p, left: m.left, right: s.width - m.right - 2*edge}
	for _, mark := range p.Marks {
		if mark.Kind == Cells && slices.ContainsFunc(mark.Points, func(o Point) bool {
			return f.width(o.Text) > f.column()
		}) {
			return true
		}
	}
	return p.turned(onPage, f.column())
}

// frame is where the marks of a panel are drawn.
type frame struct {
	canvas
	face
	Panel
	from, to                 float64 // the left and the right end of its place
	left, right, top, bottom float64
}

// x and y are where values are drawn. Rows with names stand from the top.
func (f frame) x(value float64) float64 { return f.left + f.X.part(value)*(f.right-f.left) }

func (f frame) y(value float64) float64 {
	if f.Y.Names != nil {
		return f.top + f.Y.part(value)*(f.bottom-f.top)
	}
	return f.bottom - f.Y.part(value)*(f.bottom-f.top)
}

// column is how wide one of the columns with names is.
func (f frame) column() float64 { return (f.right - f.left) / float64(max(1, len(f.X.Names))) }

// draw draws the panel, whose place begins above and ends below.
func (f frame) draw(top, below float64) {
	for i, line := range strings.Split(f.Title, "\n") {
		f.write(label{at{(f.left + f.right) / 2, top + f.size*(1+1.2*float64(i))}, line, f.size, 0.5, Ink, false})
	}
	f.drawX(below)
	f.drawY()
	for _, m := range f.Marks {
		drawings[m.Kind](f, m)
	}
}

// write writes a text, if there is one.
func (f frame) write(l label) {
	if l.text != "" {
		f.text(l)
	}
}

// drawX draws the axis below: the line, its ticks, and as many of their labels as have room.
func (f frame) drawX(below float64) {
	lines := f.broken(f.X.Label, f.to-f.from)
	for i, line := range lines {
		half := f.width(line) / 2
		middle := min(max((f.left+f.right)/2, f.from+half), f.to-half)
		f.write(label{at{middle, below - f.size*(0.3+1.2*float64(len(lines)-1-i))}, line, f.size, 0.5, Soft, false})
	}
	if f.X.Names != nil {
		f.columns()
		return
	}
	line, ticks := f.bottom+near, f.X.ticks()
	f.path([]at{{f.left, line}, {f.right, line}}, false, pen{colour: Line, width: 0.7})
	for _, t := range ticks {
		x := f.x(t.At)
		if f.X.Grid {
			f.path([]at{{x, f.top}, {x, f.bottom}}, false, pen{colour: Line, width: 0.5})
		}
		f.path([]at{{x, line}, {x, line + tickSize}}, false, pen{colour: Line, width: 0.5})
	}
	for _, t := range f.apart(ticks) {
		f.write(label{at{f.x(t.At), line + tickSize + near/2 + 0.8*f.size}, t.Label, f.size, 0.5, Ink, false})
	}
}

// apart are the ticks below the panel whose labels have room: all, every second or third or, of uneven ones, each that
// has.
func (f frame) apart(ticks []Tick) []Tick {
	for every := 1; every <= 3; every++ {
		var some []Tick
		for i := 0; i < len(ticks); i += every {
			some = append(some, ticks[i])
		}
		if shown := f.free(some); len(shown) == len(some) {
			return shown
		}
	}
	return f.free(ticks)
}

// free are the ticks whose labels have room to the right of those before them.
func (f frame) free(ticks []Tick) (shown []Tick) {
	last := math.Inf(-1)
	for _, t := range ticks {
		if x, half := f.x(t.At), f.width(t.Label)/2; x-half > last+near {
			shown, last = append(shown, t), x+half
		}
	}
	return shown
}

// columns names the columns: if need be in smaller letters, or on lines that run upwards.
func (f frame) columns() {
	size, base := max(smallest*f.size, f.namesSize(f.face, f.column())), f.bottom+near
	turned := f.turned(f.face, f.column())
	for i, name := range f.X.Names {
		x := f.x(float64(i))
		if turned {
			f.write(label{at{x + 0.35*f.size, base}, oneLine(name), f.size, 1, Ink, true})
			continue
		}
		for k, line := range strings.Split(name, "\n") {
			f.write(label{at{x, base + size*(0.8+1.2*float64(k))}, line, size, 0.5, Ink, false})
		}
	}
}

// drawY draws the axis to the left: the names of rows, or the line with its ticks and the labels that have room.
func (f frame) drawY() {
	line, last := f.left-fromNames, 1e9
	if f.Y.Names == nil {
		line = f.left - near
		f.path([]at{{line, f.top}, {line, f.bottom}}, false, pen{colour: Line, width: 0.7})
		line -= tickSize
	}
	for _, t := range f.Y.ticks() {
		y := f.y(t.At)
		if f.Y.Grid {
			f.path([]at{{f.left, y}, {f.right, y}}, false, pen{colour: Line, width: 0.5})
		}
		if f.Y.Names == nil {
			f.path([]at{{line, y}, {line + tickSize, y}}, false, pen{colour: Line, width: 0.5})
			if y > last-f.size {
				continue
			}
			last = y
		}
		lines := strings.Split(t.Label, "\n")
		for i, text := range lines {
			by := 0.35 + 1.1*(float64(i)-float64(len(lines)-1)/2)
			f.write(label{at{line - near/2, y + by*f.size}, text, f.size, 1, Ink, false})
		}
	}
	f.write(label{at{f.from + f.size, (f.top + f.bottom) / 2}, f.Y.Label, f.size, 0.5, Soft, true})
}
