package table

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/internal/escape"
)

// Block is a part of what people read, which is laid out where it is shown.
type Block interface {
	// Layout returns lines of at most so many columns, as far as words allow; 0 columns are no limit, as in a file.
	// What terminals obey is shown as codes.
	Layout(columns int) []string
}

// Document is blocks, one below the other.
type Document []Block

// Layout implements Block.
func (d Document) Layout(columns int) (lines []string) {
	for _, b := range d {
		lines = append(lines, b.Layout(columns)...)
	}
	return lines
}

// String is the document without a limit; every line ends with a line break.
func (d Document) String() string {
	var b strings.Builder
	for _, line := range d.Layout(0) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Titled is a table as a terminal shows it: below its title and what is said of it, above its caption. What is "" is
// left out.
func (t Table) Titled(says string) (d Document) {
	if t.Title != "" {
		d = append(d, Text("\n"+t.Title+"\n"+says))
	}
	if d = append(d, t); t.Caption != "" {
		d = append(d, Paragraph(t.Caption))
	}
	return d
}

// Text is lines; a last line break ends the last of them. One that is too long is broken between words, and goes on
// below what follows its first gap of two blanks, so that lists stay lists; lines of a paragraph that was broken before
// are joined first. A word that is too long stays whole.
type Text string

// Layout implements Block.
func (t Text) Layout(columns int) (out []string) {
	if t == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(escape.Text(string(t)), "\n"), "\n")
	if columns == 0 {
		return lines
	}
	for len(lines) > 0 {
		line := lines[0]
		for ansi.StringWidth(line) > columns && len(lines) > 1 && goesOn(line, lines[1]) {
			line, lines = line+" "+lines[1], lines[1:]
		}
		out, lines = append(out, brokenLine(line, columns)...), lines[1:]
	}
	return out
}

// Paragraph is a text without lines of its own, such as a caption.
type Paragraph string

// Layout implements Block. No line is longer than those of legends.
func (p Paragraph) Layout(columns int) []string {
	const most = 132
	if columns == 0 || columns > most {
		columns = most
	}
	return brokenLine(strings.Join(strings.Fields(escape.Text(string(p))), " "), columns)
}

// goesOn reports whether a line ends within a sentence that the next line continues.
func goesOn(line, next string) bool {
	if strings.HasPrefix(line, " ") || strings.Contains(line, "  ") || strings.ContainsAny(line[len(line)-1:], ".;:") {
		return false
	}
	word, _, _ := strings.Cut(next, " ")
	return word != "" && !strings.HasSuffix(word, ":") && !strings.Contains(next, "  ")
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
