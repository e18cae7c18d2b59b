package table

import (
	"fmt"
	"strings"
)

// wideColumns is how many columns a table in LaTeX has at most in one column of a page; others take the whole width.
const wideColumns = 6

// LaTeX writes the table as a float for \input, with the rules of package booktabs, the notes of cells in parentheses,
// and a label that other text can refer to. A wide table is shrunk to the width of the page, by package graphicx. Texts
// are ASCII and commands, so that no other package is needed.
func (t Table) LaTeX(label string) string {
	float, begin, end := "table", "\\small\n", ""
	if len(t.Heads) > wideColumns {
		float, begin, end = "table*", "\\resizebox{\\textwidth}{!}{%\n", "}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{%s}[t]\n\\centering\n%s\\begin{tabular}{@{}", float, begin)
	heads := make([]string, len(t.Heads))
	for i, h := range t.Heads {
		heads[i] = latexText(h.Name)
		b.WriteString(map[bool]string{true: "l", false: "r"}[h.Left])
	}
	fmt.Fprintf(&b, "@{}}\n\\toprule\n%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
	for _, l := range t.Lines {
		cells := make([]string, len(l.Cells))
		for i, c := range l.Cells {
			if cells[i] = latexText(c.Text); c.Note != "" {
				cells[i] += " (" + latexText(c.Note) + ")"
			}
		}
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	caption := latexText(t.Title) + "."
	if t.Caption != "" {
		caption += " " + latexText(t.Caption)
	}
	fmt.Fprintf(&b, "\\bottomrule\n\\end{tabular}%s\n\\caption{%s}\n\\label{tab:%s}\n\\end{%s}\n", end, caption,
		label, float)
	return b.String()
}

// latexCommands are characters that mean something else in LaTeX, and those beyond ASCII that tables of reports have.
var latexCommands = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `\textless{}`, '>': `\textgreater{}`,
	'|': `\textbar{}`, '"': `''`, '`': `\textasciigrave{}`, '\n': " ", '[': `{[}`, ']': `{]}`,
	'–': "--", '—': "---", '−': "$-$", '×': `$\times$`, '·': `$\cdot$`, '±': `$\pm$`, '≥': `$\geq$`, '≤': `$\leq$`,
	'≈': `$\approx$`, '→': `$\to$`, '…': `\dots{}`, '’': "'", '‘': "`", '“': "``", '”': "''", '²': "$^2$",
	'τ': `$\tau$`, 'κ': `$\kappa$`, 'χ': `$\chi$`, 'α': `$\alpha$`, 'β': `$\beta$`, 'Δ': `$\Delta$`, 'σ': `$\sigma$`,
	'µ': `$\mu$`, '\u00a0': "~", '\u202f': `\,`,
}

// latexText writes a text so that LaTeX shows it and obeys nothing in it. A character that has no command here, such as
// a letter of another script, becomes its code point in brackets: which packages would show it is not ours to decide.
func latexText(s string) string {
	var b strings.Builder
	for _, r := range s {
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
