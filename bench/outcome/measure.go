package outcome

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
)

// Measure is a number that single debates have, so that the means of two conditions can be compared over questions.
type Measure struct {
	Name   string
	Share  bool // its values are from 0 to 1
	Better bool // more of it is better

	of func(*Debate) (value float64, known bool)
}

// Of returns the number of a debate that did not fail. It is not known where nobody's answer could be read, for
// example, or where the measure of the task has no degrees.
func (m Measure) Of(d *Debate) (value float64, known bool) { return m.of(d) }

// measures are those that every task has; the degrees of its own measure come on top, see MeasureOf.
var measures = []Measure{
	{"agreement", true, false, (*Debate).Agreement},
	{"calls", false, false, func(d *Debate) (float64, bool) {
		return float64(CostOf(d).Replies), true
	}},
	{"challenged", true, false, (*Debate).challenged},
	{"flips", true, false, (*Debate).flips},
	{"rounds", false, false, func(d *Debate) (float64, bool) { // until the decision, as the tables count them
		held := d.Transcript.RoundsHeld()
		return float64(held), held > 0
	}},
	{"tokens", false, false, func(d *Debate) (float64, bool) {
		return float64(CostOf(d).Tokens), true
	}},
	{"unparsed", true, false, func(d *Debate) (float64, bool) {
		if d.Score == task.Unparsed {
			return 1, true
		}
		return 0, true
	}},
	{"won-by-affirmative", true, false, wonBy(debate.RoleAffirmative)},
	{"won-by-negative", true, false, wonBy(debate.RoleNegative)},
}

// MeasureOf returns a measure by its name, one of MeasureNames.
func MeasureOf(name string) (m Measure, known bool) {
	if i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == name }); i >= 0 {
		return measures[i], true
	}
	return Measure{name, true, true, (*Debate).degree}, slices.Contains(task.Degrees(), name)
}

// MeasureNames lists the names of the measures of debates, sorted.
func MeasureNames() (names []string) {
	for _, m := range measures {
		names = append(names, m.Name)
	}
	return slices.Sorted(slices.Values(append(names, task.Degrees()...)))
}

// HasMeasure reports whether debates that are scored by the measure of a task have one of MeasureNames: a degree such
// as f1 belongs to some tasks alone.
func HasMeasure(scoredBy, name string) bool {
	return !slices.Contains(task.Degrees(), name) || task.Degree(scoredBy) == name
}

// degree is how right the decision is by the degrees of the task's measure.
func (d *Debate) degree() (float64, bool) {
	if d.Partial == nil {
		return 0, false
	}
	return *d.Partial, true
}

// Agreement is the share of pairs of agents whose last answers are equal; it is not known without two that were read.
func (d *Debate) Agreement() (share float64, known bool) { return agreement.PairAgreement(d.LastIDs()) }

// flips is the share of agents whose last answer is not their first, of those that answered in several rounds.
func (d *Debate) flips() (share float64, known bool) {
	again, flipped := 0, 0
	for _, a := range d.Agents() {
		if a.Times > 1 {
			again++
			if a.First.ID != a.Last.ID {
				flipped++
			}
		}
	}
	return stat.Share(flipped, again), again > 0
}

// challenged is the share of panelists who did not stand by the final answer that they were shown.
func (d *Debate) challenged() (share float64, known bool) {
	asked, disagreed := d.Transcript.Challenges, 0
	for _, said := range asked {
		if said.Agrees != nil && !*said.Agrees {
			disagreed++
		}
	}
	return stat.Share(disagreed, len(asked)), len(asked) > 0
}

// wonBy is whether a side won the debate; only debates between sides have it.
func wonBy(side string) func(*Debate) (float64, bool) {
	return func(d *Debate) (float64, bool) {
		if !d.Transcript.HasSides() {
			return 0, false
		}
		if strings.EqualFold(strings.TrimSpace(d.Transcript.Decision.Side), side) {
			return 1, true
		}
		return 0, true
	}
}

// LastIDs has the number of each agent's last answer, sorted by agent.
func (d *Debate) LastIDs() (ids []int) {
	for _, a := range d.Agents() {
		ids = append(ids, a.Last.ID)
	}
	return ids
}

// ScoredBy returns the debates as if those were right in which a measure is 1, and wrong in which it is 0, without
// those of which it is not known. It is false if the measure is another number in a debate that did not fail.
func (d *Debates) ScoredBy(m Measure) (scored *Debates, whole bool) {
	var list []*Debate
	for i, one := range d.All {
		if !d.Failed[i] {
			value, known := m.Of(one)
			if !known {
				continue
			}
			marked := *one.Outcome
			switch value {
			case 0:
				marked.Score = task.Wrong
			case 1:
				marked.Score = task.Right
			default:
				return nil, false
			}
			again := *one
			again.Outcome, one = &marked, &again
		}
		list = append(list, one)
	}
	return Of(list), true
}

// Means has the mean of a measure by question, over the debates that did not fail and have it.
func (d *Debates) Means(m Measure) map[string]float64 {
	sums, counts := make(map[string]float64), make(map[string]int)
	for _, one := range d.Held().All {
		if value, known := m.Of(one); known {
			sums[one.Question] += value
			counts[one.Question]++
		}
	}
	for q, n := range counts {
		sums[q] /= float64(n)
	}
	return sums
}
