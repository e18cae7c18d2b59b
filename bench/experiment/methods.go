package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/unknown"
)

// usualMethods stands for all conditions that are not optional where others are asked for beside them.
const usualMethods = "usual"

// withMethods returns the experiment with the reference and the conditions of these names, before they are spread over
// budgets and sweeps, and without the contrasts and published numbers of others. No names change nothing.
func (e Experiment) withMethods(names []string) (Experiment, error) {
	if len(names) == 0 {
		return e, nil
	}
	known := []string{usualMethods}
	for _, c := range e.Conditions {
		known = append(known, c.label())
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return e, fmt.Errorf("methods: %w", unknown.Name("condition", name, known))
		}
	}
	points, err := e.Points()
	if err != nil {
		return e, err
	}
	var kept []Condition
	reference := e.reference(points).From.label()
	for _, c := range e.Conditions {
		if slices.Contains(names, c.label()) {
			c.Optional = false
		} else if c.label() != reference && (c.Optional || !slices.Contains(names, usualMethods)) {
			continue
		}
		kept = append(kept, c)
	}
	contrasts, published := len(e.Contrasts), len(e.Published)
	e.Conditions, e.text = kept, nil
	e.Contrasts = e.fittingContrasts() // first: published numbers may be of them
	e.Published = e.fitting()
	e.Notes = append(slices.Clone(e.Notes), fmt.Sprintf("Methods as the command line names them: %s; left out "+
		"for that: %s, %s.", strings.Join(names, ", "), wording.Count(contrasts-len(e.Contrasts), "contrast"),
		wording.Count(published-len(e.Published), "published number")))
	return e, nil
}
