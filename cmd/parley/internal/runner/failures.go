package runner

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
)

// Failures is the error of a finished run in which some debates failed.
type Failures struct {
	debates int
	failed  []string
}

// shownFailures is how many the error names; the table and --json list more.
const shownFailures = 2

// Error implements error: how many failed, and the first reasons.
func (f Failures) Error() string {
	text := fmt.Sprintf("%d of %d debates failed and count in no accuracy: %s", len(f.failed), f.debates,
		strings.Join(f.failed[:min(shownFailures, len(f.failed))], "; "))
	if more := len(f.failed) - shownFailures; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// incompleteRun is nil if all debates were completed.
func incompleteRun(c analysis.Comparison) error {
	if len(c.Failed) == 0 {
		return nil
	}
	f := Failures{failed: c.Failed}
	for _, r := range c.Rows {
		f.debates += r.N + r.Failed
	}
	return f
}
