package table

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Fit makes a text with drawn tables as narrow as a terminal of so many columns. A table that is wider is broken into
// several, one below the other, each with the first columns that tell its rows apart; a column that is too wide even so
// has its texts broken.
// Other lines are broken between words, and go on below what follows their first gap of two blanks, so that lists stay
// lists; lines of a paragraph that was broken before are joined first. A word that is too long stays whole.
func Fit(s string, columns int) string {
	lines := strings.SplitAfter(s, "\n")
	var b strings.Builder
	for len(lines) > 0 {
		if drawn := drawing(lines); drawn != nil {
			b.WriteString(strings.Join(drawn.fit(columns), "\n"))
			b.WriteString(lines[len(drawn)-1][len(strings.TrimSuffix(lines[len(drawn)-1], "\n")):])
			lines = lines[len(drawn):]
			continue
		}
		line, end := strings.CutSuffix(lines[0], "\n")
		for ansi.StringWidth(line) > columns && goesOn(line, lines[1:]) {
			next, more := strings.CutSuffix(lines[1], "\n")
			line, end, lines = line+" "+next, more, lines[1:]
		}
		b.WriteString(strings.Join(brokenLine(line, columns), "\n"))
		if end {
			b.WriteByte('\n')
		}
		lines = lines[1:]
	}
	return b.String()
}

// drawn is a table as Terminal draws it, without line breaks: for each line, the texts of its columns with what
// surrounds them, between the vertical lines.
type drawn [][]string

// drawing is the table with which lines begin, or nil if it is none.
func drawing(lines []string) (d drawn) {
	top, _ := strings.CutSuffix(lines[0], "\n")
	if !strings.HasPrefix(top, "┌") || !strings.HasSuffix(top, "┐") {
		return nil
	}
	var widths []int
	for _, part := range strings.Split(strings.Trim(top, "┌┐"), "┬") {
		widths = append(widths, strings.Count(part, "─"))
	}
	for _, line := range lines {
		line, _ = strings.CutSuffix(line, "\n")
		cells := cut(line, widths)
		if cells == nil {
			return nil
		}
		if d = append(d, cells); strings.HasPrefix(line, "└") {
			return d
		}
	}
	return nil
}

// cut takes a line of a table apart at places that are known from its first one; the result is nil if the line has
// other columns.
func cut(line string, widths []int) (cells []string) {
	for _, width := range widths {
		border, size := utf8.DecodeRuneInString(line)
		if !strings.ContainsRune("┌├└│┬┼┴", border) {
			return nil
		}
		cell := ansi.Truncate(line[size:], width, "")
		cells, line = append(cells, cell), line[size+len(cell):]
	}
	if last, size := utf8.DecodeRuneInString(line); size != len(line) || !strings.ContainsRune("┐┤┘│", last) {
		return nil
	}
	return cells
}

// fit returns the lines of the table, or of several with some of its columns each.
func (d drawn) fit(columns int) (lines []string) {
	const least = 4 // of a column whose texts are broken: two blanks and two letters
	widths := make([]int, len(d[0]))
	for i, cell := range d[0] {
		widths[i] = ansi.StringWidth(cell)
	}
	across := func(shown int) (width int) { // the first columns with their lines
		width = 1
		for _, w := range widths[:shown] {
			width += w + 1
		}
		return width
	}
	names := d.names()
	if across(names) > columns/2 { // they leave space for another column
		names = 1
	}
	if across(len(widths)) > columns {
		widths[0] = min(widths[0], max(least, columns/2))
	}
	for next := names; ; {
		var shown []int
		for i := range names {
			shown = append(shown, i)
		}
		width := across(names)
		for ; next < len(widths) && (len(shown) == names || width+widths[next]+1 <= columns); next++ {
			widths[next] = min(widths[next], max(least, columns-width-1))
			shown, width = append(shown, next), width+widths[next]+1
		}
		lines = append(lines, d.part(shown, widths)...)
		if next == len(widths) {
			return lines
		}
	}
}

// names is the number of first columns that tell all rows apart, 1 if even all columns do not.
func (d drawn) names() int {
	for n := 1; n < len(d[0]); n++ {
		seen, rows := make(map[string]bool), 0
		for _, cells := range d {
			if !strings.HasPrefix(cells[0], "─") {
				seen[strings.Join(cells[:n], "│")] = true
				rows++
			}
		}
		if len(seen) == rows {
			return n
		}
	}
	return 1
}

// part draws some columns of the table in these widths.
func (d drawn) part(shown, widths []int) (lines []string) {
	rules := make([]string, len(shown))
	for k, i := range shown {
		rules[k] = strings.Repeat("─", widths[i])
	}
	for n, cells := range d {
		switch {
		case n == 0:
			lines = append(lines, "┌"+strings.Join(rules, "┬")+"┐")
		case n == len(d)-1:
			lines = append(lines, "└"+strings.Join(rules, "┴")+"┘")
		case strings.HasPrefix(cells[0], "─"):
			lines = append(lines, "├"+strings.Join(rules, "┼")+"┤")
		default:
			lines = append(lines, brokenRow(cells, shown, widths)...)
		}
	}
	return lines
}

// brokenRow draws some cells of a row, on several lines where a text is wider than its column.
func brokenRow(cells []string, shown, widths []int) (lines []string) {
	parts, most := make([][]string, len(shown)), 1
	for k, i := range shown {
		parts[k] = []string{cells[i]}
		if ansi.StringWidth(cells[i]) > widths[i] {
			parts[k] = wrap(cells[i], widths[i]-2)
			for n, part := range parts[k] {
				parts[k][n] = " " + part
			}
		}
		most = max(most, len(parts[k]))
	}
	for n := range most {
		line := "│"
		for k, i := range shown {
			part := ""
			if n < len(parts[k]) {
				part = parts[k][n]
			}
			line += pad(part, widths[i]) + "│"
		}
		lines = append(lines, line)
	}
	return lines
}

// goesOn reports whether a line ends within a sentence that the next line continues.
func goesOn(line string, more []string) bool {
	if len(more) == 0 || strings.HasPrefix(line, " ") || strings.Contains(line, "  ") ||
		strings.ContainsAny(line[len(line)-1:], ".;:") {
		return false
	}
	next := strings.TrimSuffix(more[0], "\n")
	word, _, _ := strings.Cut(next, " ")
	return word != "" && !strings.HasSuffix(word, ":") && !strings.HasPrefix(next, "┌") && !strings.Contains(next, "  ")
}

// brokenLine breaks a line between words.
func brokenLine(line string, columns int) (lines []string) {
	indent := hanging(line, columns)
	for ansi.StringWidth(line) > columns {
		at, seen, started := -1, 0, false
		for i, r := range line {
			if seen += ansi.StringWidth(string(r)); r == ' ' {
				if started && seen > indent {
					at = i
				}
			} else {
				started = true
			}
			if at >= 0 && seen > columns {
				break
			}
		}
		if at < 0 {
			break
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
	}
	return slices.Concat(lines, []string{line})
}

// hanging is the column at which a broken line goes on: that of the text after the first gap of two blanks, unless it
// is in the right half; else that of its first word.
func hanging(line string, columns int) int {
	words := strings.TrimLeft(line, " ")
	margin := len(line) - len(words)
	name, rest, gap := strings.Cut(words, "  ")
	if !gap {
		return min(margin, columns/2)
	}
	at := ansi.StringWidth(line) - ansi.StringWidth(strings.TrimLeft(rest, " "))
	if name == "" || at > columns/2 {
		return min(margin, columns/2)
	}
	return at
}
