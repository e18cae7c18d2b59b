package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Grid is a table to be drawn with lines. Texts may have several lines; rows may be shorter than Heads.
type Grid struct {
	Heads []string
	Right []bool // columns whose rows are aligned to the right; nil for none
	Rows  [][]string
	Ruled bool // a line between two rows
}

// Draw draws the grid, without a line break at its end.
func (g Grid) Draw() string {
	widths := make([]int, len(g.Heads))
	for _, cells := range append([][]string{g.Heads}, g.Rows...) {
		for i, cell := range cells {
			for _, line := range linesOf(cell) {
				widths[i] = max(widths[i], ansi.StringWidth(line))
			}
		}
	}
	var b strings.Builder
	rule := func(left, between, right string) {
		b.WriteString(left)
		for i, width := range widths {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(strings.Repeat("─", width+2))
		}
		b.WriteString(right)
	}
	rule("┌", "┬", "┐\n")
	row(&b, g.Heads, widths, nil)
	rule("├", "┼", "┤\n")
	for n, cells := range g.Rows {
		if n > 0 && g.Ruled {
			rule("├", "┼", "┤\n")
		}
		row(&b, cells, widths, g.Right)
	}
	rule("└", "┴", "┘")
	return b.String()
}

// row draws one row, on as many lines as its longest cell has.
func row(b *strings.Builder, cells []string, widths []int, right []bool) {
	parts, most := make([][]string, len(widths)), 1
	for i, cell := range cells {
		parts[i] = linesOf(cell)
		most = max(most, len(parts[i]))
	}
	for n := range most {
		for i, width := range widths {
			text := ""
			if n < len(parts[i]) {
				text = parts[i][n]
			}
			blank := strings.Repeat(" ", width-ansi.StringWidth(text))
			if right != nil && right[i] {
				text, blank = blank, text
			}
			b.WriteString("│ " + text + blank + " ")
		}
		b.WriteString("│\n")
	}
}

// linesOf are the lines of a cell, with blanks for tabs, which are as wide as a terminal likes.
func linesOf(cell string) []string {
	return strings.Split(strings.ReplaceAll(cell, "\t", "    "), "\n")
}

// pad fills a text up to so many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-ansi.StringWidth(text)))
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
