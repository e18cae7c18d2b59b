package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// wellNamed matches the names of experiments, tasks and conditions, which become names of files and columns.
var wellNamed = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.+-]{0,79}$`)

// check refuses an experiment that cannot be run. It composes every condition, which needs no model.
func (e Experiment) check() error {
	switch {
	case !wellNamed.MatchString(e.Name):
		return e.at("name", fmt.Errorf("name %q: a name consists of letters, digits and _.+-", e.Name))
	case len(e.Tasks) == 0:
		return errors.New("tasks are missing: they give the questions")
	case len(e.Conditions) == 0:
		return errors.New("conditions are missing: they say who answers the questions, and how")
	}
	if err := e.checkNumbers(); err != nil {
		return err
	}
	for i, t := range e.Tasks {
		if err := t.check(); err != nil {
			return e.at(fmt.Sprintf("tasks[%d]", i), err)
		}
		if slices.ContainsFunc(e.Tasks[:i], func(other Task) bool { return other.Name == t.Name }) {
			return e.at(fmt.Sprintf("tasks[%d].name", i), fmt.Errorf("two tasks have the name %s", t.Name))
		}
	}
	for i, c := range e.Conditions {
		if c.Small != nil && e.Small == nil {
			return e.at(fmt.Sprintf("conditions[%d].small", i),
				errors.New("there is no miniature: the experiment has nothing under small"))
		}
	}
	if err := e.checkRoles(); err != nil {
		return err
	}
	points, err := e.Points()
	if err != nil {
		return err
	}
	if len(points) == 0 && len(e.Conditions) > 0 {
		return e.at("conditions", errors.New("all are optional: some have to be held where nobody names any"))
	}
	if e.Reference != "" && !slices.ContainsFunc(points, func(p Point) bool { return p.Condition == e.Reference }) {
		return e.at("reference", fmt.Errorf("the reference %s is not a condition; there are %s", e.Reference,
			strings.Join(conditionNames(points), ", ")))
	}
	for i, t := range e.Tasks {
		if err := t.checkWording(points, e.hasControls()); err != nil {
			return e.at(fmt.Sprintf("tasks[%d].prompts", i), err)
		}
	}
	for i, p := range e.Published {
		if err := p.check(e, points); err != nil {
			return e.at(fmt.Sprintf("published[%d]%s", i, pathOf(err)), err)
		}
	}
	return e.checkContrasts(points)
}

// hasControls reports whether controls of the reference are added.
func (e Experiment) hasControls() bool { return e.Controls == nil || *e.Controls }

// checkNumbers refuses numbers out of range. A number that is not given is 0.
func (e Experiment) checkNumbers() error {
	for _, n := range []struct {
		at    string
		value int
		in    bounds.Range
	}{
		{"repeats", e.Repeats, trial.RepeatsRange}, {"max-tokens", e.MaxTokens, inference.MaxTokensRange},
		{"small.repeats", e.small().Repeats, trial.RepeatsRange},
		{"small.max-tokens", e.small().MaxTokens, inference.MaxTokensRange},
	} {
		if err := bounds.Check(n.at, n.value, n.in.OrZero()); err != nil {
			return e.at(n.at, err)
		}
	}
	for at, budgets := range map[string][]int{"budgets": e.Budgets, "small.budgets": e.small().Budgets} {
		for i, b := range budgets {
			if err := bounds.Check("budget", b, BudgetRange); err != nil {
				return e.at(fmt.Sprintf("%s[%d]", at, i), err)
			}
		}
	}
	for i, c := range e.Conditions {
		if err := c.checkBudget(e.Budgets); err != nil {
			return e.at(fmt.Sprintf("conditions[%d]", i), fmt.Errorf("condition %s: %w", c.label(), err))
		}
	}
	if err := debate.CheckReasoning(e.Reasoning); err != nil {
		return e.at("reasoning", err)
	}
	if err := bounds.Check("equivalence", e.Equivalence, spec.DifferenceRange.OrZero()); err != nil {
		return e.at("equivalence", err)
	}
	if err := samplingOf(e.Sampling).Validate(); err != nil {
		return e.at("sampling", err)
	}
	return nil
}

// small returns what the file gives under small, the zero value if it gives nothing.
func (e Experiment) small() Small {
	if e.Small == nil {
		return Small{}
	}
	return *e.Small
}

// at adds to an error the lines of the file around a YAML path, with a mark.
func (e Experiment) at(path string, err error) error {
	at, pathErr := yaml.PathString("$." + path)
	if pathErr != nil || e.text == nil {
		return err
	}
	marked, pathErr := at.AnnotateSource(e.text, false)
	if pathErr != nil {
		return err
	}
	return fmt.Errorf("%w\n%s", err, marked)
}
