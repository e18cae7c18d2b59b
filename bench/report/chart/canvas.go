package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/internal/escape"
)

// canvas is what sheets are drawn on. Its origin is the upper left corner.
type canvas interface {
	path(points []at, closed bool, p pen)
	dot(middle at, radius float64, p pen)
	text(l label)
}

// at is a point of a canvas.
type at struct{ x, y float64 }

// pen draws lines of a width, or fills where that is 0.
type pen struct {
	colour  Colour
	width   float64
	dashed  bool
	opacity float64 // 0 is opaque
}

// label is a line of text. Its anchor says which part of it is left of the point, and turned it runs upwards.
type label struct {
	at
	text   string
	size   float64
	anchor float64
	colour Colour
	turned bool
}

// advances are the widths of the characters from the blank on in Helvetica, in thousandths of the size.
var advances = [...]float64{278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556,
	556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722,
	278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500,
	722, 500, 500, 500, 334, 260, 334, 584}

// face is the size of texts, and how wide they are at most beside Helvetica.
type face struct{ size, wide float64 }

// Faces beside a width of 640. That of the page is whatever its reader has; that of papers is scaled with the drawing.
var (
	onPage  = face{13, 1.16}
	inPaper = face{10, 0.94}
)

// width is how wide a text is, nearly.
func (f face) width(text string) (sum float64) {
	for _, r := range text {
		switch i := int(r - ' '); {
		case i >= 0 && i < len(advances):
			sum += advances[i]
		default:
			sum += 600 * float64(ansi.StringWidth(string(r)))
		}
	}
	return sum * f.size * f.wide / 1000
}

// broken breaks a text between words into lines that are so wide.
func (f face) broken(text string, room float64) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && f.width(lines[last]+" "+word) <= room {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// svg is a canvas that writes SVG.
type svg struct {
	strings.Builder
	paper bool // its colours are those of papers
}

// svg draws the sheet with a label for screen readers: as part of a page, or as a file for a paper, so many points
// wide.
func (s *sheet) svg(title string, paper bool, width float64) string {
	c := &svg{paper: paper}
	frame, family, of := "", "Liberation Sans,Arial,Helvetica,sans-serif", onPage
	if paper {
		c.WriteString("<?xml version=\"1.0\"?>\n")
		frame = fmt.Sprintf(` xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt"`, digits(width),
			digits(width/s.width*s.height))
		family, of = "Liberation Serif,Times New Roman,Times,serif", inPaper
	}
	fmt.Fprintf(c, `<svg viewBox="0 0 %s %s"%s role="img" aria-label="%s" style="font-family:%s">`+"\n",
		digits(s.width), digits(s.height), frame, html.EscapeString(escape.Text(title)), family)
	s.draw(c, of)
	c.WriteString("</svg>\n")
	return c.String()
}

// digits is a length with two decimals at most.
func digits(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64) }

// ink is a property of a style with the colour and the opacity of a pen.
func (s *svg) ink(property string, p pen) string {
	switch {
	case s.paper:
		rgb := p.colour.onPaper(p.shown())
		return fmt.Sprintf("%s:#%02x%02x%02x", property, rgb[0], rgb[1], rgb[2])
	case p.opacity > 0:
		return fmt.Sprintf("%s:var(--%s);%s-opacity:%.3f", property, colours[p.colour].page, property, p.opacity)
	}
	return fmt.Sprintf("%s:var(--%s)", property, colours[p.colour].page)
}

// shown is the opacity of a pen.
func (p pen) shown() float64 {
	if p.opacity == 0 {
		return 1
	}
	return p.opacity
}

func (s *svg) path(points []at, closed bool, p pen) {
	s.WriteString(`<path d="`)
	command := "M"
	for _, to := range points {
		s.WriteString(command + digits(to.x) + "," + digits(to.y))
		command = "L"
	}
	if closed {
		s.WriteString("Z")
	}
	style := s.ink("fill", p)
	if p.width > 0 {
		style = "fill:none;" + s.ink("stroke", p) + ";stroke-width:" + digits(p.width)
	}
	if p.dashed {
		style += ";stroke-dasharray:4,3"
	}
	fmt.Fprintf(s, `" style="%s"/>`+"\n", style)
}

func (s *svg) dot(middle at, radius float64, p pen) {
	fmt.Fprintf(s, `<circle cx="%s" cy="%s" r="%s" style="%s"/>`+"\n", digits(middle.x), digits(middle.y),
		digits(radius), s.ink("fill", p))
}

func (s *svg) text(l label) {
	place := fmt.Sprintf(`x="%s" y="%s"`, digits(l.x), digits(l.y))
	if l.turned {
		place += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, digits(l.x), digits(l.y))
	}
	style := "font-size:" + digits(l.size) + "px;" + s.ink("fill", pen{colour: l.colour})
	switch {
	case l.anchor >= 1:
		style += ";text-anchor:end"
	case l.anchor > 0:
		style += ";text-anchor:middle"
	}
	fmt.Fprintf(s, `<text %s style="%s">%s</text>`+"\n", place, style, html.EscapeString(escape.Text(l.text)))
}
