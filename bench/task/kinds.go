package task

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/unknown"
)

// mixed is the error of a file whose rows are of several kinds, where one task is to be made of it.
type mixed struct {
	kinds  []answer.Kind // of the rows
	how    string        // how they are known
	column string        // that names them, or ""
}

// Error implements error.
func (m mixed) Error() string {
	return fmt.Sprintf("has questions of several kinds, %s: parley run EXPERIMENT --on FILE asks each kind as a task "+
		"of its own, and --columns only=%s takes those of one", m.says(), m.list()[0])
}

// list has each kind once, in the order of the rows.
func (m mixed) list() (kinds []answer.Kind) {
	for _, k := range m.kinds {
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// says counts the kinds, and says how they are known.
func (m mixed) says() string {
	var parts []string
	for _, kind := range m.list() {
		n := 0
		for _, k := range m.kinds {
			if k == kind {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%s %s", wording.Comma(n), kind))
	}
	return wording.List(parts) + " (" + m.how + ")"
}

// leastWithout is the share of rows without choices from which on they are of other kinds, and not rows that lack
// theirs.
const leastWithout = 0.1

// kinds returns the kinds of rows, by the column that tells them or else by what they have; nil if they are of one kind
// or all read by one rule.
func (o *ownFile) kinds(rows []row) (*mixed, error) {
	m := mixed{kinds: make([]answer.Kind, len(rows))}
	if o.asked != "" && o.Only == "" {
		return nil, nil
	}
	column := cmp.Or(o.Kind, kindColumn(rows))
	switch {
	case column != "":
		m.column, m.how = column, "by the column "+column
		for i, r := range rows {
			name, err := r.cell(column)
			if r.Err == nil && err != nil {
				return nil, fmt.Errorf("%s: %w", r.Place, err)
			}
			m.kinds[i] = answer.Kind(strings.ToLower(name))
			if !slices.Contains(answer.Kinds(), m.kinds[i]) && r.Err == nil {
				return nil, fmt.Errorf("%s: %w", r.Place, unknown.Name("kind", name, kindNames()))
			}
		}
	case len(o.Choices) == 0 || !o.lacksChoices(rows):
		return nil, nil
	default:
		m.how = "inferred: some have no choices"
		for i, r := range rows {
			m.kinds[i] = o.kindOf(r)
		}
		if slices.Contains(m.kinds, answer.KindQuantity) { // which numbers are as well
			for i, k := range m.kinds {
				if k == answer.KindNumber {
					m.kinds[i] = answer.KindQuantity
				}
			}
		}
	}
	if len(m.list()) < 2 {
		return nil, nil
	}
	return &m, nil
}

// kindColumn returns the column that is called kind and names kinds of answers in most rows, or "".
func kindColumn(rows []row) string {
	for _, column := range rowOfNames(rows).names() {
		named := 0
		for _, r := range rows {
			if slices.Contains(answer.Kinds(), answer.Kind(strings.ToLower(strings.TrimSpace(r.Text(column))))) {
				named++
			}
		}
		if strings.EqualFold(strings.TrimSpace(column), "kind") && 2*named > len(rows) {
			return column
		}
	}
	return ""
}

// lacksChoices reports whether so many rows have no choices that they may be of other kinds.
func (o *ownFile) lacksChoices(rows []row) bool {
	without := 0
	for _, r := range rows {
		if r.Err == nil && !o.hasChoices(r) {
			without++
		}
	}
	return without > 1 && float64(without) >= leastWithout*float64(len(rows))
}

// hasChoices reports whether a row has at least one choice.
func (o *ownFile) hasChoices(r row) bool {
	if len(o.Choices) == 1 {
		options, _ := choicesIn(r, o.Choices[0])
		return len(options) > 0
	}
	return slices.ContainsFunc(o.Choices, func(name string) bool { return strings.TrimSpace(r.Text(name)) != "" })
}

// kindOf tells the kind of a row by its choices and its answer.
func (o *ownFile) kindOf(r row) answer.Kind {
	if o.hasChoices(r) {
		return answer.KindChoice
	}
	plain := *o
	plain.Choices = nil
	i, err := plain.item(r)
	if err != nil {
		return answer.KindWords // which is refused with its line
	}
	return forms[slices.IndexFunc(forms, func(f form) bool { return f.fit(i) })].kind
}

// ofKind returns the rows that are read: all of a file of one kind, or those of the kind that the mapping names.
func (o *ownFile) ofKind(m Mapping, rows []row) ([]row, error) {
	o.rows = rows
	kinds, err := o.kinds(rows)
	switch {
	case err != nil:
		return nil, err
	case kinds == nil && m.Only == "":
		return rows, nil
	case kinds == nil:
		return nil, fmt.Errorf("only %q: the file is of one kind; leave out only", m.Only)
	case m.Only == "":
		return nil, *kinds
	}
	o.rows, o.Kind = nil, kinds.column
	for i, r := range rows {
		if string(kinds.kinds[i]) == m.Only {
			o.rows = append(o.rows, r)
		}
	}
	if len(o.rows) == 0 {
		return nil, fmt.Errorf("only %q: there are %s", m.Only, kinds.says())
	}
	if o.rule == "" {
		o.rule = m.Only
	}
	if m.Only != string(answer.KindChoice) && m.Only != string(answer.KindName) || !o.hasChoices(o.rows[0]) {
		o.dropped, o.Choices, o.By = o.Choices, nil, ""
	}
	return o.rows, nil
}

// Split returns a mapping for each kind of questions in a file, itself for a file of one kind, and says which there are
// and how that is known; "" for one kind.
func (m Mapping) Split(path string) (parts []Mapping, says string, err error) {
	_, err = m.Inspect(path)
	var kinds mixed
	if !errors.As(err, &kinds) {
		return []Mapping{m}, "", nil // what is wrong with it is told when it is read
	}
	if _, err := os.Stat(path); err != nil {
		return nil, "", err
	}
	for _, kind := range kinds.list() {
		part := m
		part.Only, part.Family = string(kind), FamilyOwn
		parts = append(parts, part)
	}
	return parts, kinds.says(), nil
}

func kindNames() (names []string) {
	for _, k := range answer.Kinds() {
		names = append(names, string(k))
	}
	return names
}
