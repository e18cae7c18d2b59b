// Package table is the model of the tables that Parley shows: columns say how a row becomes cells, and the terminal,
// Markdown, CSV and HTML are written from the same cells. JSON is written from the rows themselves, so that programs
// get every number and not only those that have a column.
//
// Lifecycle: New applies columns to rows. The Table that it returns holds texts only, no rows, and is written by
// Layout, Markdown, CSV, or the template HTML.
package table

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/internal/bug"
)

// Column says how one column is made of rows of T. Its Text is what people read; its Values, with all digits, are what
// CSV holds and what the page sorts by.
type Column[T any] struct {
	Name   string
	Hidden bool // not shown to people; CSV still has its Fields
	Left   bool // aligned to the left, as words are
	Text   func(T) string

	// Fields are the names of Values in CSV; a column without Fields is not in CSV. Values returns one value for each
	// field, at least one where there are no fields, and none at all for a row without a value. A column whose Values
	// is nil cannot be sorted by.
	Fields []string
	Values func(T) []any

	Bar  func(T) *Bar   // drawn in front of the text on the page; nil draws nothing
	Note func(T) string // in small letters after the text
	Hint func(T) string // shown when the pointer rests on the cell
}

// Bar is a share from 0 to 1 with its interval, and the share that guessing reaches.
type Bar struct{ Point, Low, High, Guess float64 }

// Table is made of texts. Every line has as many cells as there are heads.
type Table struct {
	Title, Caption string
	Question       string   // that it answers, under which a report folds it; "" for one that stands open
	Sentence       string   // what Says says; "" for one of its own making
	Lead           []string // names of heads, the first of which that has a number is what Says speaks of
	Each           string   // the head that says of what kind a row is; Says compares those of the first kind alone
	Heads          []Head
	Lines          []Line
	Records        [][]string // of CSV; the first one has the names of the fields
	Files          []Link     // they have the same table, beside the page

	// all are the records with the columns that are shown and have no fields, as they are shown; nil if there are none
	all [][]string
}

// Link leads to a file that has what stands above it.
type Link struct{ Name, Path string }

// Head is the head of a column that is shown.
type Head struct {
	Name  string
	Left  bool // aligned to the left
	Sorts bool // the page can sort by this column
}

// Line is one row.
type Line struct {
	Cells []Cell
	Apart bool // shown in another shade, such as a condition that is no method
}

// Bar is the first bar of the line, nil if it has none. On a narrow screen it is drawn below the line's name.
func (l Line) Bar() *Bar {
	for _, c := range l.Cells {
		if c.Bar != nil {
			return c.Bar
		}
	}
	return nil
}

// Cell is one row in one column.
type Cell struct {
	Text, Note, Hint string
	Value            string // what the page sorts by
	Left             bool
	Bar              *Bar
}

// New makes a table of columns and rows.
func New[T any](columns []Column[T], rows []T) (t Table) {
	var fields, all []string
	for _, c := range columns {
		fields, all = append(fields, c.Fields...), append(all, c.Fields...)
		if len(c.Fields) == 0 && !c.Hidden {
			all = append(all, c.Name)
		}
		if !c.Hidden {
			t.Heads = append(t.Heads, Head{c.Name, c.Left, c.Values != nil})
		}
	}
	t.Records = [][]string{fields}
	if len(all) > len(fields) {
		t.all = [][]string{all}
	}
	for _, r := range rows {
		line, record, whole := Line{}, []string{}, []string{}
		for _, c := range columns {
			made, values := c.made(r)
			record, whole = append(record, values[:len(c.Fields)]...), append(whole, values[:len(c.Fields)]...)
			if len(c.Fields) == 0 && !c.Hidden {
				whole = append(whole, made.Text)
			}
			if !c.Hidden {
				line.Cells = append(line.Cells, made)
			}
		}
		t.Lines, t.Records = append(t.Lines, line), append(t.Records, record)
		if t.all != nil {
			t.all = append(t.all, whole)
		}
	}
	return t
}

// made is the cell of a row with its values. One that panics says why, and the rest of the table stands.
func (c Column[T]) made(r T) (cell Cell, values []string) {
	why := bug.Text(func() {
		if values = c.values(r); !c.Hidden {
			cell = c.cell(r, values)
		}
	})
	if why != "" {
		return Cell{Text: why, Left: c.Left}, make([]string, max(1, len(c.Fields)))
	}
	return cell, values
}

// values has one text for each field and at least one, empty where the row has no value, or none that is a number.
func (c Column[T]) values(r T) []string {
	values := make([]string, max(1, len(c.Fields)))
	if c.Values == nil {
		return values
	}
	for i, v := range c.Values(r) {
		if i < len(values) && finite(v) { // a column whose fields a run does not have is sorted by its first value
			values[i] = fmt.Sprint(v)
		}
	}
	return values
}

func (c Column[T]) cell(r T, values []string) Cell {
	made := Cell{Text: c.Text(r), Left: c.Left, Value: values[0]}
	if c.Bar != nil {
		made.Bar = c.Bar(r)
	}
	if c.Note != nil {
		made.Note = c.Note(r)
	}
	if c.Hint != nil {
		made.Hint = c.Hint(r)
	}
	return made
}

// Filled leaves out the columns in which no row has a value. All columns need Values.
func Filled[T any](columns []Column[T], rows []T) []Column[T] {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool {
		return !slices.ContainsFunc(rows, func(r T) bool { return len(c.Values(r)) > 0 })
	})
}
