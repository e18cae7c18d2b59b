package outcome

import (
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
)

// Debates are the debates of one condition, or some of them, in the order in which they were recorded: entry i of each
// column belongs to debate i.
type Debates struct {
	All    []*Debate
	Cases  []string // the question and the repeat, see trial.CaseID
	Right  []bool   // whether the decision is right; false if the debate failed
	Failed []bool

	// Correct says by question whether the debates that did not fail were right, and Clusters has the clusters of these
	// questions.
	Correct  Correctness
	Clusters map[string]string

	held *Debates // what Held returns: d itself if no debate failed
}

// Of makes columns of some debates. Debates that failed have no part in Correct and Clusters, so that every accuracy
// leaves them out without asking.
func Of(list []*Debate) *Debates {
	d := &Debates{All: list, Clusters: make(map[string]string)}
	for _, one := range list {
		failed := one.Failed()
		d.Cases, d.Failed = append(d.Cases, one.Case()), append(d.Failed, failed)
		d.Right = append(d.Right, one.Score == task.Right && !failed)
	}
	if d.held = d; slices.Contains(d.Failed, true) {
		d.held = d.without(func(i int) bool { return d.Failed[i] })
		d.Correct, d.Clusters = d.held.Correct, d.held.Clusters
		return d
	}
	for i, one := range list {
		d.Correct.Add(one.Question, one.Repeat, d.Right[i])
		d.Clusters[one.Question] = one.Cluster
	}
	return d
}

// ClustersOf lists the clusters of some questions, in their order.
func (d *Debates) ClustersOf(questions []string) (list []string) {
	for _, q := range questions {
		list = append(list, d.Clusters[q])
	}
	return list
}

// FirstOfClusters is Correct with the first question of each cluster alone; without clusters, each question is one.
func (d *Debates) FirstOfClusters() Correctness {
	met := make(map[string]bool)
	first := d.Correct
	first.Questions = slices.DeleteFunc(slices.Clone(first.Questions), func(q string) bool {
		again := met[d.Clusters[q]]
		met[d.Clusters[q]] = d.Clusters[q] != ""
		return again
	})
	return first
}

// Held returns the debates that did not fail.
func (d *Debates) Held() *Debates { return d.held }

// without returns the debates except those that are left out.
func (d *Debates) without(leaves func(i int) bool) *Debates {
	var kept []*Debate
	for i, one := range d.All {
		if !leaves(i) {
			kept = append(kept, one)
		}
	}
	return Of(kept)
}

// CountOf counts how often a question was asked without the debate failing, and how often it was answered right.
func (d *Debates) CountOf(question string) stat.Asked { return Tally(d.Correct.Of[question]) }

// Share is the share of the debates on a question that the condition was right on, of those that did not fail.
func (d *Debates) Share(question string) float64 {
	var values []float64
	for _, once := range d.Correct.Of[question] {
		values = append(values, once.Value())
	}
	return stat.Mean(values)
}

// HeldByAll leaves out of all conditions the debates that failed in any of them: what makes debates fail, such as a
// long question, may also make them hard, and would favour the condition in which they fail.
func HeldByAll(conditions []*Debates) (held []*Debates) {
	failed := make(map[string]bool)
	for _, d := range conditions {
		for i, name := range d.Cases {
			failed[name] = failed[name] || d.Failed[i]
		}
	}
	for _, d := range conditions {
		held = append(held, d.without(func(i int) bool { return failed[d.Cases[i]] }))
	}
	return held
}

// SameCases returns the debates on the questions and repeats that are in both lists. Debate i of a is on the same
// question and repeat as debate i of b; the order is that of the first list.
func SameCases(first, second *Debates) (a, b *Debates) {
	at := make(map[string]*Debate)
	for i, name := range second.Cases {
		at[name] = second.All[i]
	}
	var one, other []*Debate
	for i, name := range first.Cases {
		if same, ok := at[name]; ok {
			one, other = append(one, first.All[i]), append(other, same)
		}
	}
	return Of(one), Of(other)
}
