package main

import (
	"fmt"
	"strings"

	"parley/bench/analysis"
)

// failures is the error of a run that has come to its end with debates that could not be held.
type failures struct {
	debates int
	failed  []string
}

// shownFailures is how many are named; the table and --json have more of them.
const shownFailures = 2

// Error says how many, and the first reasons.
func (f failures) Error() string {
	text := fmt.Sprintf("%d of %d debates could not be held, and are in no accuracy: %s", len(f.failed), f.debates,
		strings.Join(f.failed[:min(shownFailures, len(f.failed))], "; "))
	if more := len(f.failed) - shownFailures; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// notHeld is nil if all debates were held.
func notHeld(c analysis.Comparison) error {
	if len(c.Failed) == 0 {
		return nil
	}
	f := failures{failed: c.Failed}
	for _, r := range c.Rows {
		f.debates += r.N + r.Failed
	}
	return f
}
