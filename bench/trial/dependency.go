package trial

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/parley-debate/parley/debate"
)

// Some conditions build on another: a control that may cost what the debate has cost, an agent that hears solutions
// sampled before. They are held after all others of their block, each on the transcript of the other condition on the
// same question.

// Contested reports whether two answers compete for a question: at least two have more than a share of all replies
// each. MADC calls such questions candidates, with a share of 0.3. counts has the number of replies of each answer
// that could be read.
func Contested(counts iter.Seq[int], replies int, share float64) bool {
	above := 0
	for n := range counts {
		if float64(n) > share*float64(replies) {
			above++
		}
	}
	return above >= 2
}

// Validate checks what a condition builds on, among all conditions of its run.
func (c Condition) Validate(all []Condition) error {
	switch form := c.form(); {
	case form.Prior == debate.PriorRequired && c.DependsOn == "":
		return fmt.Errorf("form %s spends what another debate has cost: name that with after", form.Name)
	case form.Name != "" && form.Prior == debate.PriorNone && c.DependsOn != "" && c.Candidates == 0:
		return fmt.Errorf("form %s builds on no other debate: it can be after %s only for the candidates of that",
			form.Name, c.DependsOn)
	}
	if c.DependsOn == "" {
		if c.Candidates != 0 {
			return errors.New("candidates are questions on which another condition gave several answers: name it " +
				"with after")
		}
		return nil
	}
	i := slices.IndexFunc(all, func(other Condition) bool { return other.Name == c.DependsOn })
	switch {
	case i < 0:
		return fmt.Errorf("it builds on %s, which is not in the run", c.DependsOn)
	case all[i].DependsOn != "":
		return fmt.Errorf("it builds on %s, which itself builds on %s: only one step is supported", c.DependsOn,
			all[i].DependsOn)
	case c.Candidates < 0 || c.Candidates >= 0.5:
		return fmt.Errorf("candidates %g: two answers are to have more than this share each, so it must be at least 0 "+
			"and below 0.5", c.Candidates)
	}
	return nil
}

// form is the form of the protocol, the zero value for standard conditions.
func (c Condition) form() debate.Form {
	if c.Protocol == nil {
		return debate.Form{}
	}
	return c.Protocol.FormOf()
}

// HeldAt are the repeats [from, to) in which a condition is held, in a run with so many of them.
func (c Condition) HeldAt(repeats int) (from, to int) {
	switch {
	case c.Again:
		return repeats, repeats + 1
	case c.Once:
		return 0, 1
	}
	return 0, repeats
}

// Times is how often a condition is held on each question of a run with so many repeats.
func (c Condition) Times(repeats int) int {
	from, to := c.HeldAt(max(1, repeats))
	return to - from
}
