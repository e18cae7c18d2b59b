package table

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// first is the number of the text of a cell, which has no other one but of how sure it is.
var first = regexp.MustCompile(`^([+-]?[0-9][0-9,]*(?:\.[0-9]+)?)(?: %)?(?:$| [±(])`)

// Says is one sentence that says what the table shows: between which rows its leading measure lies. It is "" if no
// column has a number.
func (t Table) Says() string {
	if t.Sentence != "" {
		return t.Sentence
	}
	if i := slices.IndexFunc(t.Heads, func(h Head) bool { return h.Name == t.Each }); i >= 0 && len(t.Lines) > 0 {
		kind := t.Lines[0].Cells[i].Text
		t.Lines = slices.DeleteFunc(slices.Clone(t.Lines), func(l Line) bool { return l.Cells[i].Text != kind })
	}
	lead := t.lead()
	if lead < 0 || len(t.Lines) == 0 {
		return ""
	}
	text := func(l Line) string { return l.Cells[lead].Text }
	named := t.naming(lead)
	name := func(l Line) string { return named(l) + andOthers(t.equal(lead, text(l))-1) }
	known := slices.DeleteFunc(slices.Clone(t.Lines), func(l Line) bool {
		_, err := t.number(l, lead)
		return err != nil
	})
	says := strings.ToUpper(t.Heads[lead].Name[:1]) + t.Heads[lead].Name[1:] + ": "
	if len(known) == 0 {
		if only := text(t.Lines[0]); only != Absent && only != "" && t.equal(lead, only) == len(t.Lines) {
			return says + only + " throughout."
		}
		return says + "unknown in all rows."
	}
	byNumber := func(a, b Line) int {
		x, _ := t.number(a, lead) // they are known
		y, _ := t.number(b, lead)
		return cmp.Compare(x, y)
	}
	least, most := slices.MinFunc(known, byNumber), slices.MaxFunc(known, byNumber)
	switch {
	case len(known) == 1:
		says += fmt.Sprintf("%s (%s)", text(least), name(least))
	case text(least) == text(most):
		says += text(least) + " throughout"
	default:
		says += fmt.Sprintf("from %s (%s) to %s (%s)", text(least), name(least), text(most), name(most))
	}
	if unknown := len(t.Lines) - len(known); unknown > 0 {
		says += fmt.Sprintf("; unknown in %d of %d rows", unknown, len(t.Lines))
	}
	return says + "."
}

// equal is how many rows have a text in a column.
func (t Table) equal(column int, text string) (n int) {
	for _, l := range t.Lines {
		if l.Cells[column].Text == text {
			n++
		}
	}
	return n
}

// andOthers follows the name of a row that stands for others, too.
func andOthers(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " and 1 other"
	}
	return fmt.Sprintf(" and %d others", n)
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
		if _, err := t.number(l, column); err == nil {
			number, measure = true, measure || strings.Contains(written(l.Cells[column].Text), ".")
		}
	}
	return number, measure
}

// number is that of a cell: what the page sorts by or, in other columns, what is written.
func (t Table) number(l Line, column int) (float64, error) {
	if t.Heads[column].Sorts {
		return strconv.ParseFloat(l.Cells[column].Value, 64)
	}
	return strconv.ParseFloat(strings.ReplaceAll(written(l.Cells[column].Text), ",", ""), 64)
}

// written is the number of a text, "" if it has none.
func written(text string) string {
	if found := first.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
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
