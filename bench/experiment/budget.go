package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/bounds"
)

// BudgetRange is how many times the length of one answer a condition may generate.
var BudgetRange = bounds.From(1, 1000)

// fills are the settings that can fill a budget: an agent answers once in each round.
func fills() []string { return []string{"agents", "rounds"} }

// withBudgets returns the experiment at other budgets, and without the contrasts of conditions that it then lacks.
func (e Experiment) withBudgets(budgets []int) (Experiment, error) {
	if len(budgets) == 0 {
		return e, nil
	}
	if !slices.ContainsFunc(e.Conditions, func(c Condition) bool { return c.Fill != "" || c.Budget > 0 }) {
		return e, fmt.Errorf("budgets: no condition of the experiment %s has one, or fills any", e.Name)
	}
	before := e.Contrasts
	e.Budgets, e.text = budgets, nil
	e.Contrasts, e.Notes = e.fittingContrasts(), slices.Clone(e.Notes)
	if left := len(before) - len(e.Contrasts); left > 0 {
		e.Notes = append(e.Notes, wording.Count(left, "contrast")+" left out, whose conditions have other budgets.")
	}
	return e, e.checkNumbers()
}

// affords reports whether a condition is held at the budgets of the experiment. The reference always is: its answer
// may be the one that budgets are counted in.
func (e Experiment) affords(c Condition) bool {
	return len(e.Budgets) == 0 || c.Budget == 0 || c.label() == e.Reference || slices.Contains(e.Budgets, c.Budget)
}

// checkBudget refuses what contradicts itself.
func (c Condition) checkBudget(budgets []int) error {
	of := func(p Pairs) bool { return slices.ContainsFunc(p, func(one Pair) bool { return one.Name == c.Fill }) }
	switch {
	case c.Fill == "":
		return bounds.Check("budget", c.Budget, BudgetRange.OrZero())
	case !slices.Contains(fills(), c.Fill):
		return fmt.Errorf("fill %q: must be %s", c.Fill, strings.Join(fills(), " or "))
	case c.Budget > 0:
		return errors.New("fill says that it is held at each of the budgets, and budget that it is held at one")
	case len(budgets) == 0:
		return errors.New("fill needs the budgets of the experiment, such as budgets: [1, 3, 9]")
	case of(c.Set) || of(c.Sweep):
		return fmt.Errorf("the number of %s follows from the budgets: leave it out of set and sweep", c.Fill)
	}
	return nil
}

// filled makes a point for each budget: as near to it as whole agents or rounds come. What would take fewer than two is
// no method of its own, and left out.
func (c Condition) filled(one Point, w where, budgets []int) (points []Point, err error) {
	of := one.Protocol.With(c.Fill, 1)
	answers := max(1, of.Agents()) * max(1, of.Rounds())
	for _, budget := range budgets {
		n := int(math.Round(float64(budget) / float64(answers)))
		if n < 2 {
			continue
		}
		p := one
		if err := set(&p.Protocol, w, c.Fill, n); err != nil {
			return nil, err
		}
		p.Condition, p.Budget = fmt.Sprintf("%s-%d", one.Condition, budget), budget
		p.Protocol.Name, p.Series = p.Condition, p.Condition
		p.Protocol.Meaning = strings.ReplaceAll(p.Protocol.Meaning, "{"+c.Fill+"}", fmt.Sprint(n))
		points = append(points, p)
	}
	return points, nil
}
