package bench

import (
	"errors"
	"fmt"
	"slices"

	"parley/bench/task"
	"parley/debate"
)

// Some conditions build on another: a control that may cost what the debate has cost, an agent that hears solutions
// which were sampled before. They are held when all others are done, each on the transcript of the other on the same
// question.

// Validate checks what a condition builds on, among all of a run.
func (c Condition) Validate(all []Condition) error {
	switch form := c.form(); {
	case form == "sampling" && c.After == "":
		return errors.New("form sampling builds on another debate, whose cost it has: name that with after")
	case form != "" && form != "sampling" && form != "centre" && c.After != "" && c.Candidates == 0:
		return fmt.Errorf("form %s builds on no other debate: it can be after %s only for the candidates of that", form,
			c.After)
	}
	if c.After == "" {
		if c.Candidates != 0 {
			return errors.New("candidates are questions on which another condition gave several answers: name it " +
				"with after")
		}
		return nil
	}
	i := slices.IndexFunc(all, func(other Condition) bool { return other.Name == c.After })
	switch {
	case i < 0:
		return fmt.Errorf("it builds on %s, which is not in the run", c.After)
	case all[i].After != "":
		return fmt.Errorf("it builds on %s, which builds on %s itself: one step is all there is", c.After, all[i].After)
	case c.Candidates < 0 || c.Candidates >= 0.5:
		return fmt.Errorf("candidates %g: two answers have more than this share each, so it is from 0 to below 0.5",
			c.Candidates)
	}
	return nil
}

// form is that of the protocol, "" of the standard conditions.
func (c Condition) form() string {
	if c.Protocol == nil {
		return ""
	}
	return c.Protocol.Form
}

// builtOn is the debate that another builds on. It is that of the same repeat, unless there is only one.
func (r *run) builtOn(p place) int {
	after := r.Conditions[p.condition].After
	p.condition = slices.IndexFunc(r.Conditions, func(c Condition) bool { return c.Name == after })
	if r.Conditions[p.condition].Once {
		p.repeat = 0
	}
	return r.held[p]
}

// prior is the transcript that a debate builds on, nil if on none.
func (r *run) prior(p place) (*debate.Transcript, error) {
	if r.Conditions[p.condition].After == "" {
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
	return &debate.Case{ID: caseID(next.ID, p.repeat), Question: next.Text, Extract: r.Task.Reader(next),
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

// times is how often a condition is held on a question.
func (c Condition) times(repeats int) int {
	if c.Once {
		return 1
	}
	return max(1, repeats)
}
