package terminal

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/parley-debate/parley/internal/escape"
)

// leastColumn is how many columns of a terminal an agent needs beside others, the line between them included.
const leastColumn = 40

// between stands between two texts.
const between = " │ "

// CellWidth returns how many columns the text of each of n agents gets side by side, 0 if that would be too few.
func CellWidth(n, width int) int {
	if n == 0 || width/n < leastColumn {
		return 0
	}
	return width/n - len([]rune(between))
}

// Width returns the number of columns of the terminal behind out, 0 if there is none.
func Width(out io.Writer) int {
	if !drawable(out) {
		return 0
	}
	width, _, err := term.GetSize(int(Of(out).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Block is a text with a heading. Both may come from anywhere.
type Block struct {
	Head Span
	Text string
}

// SideBySide returns the lines of blocks side by side, each width columns wide. If there are more than most lines,
// those at
// the end of each text are shown; most is 0 where all are wanted.
func SideBySide(blocks []Block, width, most int) []Styled {
	heads, texts := make([][]string, len(blocks)), make([][]string, len(blocks))
	above, below := 0, 0
	for i, b := range blocks {
		heads[i], texts[i] = Wrap(b.Head.Text, width), Wrap(b.Text, width)
		above, below = max(above, len(heads[i])), max(below, len(texts[i]))
	}
	if most > 0 {
		above = min(above, most)
		below = min(below, most-above)
	}
	lines := make([]Styled, above+below)
	for i := range lines {
		for k, b := range blocks {
			var cell Span
			if i < above {
				cell = Span{lineOf(heads[k], i), b.Head.Look}
			} else {
				cell.Text = lineOf(texts[k], i-above+max(0, len(texts[k])-below))
			}
			if k < len(blocks)-1 {
				lines[i] = append(lines[i], cell, Span{Text: gap(cell.Text, width) + between})
			} else {
				lines[i] = append(lines[i], cell)
			}
		}
	}
	return lines
}

// lineOf is a line of a text, empty after its end.
func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// gap fills a line up to a width.
func gap(line string, width int) string {
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
}

// Wrap returns the lines of a text, at most width columns each. The text is escaped first, since codes are wider than
// the characters that they stand for, and so that nothing in it is taken for a sequence.
func Wrap(text string, width int) []string {
	text = strings.ReplaceAll(escape.Text(strings.TrimSpace(text)), "\r\n", "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(ansi.Wrap(strings.ReplaceAll(text, "\t", "    "), width, ""), "\n")
	for i, line := range lines { // Wrap leaves a blank at an end, which may be one column too many
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
