package analysis

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
)

// Grouped is what a condition achieved on one group of questions, such as those of SQuAD 2.0 that can be answered
// (source 4, Figure 3).
type Grouped struct {
	Group     string `json:"group"`
	N         int    `json:"n"` // debates that did not fail
	Questions int    `json:"questions"`
	Accuracy
	Partial *Partial `json:"partial,omitempty"`
}

// groupsIn sums up each group of questions, sorted by name; nil if the questions have no groups. Intervals obey the
// clusters of the run.
func (c Comparison) groupsIn(p *Part) (list []Grouped) {
	groups := make(map[string][]trial.Outcome)
	for _, o := range p.held.outcomes {
		if o.Group != "" {
			groups[o.Group] = append(groups[o.Group], o)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		part := partOf(groups[group])
		g := Grouped{Group: group, N: len(part.outcomes), Questions: len(part.correct.questions),
			Accuracy: part.Accuracy(), Partial: partialIn(c.degree(), part.outcomes)}
		if c.Cluster != "" {
			var row Row
			row.cluster(part)
			g.Interval = row.Interval
		}
		list = append(list, g)
	}
	return list
}

// groupLine is a group of questions under one condition.
type groupLine struct {
	condition string
	Grouped
}

// GroupsTable has a line for each group of questions under each condition; none where questions have no groups.
func (c Comparison) GroupsTable() table.Table {
	var lines []groupLine
	for _, r := range c.Rows {
		for _, g := range r.Groups {
			lines = append(lines, groupLine{r.Condition, g})
		}
	}
	t := table.New(c.groupColumns(), lines)
	t.Title = "Groups of questions"
	t.Caption = "Each group of questions by itself, and nothing is tested between groups. Unparsed: share of " +
		"debates without a readable decision."
	return t
}

// groupColumns have the same fields in CSV whatever the measure, so that the tables of tasks can be joined.
func (c Comparison) groupColumns() []table.Column[groupLine] {
	partial := table.Decimals(c.degree(), func(l groupLine) *float64 {
		if l.Partial == nil {
			return nil
		}
		return &l.Partial.Mean
	})
	within := intervalColumn("its 95 % interval", func(l groupLine) *stat.Interval {
		if l.Partial == nil {
			return nil
		}
		return l.Partial.Interval
	}, "partial_low", "partial_high")
	unparsed := table.Ratios("unparsed", "", func(l groupLine) (int, int) { return l.Unparsed, l.N })
	partial.Hidden, within.Hidden = c.degree() == "", c.degree() == ""
	columns := []table.Column[groupLine]{
		table.Words("condition", func(l groupLine) string { return l.condition }, "condition"),
		table.Words("group", func(l groupLine) string { return l.Group }, "group"),
		table.Counts("n", func(l groupLine) int { return l.N }),
		table.Counts("questions", func(l groupLine) int { return l.Questions }),
		table.Decimals("accuracy", func(l groupLine) *float64 { return &l.Accuracy.Accuracy }),
		intervalColumn("95 % interval", func(l groupLine) *stat.Interval { return &l.Interval }, "low", "high"),
		partial, within, unparsed,
	}
	for at, field := range map[int]string{2: "n", 3: "questions", 4: "accuracy", 6: "partial", 8: "unparsed_share"} {
		columns[at].Fields = []string{field}
	}
	return columns
}

// intervalColumn is an interval; nil is table.Absent.
func intervalColumn(name string, of func(groupLine) *stat.Interval, fields ...string) table.Column[groupLine] {
	return table.Column[groupLine]{
		Name: name, Fields: fields,
		Text: func(l groupLine) string {
			if i := of(l); i != nil {
				return fmt.Sprintf("%.3f to %.3f", i.Low, i.High)
			}
			return table.Absent
		},
		Values: func(l groupLine) []any {
			if i := of(l); i != nil {
				return []any{i.Low, i.High}
			}
			return nil
		},
	}
}
