package report

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	align "github.com/jedib0t/go-pretty/v6/text"

	"parley/escape"
)

// column is one of a table with rows of T. Its text is in the page and in Markdown, its values with all digits are in
// CSV.
type column[T any] struct {
	Name   string         // "" of a column that is only in CSV
	Left   bool           // aligned to the left: words
	Text   func(T) string // of a cell
	Fields []string       // names of the values; none if the column is not in CSV
	Values func(T) []any  // as many, or none where there is nothing; the page sorts by the first one
	Span   func(T) *span  // drawn beside the text, nil where there is nothing to draw
	Note   func(T) string // said in small letters behind the text
	Hint   func(T) string // shown when somebody points at the cell
}

// words is a column of texts, which is sorted by them; a field is its name in CSV.
func words[T any](name string, text func(T) string, field ...string) column[T] {
	return column[T]{Name: name, Left: true, Text: text, Fields: field,
		Values: func(r T) []any { return []any{text(r)} }}
}

// counted is a column of whole numbers that are only for reading.
func counted[T any](name string, n func(T) int) column[T] {
	return column[T]{Name: name, Text: func(r T) string { return comma(n(r)) },
		Values: func(r T) []any { return []any{n(r)} }}
}

// span is a share from 0 to 1 with its interval, drawn as a bar.
type span struct{ Point, Low, High, Guess float64 }

func (s span) Width() float64 { return s.High - s.Low }

// table is what the page, Markdown and CSV are written from.
type table struct {
	Title, Caption string
	Heads          []heading
	Lines          []entry
	CSV            [][]string // with the line of names
}

type heading struct {
	Name             string
	Left, Sorts, Bar bool
}

// entry is one row.
type entry struct {
	Cells []cell
	Apart bool // no method, or one that looks at the truth
}

type cell struct {
	Text, Note, Hint, Value string
	Left                    bool
	Span                    *span
}

// filled leaves out columns that have a value in no row.
func filled[T any](columns []column[T], rows []T) []column[T] {
	return slices.DeleteFunc(slices.Clone(columns), func(c column[T]) bool {
		return !slices.ContainsFunc(rows, func(r T) bool { return len(c.Values(r)) > 0 })
	})
}

// tableOf fills a table. apart says which rows are set apart; it may be nil.
func tableOf[T any](columns []column[T], rows []T, apart func(T) bool) (t table) {
	var fields []string
	for _, c := range columns {
		fields = append(fields, c.Fields...)
		if c.Name != "" {
			t.Heads = append(t.Heads, heading{c.Name, c.Left, c.Values != nil, c.Span != nil})
		}
	}
	t.CSV = [][]string{fields}
	for _, r := range rows {
		l, record := entry{Apart: apart != nil && apart(r)}, []string{}
		for _, c := range columns {
			values := c.valuesOf(r)
			record = append(record, values[:len(c.Fields)]...)
			if c.Name != "" {
				l.Cells = append(l.Cells, c.cell(r, values))
			}
		}
		t.Lines, t.CSV = append(t.Lines, l), append(t.CSV, record)
	}
	return t
}

// valuesOf are the values of a cell, empty texts where there are none.
func (c column[T]) valuesOf(r T) []string {
	values := make([]string, max(1, len(c.Fields)))
	if c.Values == nil {
		return values
	}
	for i, v := range c.Values(r) {
		values[i] = fmt.Sprint(v)
	}
	return values
}

func (c column[T]) cell(r T, values []string) cell {
	made := cell{Text: c.Text(r), Left: c.Left, Value: values[0]}
	if c.Span != nil {
		made.Span = c.Span(r)
	}
	if c.Note != nil {
		made.Note = c.Note(r)
	}
	if c.Hint != nil {
		made.Hint = c.Hint(r)
	}
	return made
}

// plain is the table for a terminal.
func (t table) plain() string {
	w := pretty.NewWriter()
	w.SetStyle(pretty.StyleLight)
	var heads pretty.Row
	var columns []pretty.ColumnConfig
	for i, h := range t.Heads {
		heads = append(heads, h.Name)
		if !h.Left {
			columns = append(columns, pretty.ColumnConfig{Number: i + 1, Align: align.AlignRight})
		}
	}
	w.AppendHeader(heads)
	for _, l := range t.Lines {
		var cells pretty.Row
		for _, c := range l.Cells {
			cells = append(cells, c.Text)
		}
		w.AppendRow(cells)
	}
	w.SetColumnConfigs(columns)
	return w.Render() + "\n"
}

// markdown is the table for a text.
func (t table) markdown() string {
	var b strings.Builder
	for _, h := range t.Heads {
		b.WriteString("| " + inCell(h.Name) + " ")
	}
	b.WriteString("|\n")
	for _, h := range t.Heads {
		b.WriteString(map[bool]string{true: "| --- ", false: "| --: "}[h.Left])
	}
	b.WriteString("|\n")
	for _, l := range t.Lines {
		for _, c := range l.Cells {
			text := c.Text
			if c.Note != "" {
				text += " (" + c.Note + ")"
			}
			b.WriteString("| " + inCell(text) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// inCell keeps a text inside its cell of Markdown, and from being a link, an image that is loaded from somewhere, or
// HTML.
func inCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "[", `\[`).Replace(s)
}

// csvOf writes tables with the same fields as one; names stand in a first column, if there are any.
func csvOf(first string, names []string, tables []table) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for i, t := range tables {
		for k, record := range t.CSV {
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
