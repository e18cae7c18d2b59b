package trial

import (
	"errors"
	"fmt"
	"slices"
)

// Some conditions build on another: a control that may cost what the debate has cost, an agent that hears solutions
// which were sampled before. They are held when all others are done, each on the transcript of the other on the same
// Question.

// Validate checks what a condition builds on, among all of a run.
func (c Condition) Validate(all []Condition) error {
	switch form := c.form(); {
	case form == "sampling" && c.DependsOn == "":
		return errors.New("form sampling builds on another debate, whose cost it has: name that with after")
	case form != "" && form != "sampling" && form != "centre" && c.DependsOn != "" && c.Candidates == 0:
		return fmt.Errorf("form %s builds on no other debate: it can be after %s only for the candidates of that", form,
			c.DependsOn)
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
		return fmt.Errorf("it builds on %s, which builds on %s itself: one step is all there is", c.DependsOn,
			all[i].DependsOn)
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

// Times is how often a condition is held on a question.
func (c Condition) Times(repeats int) int {
	if c.Once {
		return 1
	}
	return max(1, repeats)
}
