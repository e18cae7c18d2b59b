package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// What LaTeX sets is reckoned in points, so that a table still fits in class article, whose columns are the narrowest
// of the usual classes: the widths of a column and of a page, of a character of Computer Modern in \footnotesize, and
// of the gap between columns. Words are broken beyond a number of characters, and a page with a caption has room for a
// number of lines.
const (
	latexColumn, latexPage = 200.0, 410.0
	latexRune, latexGap    = 4.4, 6.0
	latexWords             = 26
	latexLines             = 30
)

// LaTeX writes the table as a float for \input, with the rules of package booktabs, the notes of cells in parentheses,
// and a label that other text can refer to. It fits by its layout: heads and words are broken into lines, a table that
// is too wide for a column takes the page, and one that is too wide for the page is set in parts, one below the other,
// each with the names of its rows. One that is too high goes on in further floats. Texts are ASCII and commands, so
// that no other package is needed.
func (t Table) LaTeX(label string) string {
	columns, float, width := t.forLaTeX(), "table", 0.0
	for _, c := range columns {
		width += c.width + latexGap
	}
	if width-latexGap > latexColumn {
		float = "table*"
	}
	var parts []string
	for _, part := range latexParts(columns) {
		for from := 0; from == 0 || from < len(t.Lines); from += latexLines {
			parts = append(parts, tabular(part, from, min(from+latexLines, len(t.Lines))))
		}
	}
	floats := [][]string{parts}
	if len(parts)*len(t.Lines) > latexLines {
		floats = slices.Collect(slices.Chunk(parts, 1))
	}
	caption := fmt.Sprintf("\\caption{%s}\n\\label{tab:%s}", LaTeXCaption(t.Title, t.Caption), label)
	var b strings.Builder
	for i, parts := range floats {
		if i > 0 {
			caption = fmt.Sprintf("\\addtocounter{table}{-1}\n\\caption{%s}", latexText(t.Title)+" (continued).")
		}
		fmt.Fprintf(&b, "\\begin{%s}[t]\n\\centering\n\\footnotesize\n\\setlength{\\tabcolsep}{%gpt}\n", float,
			latexGap/2)
		fmt.Fprintf(&b, "%s%s\n\\end{%s}\n", strings.Join(parts, "\n\\medskip\n"), caption, float)
	}
	return b.String()
}

// LaTeXCaption is the text of a caption that begins with a title.
func LaTeXCaption(title, caption string) string {
	return strings.TrimSuffix(latexText(title)+". "+latexText(caption), " ")
}

// columnForLaTeX is a column for LaTeX: its head, the texts of its rows, how they are aligned, and its width in points.
type columnForLaTeX struct {
	head, align string
	cells       []string
	width       float64
}

// forLaTeX is the table by columns. A head is broken so that it makes its column no wider than a word of it has to.
func (t Table) forLaTeX() (columns []columnForLaTeX) {
	for i, h := range t.Heads {
		c, runes := columnForLaTeX{align: map[bool]string{true: "l", false: "r"}[h.Left]}, 0
		for _, l := range t.Lines {
			cell := l.Cells[i].Text
			if note := l.Cells[i].Note; note != "" {
				cell += " (" + note + ")"
			}
			c.cells, runes = append(c.cells, latexText(cell)), max(runes, utf8.RuneCountInString(cell))
		}
		if h.Left && runes > latexWords {
			runes, c.align = latexWords, fmt.Sprintf("p{%gpt}", latexWords*latexRune)
			for k := range c.cells {
				c.cells[k] = `\raggedright ` + c.cells[k]
			}
		}
		for word := range strings.FieldsSeq(h.Name) {
			runes = max(runes, utf8.RuneCountInString(word))
		}
		lines := wrap(h.Name, max(1, runes))
		for k, line := range lines {
			lines[k] = latexText(strings.TrimSpace(line))
		}
		if c.head = lines[0]; len(lines) > 1 {
			align := strings.Replace(c.align[:1], "p", "l", 1)
			c.head = fmt.Sprintf("\\begin{tabular}[b]{@{}%s@{}}%s\\end{tabular}", align, strings.Join(lines, `\\`))
		}
		c.width = float64(runes) * latexRune
		columns = append(columns, c)
	}
	return columns
}

// latexParts divides columns into parts that are no wider than a page, each beginning with the first column.
func latexParts(columns []columnForLaTeX) (parts [][]columnForLaTeX) {
	used := 0.0
	for i, c := range columns {
		if i == 0 || len(parts[len(parts)-1]) > 1 && used+latexGap+c.width > latexPage {
			parts, used = append(parts, columns[:1:1]), columns[0].width
		}
		if i > 0 {
			parts[len(parts)-1], used = append(parts[len(parts)-1], c), used+latexGap+c.width
		}
	}
	return parts
}

// tabular sets columns of equally many cells, from one row up to another.
func tabular(columns []columnForLaTeX, from, to int) string {
	var b strings.Builder
	row := func(of func(columnForLaTeX) string) {
		for i, c := range columns {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(of(c))
		}
	}
	b.WriteString("\\begin{tabular}{@{}")
	for _, c := range columns {
		b.WriteString(c.align)
	}
	b.WriteString("@{}}\n\\toprule\n")
	row(func(c columnForLaTeX) string { return c.head })
	b.WriteString(" \\\\\n\\midrule\n")
	for i := from; i < to; i++ {
		row(func(c columnForLaTeX) string { return c.cells[i] })
		b.WriteString(" \\tabularnewline\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

// latexCommands are characters that mean something else in LaTeX, and those beyond ASCII that tables of reports have.
var latexCommands = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `\textless{}`, '>': `\textgreater{}`,
	'/': `/\allowbreak{}`, '|': `\textbar\allowbreak{}`,
	'"': `''`, '`': `\textasciigrave{}`, '\n': " ", '[': `{[}`, ']': `{]}`,
	'–': "--", '—': "---", '−': "$-$", '×': `$\times$`, '·': `$\cdot$`, '±': `$\pm$`, '≥': `$\geq$`, '≤': `$\leq$`,
	'≈': `$\approx$`, '→': `$\to$`, '…': `\dots{}`, '’': "'", '‘': "`", '“': "``", '”': "''", '²': "$^2$",
	'τ': `$\tau$`, 'κ': `$\kappa$`, 'χ': `$\chi$`, 'α': `$\alpha$`, 'β': `$\beta$`, 'Δ': `$\Delta$`, 'σ': `$\sigma$`,
	'µ': `$\mu$`, '\u00a0': "~", '\u202f': `\,`,
}

// latexText writes a text so that LaTeX shows it and obeys nothing in it. A character that has no command here, such as
// a letter of another script, becomes its code point in brackets: which packages would show it is not ours to decide.
func latexText(s string) string {
	var b strings.Builder
	for _, r := range Minus(s) {
		switch command, ok := latexCommands[r]; {
		case ok:
			b.WriteString(command)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "{[}U+%04X{]}", r)
		}
	}
	return b.String()
}

var negative = regexp.MustCompile(`(^|[ (\[])-(\d)`)

// Minus gives the negative numbers of a text the sign that print has for them, which is as wide as a plus.
func Minus(s string) string { return negative.ReplaceAllString(s, "${1}−${2}") }
