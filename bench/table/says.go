package table

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// first is the number with which the text of a cell begins.
var first = regexp.MustCompile(`^[+-]?[0-9][0-9,]*(\.[0-9]+)?`)

// Says is one sentence that says what the table shows: between which rows its leading measure lies. It is "" if no
// column has a number.
func (t Table) Says() string {
	lead := t.lead()
	if lead < 0 {
		return ""
	}
	var least, most *Line
	var low, high float64
	known := 0
	for i, l := range t.Lines {
		x, err := l.number(lead)
		if err != nil {
			continue
		}
		known++
		if least == nil || x < low {
			least, low = &t.Lines[i], x
		}
		if most == nil || x > high {
			most, high = &t.Lines[i], x
		}
	}
	name := t.naming(lead)
	text := func(l *Line) string { return l.Cells[lead].Text }
	says := strings.ToUpper(t.Heads[lead].Name[:1]) + t.Heads[lead].Name[1:] + ": "
	switch {
	case known == 0:
		return says + "unknown in all rows."
	case known > 1 && text(least) == text(most):
		says += text(least) + " throughout"
	case known > 1:
		says += fmt.Sprintf("from %s (%s) to %s (%s)", text(least), name(*least), text(most), name(*most))
	default:
		says += fmt.Sprintf("%s (%s)", text(least), name(*least))
	}
	if unknown := len(t.Lines) - known; unknown > 0 {
		says += fmt.Sprintf("; unknown in %d of %d rows", unknown, len(t.Lines))
	}
	return says + "."
}

// lead is the column that leads: one of Lead, else the first of numbers with decimals, else the first of numbers.
func (t Table) lead() int {
	lead, named := -1, -1
	for _, name := range t.Lead {
		i := slices.IndexFunc(t.Heads, func(h Head) bool { return h.Name == name })
		if number, _ := t.kind(max(0, i)); i >= 0 && number {
			return i
		}
		named = max(named, i)
	}
	if named >= 0 {
		return named
	}
	for i, h := range t.Heads {
		switch number, measure := t.kind(i); {
		case h.Left:
		case measure:
			return i
		case number && lead < 0:
			lead = i
		}
	}
	return lead
}

// kind says whether a column has a number, and whether it has one with decimals, as measures have and counts have not.
func (t Table) kind(column int) (number, measure bool) {
	for _, l := range t.Lines {
		if _, err := l.number(column); err == nil {
			number, measure = true, measure || strings.Contains(first.FindString(l.Cells[column].Text), ".")
		}
	}
	return number, measure
}

// number is that of a cell.
func (l Line) number(column int) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(first.FindString(l.Cells[column].Text), ",", ""), 64)
}

// naming names lines by the fewest first columns, before another one, that tell them apart.
func (t Table) naming(before int) func(Line) string {
	var name func(Line) string
	for n := 1; n <= max(1, before); n++ {
		name = func(l Line) string {
			var parts []string
			for i, c := range l.Cells[:n] {
				if text := c.Text; t.Heads[i].Left {
					parts = append(parts, text)
				} else {
					parts = append(parts, t.Heads[i].Name+" "+text)
				}
			}
			return strings.Join(parts, ", ")
		}
		seen := make(map[string]bool)
		for _, l := range t.Lines {
			seen[name(l)] = true
		}
		if len(seen) == len(t.Lines) {
			break
		}
	}
	return name
}
