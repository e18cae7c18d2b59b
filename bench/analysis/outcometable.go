package analysis

import (
	"maps"
	"slices"

	"parley/bench/stat"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
)

// Table is the outcomes of a run as columns, built once: question, repeat and condition of each debate, and below them
// round and agent, with the id of the answer and whether it is right. Every number of a Comparison is computed from it,
// and whoever has the Comparison reads the same table.
type Table struct {
	Outcomes []trial.Outcome // in the order in which they were recorded
	parts    map[string]*Part
}

// NewTable takes outcomes as they are; nobody may change them afterwards.
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

// Under is the part of one condition, an empty one if it was not held.
func (t *Table) Under(condition string) *Part {
	if p := t.parts[condition]; p != nil {
		return p
	}
	return partOf(nil)
}

// Conditions lists those that have outcomes, sorted.
func (t *Table) Conditions() []string { return slices.Sorted(maps.Keys(t.parts)) }

// Questions lists those on which a debate could be held, in their order.
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

// Part is the debates of one condition, in the order in which they were held: entry i of each column belongs to debate
// i. Columns that are costly are filled when they are first read; a Part is for one goroutine.
type Part struct {
	outcomes []trial.Outcome
	cases    []string
	right    []bool // false of those that failed
	failed   []bool
	held     *Part       // those that did not fail
	correct  correctness // of held
	answers  *answers    // of held
}

func partOf(outcomes []trial.Outcome) *Part {
	p := &Part{outcomes: outcomes}
	for _, o := range outcomes {
		failed := o.Failed()
		p.cases, p.failed = append(p.cases, o.Case()), append(p.failed, failed)
		p.right = append(p.right, o.Score == task.Right && !failed)
	}
	if p.held = p; slices.Contains(p.failed, true) {
		p.held = partOf(p.without(func(i int) bool { return p.failed[i] }))
		p.correct = p.held.correct
		return p
	}
	for i, o := range outcomes {
		p.correct.add(o.Question, o.Repeat, p.right[i])
	}
	return p
}

// without are the debates but for some.
func (p *Part) without(leaves func(i int) bool) (outcomes []trial.Outcome) {
	for i, o := range p.outcomes {
		if !leaves(i) {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// Outcomes are those of the debates.
func (p *Part) Outcomes() []trial.Outcome { return p.outcomes }

// Rounds counts the debates that could be held, round by round.
func (p *Part) Rounds() []Round { return roundsOf(p) }

// Marks are 1 where the condition was right on a question and 0 where it was not, one of each repeat that was held.
func (p *Part) Marks(question string) (marks []float64) {
	for _, a := range p.correct.of[question] {
		mark := 0.0
		if a.right {
			mark = 1
		}
		marks = append(marks, mark)
	}
	return marks
}

// cell is what one agent answered in one round.
type cell struct {
	answer int // its id, or stat.Unparsed
	right  bool
	turn   debate.Turn
}

// mark is how the answer counts among changes of answers.
func (c cell) mark() stat.Mark {
	switch {
	case c.answer == stat.Unparsed:
		return stat.Unread
	case c.right:
		return stat.Right
	}
	return stat.Wrong
}

// answers are the cells of some debates, and their answer ids as package stat takes them.
type answers struct {
	cells [][][]cell // by debate and round, those who answer the question in it, by agent
	ids   answerIDs
}

// said are the answers in the debates that were held. Ids are given in the order of the answers: sums of statistics
// depend on it in their last bit.
func (p *Part) said() *answers {
	if p.held.answers == nil {
		a := &answers{ids: answerIDs{numbers: make(map[string]int)}}
		for _, o := range p.held.outcomes {
			a.read(o.Transcript, o.Truth)
		}
		p.held.answers = a
	}
	return p.held.answers
}

func (a *answers) read(t debate.Transcript, truth answer.Answer) {
	d := stat.Debate{Truth: a.ids.truth(truth)}
	last := make(map[int]debate.Turn)
	rounds := make([][]cell, len(t.Rounds))
	for r := range t.Rounds {
		turns := Answers(t, r)
		ids := a.ids.all(turns)
		for i, turn := range turns {
			last[turn.Agent] = turn
			rounds[r] = append(rounds[r], cell{ids[i], turn.Answer.Equal(truth), turn})
		}
		d.Rounds = append(d.Rounds, ids)
	}
	a.cells = append(a.cells, rounds)
	a.ids.debates, a.ids.standing = append(a.ids.debates, d), append(a.ids.standing, a.ids.all(InOrder(last)))
}
