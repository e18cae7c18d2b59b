package analysis

import (
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
)

// Level is the confidence level of all intervals, alpha the largest p that is called a difference, and power the chance
// with which a planned run is to find a true difference.
const (
	Level = 0.95
	alpha = 0.05
	power = 0.8
)

// Tested says how this program tests what runs are asked. It is part of their plan: who changes that changes this.
const Tested = "two-sided at 95 %; Holm's correction over conditions, and over contrasts apart; all pairs at once by " +
	"max-T"

// accuracyOf returns the mean over questions of their shares of right answers, with its interval. Each question counts
// the same, also one of which repeats failed, so that it is not the share of right debates.
func accuracyOf(c outcome.Correctness) (accuracy float64, interval stat.Interval) {
	return stat.Accuracy(c.Counts(), Level)
}

// AccuracyIn is the accuracy of questions that may be in clusters, with its interval over what was drawn: the clusters,
// or the questions if their clusters are "".
func AccuracyIn(asked []stat.Asked, clusters []string) (accuracy float64, interval stat.Interval, drawn int) {
	accuracy, interval = stat.Accuracy(asked, Level)
	if len(clusters) == 0 || clusters[0] == "" {
		return accuracy, interval, len(asked)
	}
	_, interval = stat.ShareByCluster(shares(asked), clusters, Level)
	return accuracy, interval, distinct(clusters)
}

// tallies counts right answers and repeats of each question, in the order of questions.
func tallies(questions [][]outcome.Once) (list []stat.Asked) {
	for _, repeats := range questions {
		list = append(list, outcome.Tally(repeats))
	}
	return list
}

// shares has the share of right answers to each question. None was asked 0 times: only debates that were held are in a
// Correctness.
func shares(questions []stat.Asked) (list []float64) {
	for _, q := range questions {
		list = append(list, stat.Share(q.Right, q.Times))
	}
	return list
}

// Accuracy is the accuracy of one condition in one run, with the counts behind it.
type Accuracy struct {
	Right    int           `json:"right"`
	Unparsed int           `json:"unparsed"`
	Accuracy float64       `json:"accuracy"`
	Interval stat.Interval `json:"interval"`
}

// AccuracyOf sums up the debates of a condition that did not fail.
func AccuracyOf(d *outcome.Debates) Accuracy {
	var a Accuracy
	for i, one := range d.All {
		switch {
		case d.Failed[i]:
		case d.Right[i]:
			a.Right++
		case one.Score == task.Unparsed:
			a.Unparsed++
		}
	}
	a.Accuracy, a.Interval = accuracyOf(d.Correct)
	return a
}

// variancesOf splits the variance of right answers into that of questions and that of sampling. It is nil where too few
// questions were asked, or none more than once: then the two cannot be told apart.
func variancesOf(c outcome.Correctness) *pairs.Variances {
	var scores [][]float64
	for _, q := range c.Questions {
		var values []float64
		for _, once := range c.Of[q] {
			values = append(values, once.Value())
		}
		scores = append(scores, values)
	}
	v, err := pairs.SplitVariance(scores)
	if err != nil {
		return nil
	}
	return &v
}

// Partial is how right the decisions of a condition are if the task's measure has degrees: F1 of spans, the share of
// players in puzzles, chrF of translations.
type Partial struct {
	Degree   string         `json:"degree"` // the name of the degree, see task.Degree
	Mean     float64        `json:"mean"`   // over questions, each the mean of its repeats
	Interval *stat.Interval `json:"interval,omitempty"`
}

// partialIn sums up the degrees of a condition's outcomes; the result is nil if none is recorded, as in old runs. A
// single question says nothing about others, so that its mean has no interval.
func partialIn(degree string, debates []*outcome.Debate) *Partial {
	var questions, clusters []string
	degrees := make(map[string][]float64)
	for _, o := range debates {
		if o.Partial == nil {
			continue
		}
		if degrees[o.Question] == nil {
			questions, clusters = append(questions, o.Question), append(clusters, o.Cluster)
		}
		degrees[o.Question] = append(degrees[o.Question], *o.Partial)
	}
	if degree == "" || len(questions) == 0 {
		return nil
	}
	means := make([]float64, len(questions))
	for i, q := range questions {
		means[i] = stat.Mean(degrees[q])
	}
	p := &Partial{Degree: degree, Mean: stat.Mean(means)}
	if len(means) > 1 {
		interval := stat.BoundedAt(means, clusters, 0, 1)(Level)
		p.Interval = &interval
	}
	return p
}

// degree is the name of the degrees of the run's measure, "" if it has none.
func (c Comparison) degree() string { return task.Degree(c.Measure) }

// Grouped is what a condition achieved on one group of questions, such as those of SQuAD 2.0 that can be answered
// (MALLM, Figure 3).
type Grouped struct {
	Group     string `json:"group"`
	N         int    `json:"n"` // debates that did not fail
	Questions int    `json:"questions"`
	Accuracy
	Partial *Partial `json:"partial,omitempty"`
}

// groupsIn sums up each group of questions, sorted by name; the result is nil if the questions have no groups.
// Intervals obey the clusters of the run.
func (c Comparison) groupsIn(p *outcome.Debates) (list []Grouped) {
	groups := make(map[string][]*outcome.Debate)
	for _, o := range p.Held().All {
		if o.Group != "" {
			groups[o.Group] = append(groups[o.Group], o)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		part := outcome.Of(groups[group])
		g := Grouped{Group: group, N: len(part.All), Questions: len(part.Correct.Questions),
			Accuracy: AccuracyOf(part), Partial: partialIn(c.degree(), part.All)}
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

// GroupsTable has a line for each group of questions under each condition, or none where questions have no groups.
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

// groupColumns have the same fields in CSV whatever the measure, so that the tables of tasks can be joined: what has no
// degrees hides the columns and keeps the fields. The keys of the map at the end are indices of columns.
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
				return table.Between("%.3f", i.Low, i.High)
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
