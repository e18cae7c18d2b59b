package bench

import (
	"fmt"
	"slices"

	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
)

// builtOn is the debate that another depends on. It is that of the same repeat, unless there is only one.
func (r *run) builtOn(p place) int {
	after := r.Conditions[p.condition].DependsOn
	p.condition = slices.IndexFunc(r.Conditions, func(c trial.Condition) bool { return c.Name == after })
	if r.Conditions[p.condition].Once {
		p.repeat = 0
	}
	return r.held[p]
}

// prior is the transcript that a debate depends on, nil if on none.
func (r *run) prior(p place) (*debate.Transcript, error) {
	if r.Conditions[p.condition].DependsOn == "" {
		return nil, nil
	}
	i := r.builtOn(p)
	if r.failed[i] != nil {
		return nil, fmt.Errorf("%w: %w", debate.ErrPrior, r.failed[i])
	}
	return &r.outcomes[i].Transcript, nil
}

// donor is the question whose reasoning is heard where arguments are shuffled; nil if there is no other.
func (r *run) donor(p place) *debate.Case {
	next, ok := r.donors[r.Task.Questions[p.question].ID]
	if !ok {
		return nil
	}
	return &debate.Case{ID: trial.CaseID(next.ID, p.repeat), Question: next.Text, Extract: r.Task.Reader(next),
		Truth: next.Truth}
}

// donorsOf gives each question of a task the next one as its donor.
func donorsOf(questions []task.Question) map[string]task.Question {
	donors := make(map[string]task.Question)
	for i, q := range questions {
		if len(questions) > 1 {
			donors[q.ID] = questions[(i+1)%len(questions)]
		}
	}
	return donors
}

// candidate reports whether a condition is held on a question: source 0 takes those on which at least two answers have
// more than a share (0.3) of all replies each.
func (r *run) candidate(p place) bool {
	share := r.Conditions[p.condition].Candidates
	if share == 0 {
		return true
	}
	turns := r.outcomes[r.builtOn(p)].Transcript.Last()
	counts, above := make(map[string]int), 0
	for _, t := range turns {
		if t.Answer.Parsed {
			counts[t.Answer.Text]++
		}
	}
	for _, n := range counts {
		if float64(n) > share*float64(len(turns)) {
			above++
		}
	}
	return above >= 2
}
