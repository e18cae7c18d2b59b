package outcome

import (
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/trial"
)

// Table is the outcomes of a run by condition.
type Table struct {
	debates    []*Debate // in the order in which they were recorded
	conditions map[string]*Debates
}

// NewTable makes a table of outcomes, which must not be changed afterwards: the table points into the slice, and has
// cached scores of what it found there.
func NewTable(outcomes []trial.Outcome) *Table {
	t := &Table{conditions: make(map[string]*Debates)}
	numbers := make(numbers) // one for all debates: answers of two conditions are compared by number
	by, all := make(map[string][]*Debate), make(map[[2]string]*repeats)
	for i := range outcomes {
		d := &Debate{Outcome: &outcomes[i], numbers: numbers}
		t.debates, by[d.Condition] = append(t.debates, d), append(by[d.Condition], d)
		of := [2]string{d.Condition, d.Question}
		if all[of] == nil {
			all[of] = &repeats{}
		}
		if d.repeats = all[of]; !d.Failed() {
			d.repeats.add(d)
		}
	}
	for condition, list := range by {
		t.conditions[condition] = Of(list)
	}
	return t
}

// Debates returns all debates, also those that failed, in the order in which they were recorded.
func (t *Table) Debates() []*Debate { return t.debates }

// Under returns the debates of one condition. They are none if there are no outcomes of that condition.
func (t *Table) Under(condition string) *Debates {
	if d := t.conditions[condition]; d != nil {
		return d
	}
	return Of(nil)
}

// Conditions lists the conditions that have outcomes, sorted.
func (t *Table) Conditions() []string { return slices.Sorted(maps.Keys(t.conditions)) }

// Questions lists the questions on which some debate did not fail, in the order of their outcomes.
func (t *Table) Questions() (list []string) {
	seen := make(map[string]bool)
	for _, d := range t.debates {
		if !seen[d.Question] && !d.Failed() {
			seen[d.Question] = true
			list = append(list, d.Question)
		}
	}
	return list
}
