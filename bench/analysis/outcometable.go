package analysis

import (
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
)

// Table is the outcomes of a run as columns, built once: question, repeat and condition of each debate and, within it,
// round and agent, with the id of the answer and whether it is right, as trial.Outcome tells it. A Comparison is
// computed from it, and reports and diffs read the same table.
type Table struct {
	Outcomes []trial.Outcome // in the order in which they were recorded
	parts    map[string]*Part
}

// NewTable makes a table of outcomes, which must not be changed afterwards.
func NewTable(outcomes []trial.Outcome) *Table {
	t := &Table{Outcomes: outcomes, parts: make(map[string]*Part)}
	byCondition := make(map[string][]trial.Outcome)
	for _, o := range outcomes {
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	for condition, outcomes := range byCondition {
		t.parts[condition] = partOf(outcomes)
	}
	return t
}

// Under is the part of one condition. It is empty if there are no outcomes of that condition.
func (t *Table) Under(condition string) *Part {
	if p := t.parts[condition]; p != nil {
		return p
	}
	return partOf(nil)
}

// Conditions lists the conditions that have outcomes, sorted.
func (t *Table) Conditions() []string { return slices.Sorted(maps.Keys(t.parts)) }

// Questions lists the questions on which some debate did not fail, in the order of their outcomes.
func (t *Table) Questions() (list []string) {
	seen := make(map[string]bool)
	for _, o := range t.Outcomes {
		if !seen[o.Question] && !o.Failed() {
			seen[o.Question] = true
			list = append(list, o.Question)
		}
	}
	return list
}

// Part is the debates of one condition in the order in which they were recorded: entry i of each column belongs to
// debate i. The answers, which are costly, are read when they are first asked for, so a Part belongs to one goroutine.
type Part struct {
	outcomes []trial.Outcome
	cases    []string // question and repeat, see trial.CaseID
	right    []bool   // false for debates that failed
	failed   []bool
	held     *Part             // the debates that did not fail; the Part itself if none failed
	correct  correctness       // of held
	clusters map[string]string // by question, of held
	answers  *answers          // of held, nil until said is called
}

func partOf(outcomes []trial.Outcome) *Part {
	p := &Part{outcomes: outcomes, clusters: make(map[string]string)}
	for _, o := range outcomes {
		failed := o.Failed()
		p.cases, p.failed = append(p.cases, o.Case()), append(p.failed, failed)
		p.right = append(p.right, o.Score == task.Right && !failed)
	}
	if p.held = p; slices.Contains(p.failed, true) {
		p.held = partOf(p.without(func(i int) bool { return p.failed[i] }))
		p.correct, p.clusters = p.held.correct, p.held.clusters
		return p
	}
	for i, o := range outcomes {
		p.correct.add(o.Question, o.Repeat, p.right[i])
		p.clusters[o.Question] = o.Cluster
	}
	return p
}

// without are the debates except those that are left out.
func (p *Part) without(leaves func(i int) bool) (outcomes []trial.Outcome) {
	for i, o := range p.outcomes {
		if !leaves(i) {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// Outcomes are the outcomes of the debates.
func (p *Part) Outcomes() []trial.Outcome { return p.outcomes }

// Rounds sums up the debates that did not fail, round by round.
func (p *Part) Rounds() []Round { return roundsOf(p) }

// Asked counts how often a question was asked without the debate failing, and how often it was answered right.
func (p *Part) Asked(question string) stat.Asked { return tally(p.correct.of[question]) }

// Marks are 1 where the condition was right on a question and 0 where it was not, one of each repeat that was held.
func (p *Part) Marks(question string) (marks []float64) {
	for _, a := range p.correct.of[question] {
		marks = append(marks, a.mark())
	}
	return marks
}

// cell is what one agent answered in one round.
type cell struct {
	answer int // its id, or stat.Unparsed
	right  bool
	turn   debate.Turn
}

// correctness says whether the answer is right, wrong or unparsed.
func (c cell) correctness() stat.Correctness {
	switch {
	case c.answer == stat.Unparsed:
		return stat.Unread
	case c.right:
		return stat.Right
	}
	return stat.Wrong
}

// answers are what agents answered in some debates.
type answers struct {
	cells [][][]cell // by debate and round: the answers to the question, sorted by agent
	ids   answerIDs
}

// said are the answers in the debates that did not fail. Answer ids are given in the order of the answers, because the
// last bits of sums depend on it.
func (p *Part) said() *answers {
	if p.held.answers == nil {
		a := &answers{ids: answerIDs{numbers: make(trial.Numbers)}}
		for _, o := range p.held.outcomes {
			a.read(o)
		}
		p.held.answers = a
	}
	return p.held.answers
}

// read appends one debate.
func (a *answers) read(o trial.Outcome) {
	var d stat.Debate
	t, marked, last := o.Transcript, make(map[int]bool), make(map[int]debate.Turn)
	rounds := make([][]cell, len(t.Rounds))
	for r := range t.Rounds {
		turns := Answers(t, r)
		ids := a.ids.all(turns)
		for i, turn := range turns {
			last[turn.Agent] = turn
			right, known := marked[ids[i]]
			if !known {
				if right = o.IsRight(turn.Answer); right {
					d.Key = append(d.Key, ids[i])
				}
				marked[ids[i]] = right
			}
			rounds[r] = append(rounds[r], cell{ids[i], right, turn})
		}
		d.Rounds = append(d.Rounds, ids)
	}
	a.cells = append(a.cells, rounds)
	a.ids.debates, a.ids.standing = append(a.ids.debates, d), append(a.ids.standing, a.ids.all(InOrder(last)))
}
