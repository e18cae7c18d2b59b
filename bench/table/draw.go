package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/internal/escape"
)

// Grid is a table to be drawn with lines. Texts may have several lines; rows may be shorter than Heads.
type Grid struct {
	Heads []string
	Right []bool // columns whose rows are aligned to the right; nil for none
	Rows  [][]string
	Ruled bool // a line between two rows
}

// blanks has spaces for tabs, which are as wide as a terminal likes, and the one line break that moves no cursor.
var blanks = strings.NewReplacer("\t", "    ", "\r\n", "\n")

// drawn is a grid whose cells are lines. rows[0] are the heads.
type drawn struct {
	rows   [][][]string
	widths []int // of the columns, without the blanks beside their texts
	right  []bool
	ruled  bool
}

// Layout implements Block. A grid that is wider than the columns is broken into several, one below the other, each with
// the first columns that tell its rows apart; a column that is too wide even so has its texts broken.
func (g Grid) Layout(columns int) (lines []string) {
	const frame, least = 3, 2 // what surrounds the texts of a column, and its least width
	d := g.drawn()
	if columns == 0 || d.across(len(d.widths)) <= columns {
		return d.part(0, 0, len(d.widths))
	}
	names := d.names()
	if d.across(names) > columns/2 { // they leave space for another column
		names = 1
	}
	d.widths[0] = min(d.widths[0], max(least, columns/2-2))
	for next := names; ; {
		first, width := next, d.across(names)
		for ; next < len(d.widths) && (next == first || width+d.widths[next]+frame <= columns); next++ {
			d.widths[next] = min(d.widths[next], max(least, columns-width-frame))
			width += d.widths[next] + frame
		}
		lines = append(lines, d.part(names, first, next)...)
		if next == len(d.widths) {
			return lines
		}
	}
}

// drawn has the cells as they will be drawn.
func (g Grid) drawn() drawn {
	d := drawn{widths: make([]int, len(g.Heads)), right: g.Right, ruled: g.Ruled}
	for _, cells := range append([][]string{g.Heads}, g.Rows...) {
		row := make([][]string, len(g.Heads))
		for i, cell := range cells {
			row[i] = strings.Split(blanks.Replace(escape.Text(cell)), "\n")
			for _, line := range row[i] {
				d.widths[i] = max(d.widths[i], ansi.StringWidth(line))
			}
		}
		d.rows = append(d.rows, row)
	}
	return d
}

// across is the width of the first columns with their lines.
func (d drawn) across(shown int) (width int) {
	width = 1
	for _, w := range d.widths[:shown] {
		width += w + 3
	}
	return width
}

// names is the number of first columns that tell all rows apart, 1 if even all columns do not.
func (d drawn) names() int {
	for n := 1; n < len(d.widths); n++ {
		seen := make(map[string]bool)
		for _, row := range d.rows {
			var name []string
			for _, cell := range row[:n] {
				name = append(name, strings.Join(cell, "\n"))
			}
			seen[strings.Join(name, "\n│")] = true
		}
		if len(seen) == len(d.rows) {
			return n
		}
	}
	return 1
}

// part draws the first columns up to names, and those from first up to end.
func (d drawn) part(names, first, end int) (lines []string) {
	var shown []int
	for i := range d.widths[:end] {
		if i < names || i >= first {
			shown = append(shown, i)
		}
	}
	rule := func(left, between, right string) {
		var parts []string
		for _, i := range shown {
			parts = append(parts, strings.Repeat("─", d.widths[i]+2))
		}
		lines = append(lines, left+strings.Join(parts, between)+right)
	}
	rule("┌", "┬", "┐")
	for n, row := range d.rows {
		if n == 1 || n > 1 && d.ruled {
			rule("├", "┼", "┤")
		}
		lines = append(lines, d.row(row, shown, n > 0)...)
	}
	if len(d.rows) == 1 {
		rule("├", "┼", "┤")
	}
	rule("└", "┴", "┘")
	return lines
}

// row draws some cells of a row, on as many lines as the longest needs; heads are aligned to the left.
func (d drawn) row(cells [][]string, shown []int, aligned bool) (lines []string) {
	parts, most := make([][]string, len(shown)), 1
	for k, i := range shown {
		for _, line := range cells[i] {
			if ansi.StringWidth(line) > d.widths[i] {
				parts[k] = append(parts[k], wrap(line, d.widths[i])...)
			} else {
				parts[k] = append(parts[k], line)
			}
		}
		most = max(most, len(parts[k]))
	}
	for n := range most {
		line := "│"
		for k, i := range shown {
			text := ""
			if n < len(parts[k]) {
				text = parts[k][n]
			}
			blank := strings.Repeat(" ", max(0, d.widths[i]-ansi.StringWidth(text)))
			if aligned && d.right != nil && d.right[i] {
				text, blank = blank, text
			}
			line += " " + text + blank + " │"
		}
		lines = append(lines, line)
	}
	return lines
}

// wrap breaks a text between words into lines of so many columns, and words that are longer.
func wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := line + " " + word; line != "" && ansi.StringWidth(longer) <= columns {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		pieces := strings.Split(ansi.Hardwrap(word, columns, false), "\n")
		last := len(pieces) - 1
		lines, line = append(lines, pieces[:last]...), pieces[last]
	}
	return append(lines, line)
}
