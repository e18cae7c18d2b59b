package table

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/parley-debate/parley/internal/escape"
)

// HTML defines two templates: "table", which shows a Table without its title, and "bar", which it uses. They are for
// package html/template, which escapes what they show.
//
//go:embed table.html
var HTML string

// Percent is a share as a coordinate in the template "bar".
func (Bar) Percent(share float64) string { return fmt.Sprintf("%.3f", 100*share) }

// Width is the width of the interval.
func (b Bar) Width() float64 { return b.High - b.Low }

// Layout implements Block: the table is drawn with lines.
func (t Table) Layout(columns int) []string {
	var g Grid
	for _, h := range t.Heads {
		g.Heads, g.Right = append(g.Heads, strings.ToUpper(h.Name)), append(g.Right, !h.Left)
	}
	for _, l := range t.Lines {
		var cells []string
		for _, c := range l.Cells {
			cells = append(cells, c.Text)
		}
		g.Rows = append(g.Rows, cells)
	}
	return g.Layout(columns)
}

// String is the table as it is drawn without a limit.
func (t Table) String() string { return Document{t}.String() }

// Markdown writes the table, with the notes of its cells in parentheses.
func (t Table) Markdown() string {
	var b strings.Builder
	for _, h := range t.Heads {
		b.WriteString("| " + MarkdownCell(h.Name) + " ")
	}
	b.WriteString("|\n")
	for _, h := range t.Heads {
		b.WriteString(map[bool]string{true: "| --- ", false: "| --: "}[h.Left])
	}
	b.WriteString("|\n")
	for _, l := range t.Lines {
		for _, c := range l.Cells {
			shown := c.Text
			if c.Note != "" {
				shown += " (" + c.Note + ")"
			}
			b.WriteString("| " + MarkdownCell(shown) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// MarkdownCell keeps a text inside one cell or line of Markdown, and keeps it from becoming a link, HTML, or an image
// that is loaded from elsewhere.
func MarkdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "[", `\[`).Replace(s)
}

// CSV writes tables with the same fields, one below the other under one line of field names. If first is not "", it
// names an additional first column, which has the name of each record's table.
func CSV(first string, names []string, tables []Table) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for i, t := range tables {
		for k, record := range t.Records {
			if k == 0 && i > 0 {
				continue
			}
			if first != "" {
				record = append([]string{map[bool]string{true: first, false: names[i]}[k == 0]}, record...)
			}
			_ = w.Write(escape.Cells(record)) // into memory
		}
	}
	w.Flush()
	return b.String()
}

// AllCSV writes the table for programs, with all columns that are shown: with all digits where a column has fields, and
// otherwise as it is shown.
func (t Table) AllCSV() string {
	if t.all != nil {
		t.Records = t.all
	}
	return CSV("", nil, []Table{t})
}
