package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/bounds"
)

// Budget is what a command may take before it stops in good order. 0 is no limit.
type Budget struct {
	Tokens int           `json:"tokens,omitempty"`  // generated
	Time   time.Duration `json:"time_ns,omitempty"` // on the clock, nanoseconds
}

// String names the limits.
func (b Budget) String() string {
	var limits []string
	if b.Time > 0 {
		limits = append(limits, "--for "+b.Time.String())
	}
	if b.Tokens > 0 {
		limits = append(limits, "--tokens "+humanize.Comma(int64(b.Tokens)))
	}
	return strings.Join(limits, " and ")
}

// Stopping ends a run as soon as it is clear which of two conditions is right more often. Questions are asked in
// blocks, with a test after each block. Ordinary tests would find differences by chance if they were repeated like
// this; see stat.Sequential.
type Stopping struct {
	// the condition that is compared with the reference
	Condition string `json:"condition"`
	Reference string `json:"reference,omitempty"` // "" is the reference of the run
	// questions in a block; 0 is UsualBlock
	Every int     `json:"every"`
	Alpha float64 `json:"alpha"` // p at which the run stops; 0 is 0.05
	// where all conditions are compared, how much better one that costs more may be and still not be worth it
	Within float64 `json:"within,omitempty"`
}

// Decided is the Condition of a run that stops when it is decided what is worth its tokens, unless a condition has this
// name.
const Decided = "decided"

// All reports whether all conditions are compared, and not one with the reference.
func (s Stopping) All() bool { return s.Condition == Decided && s.Reference == "" }

// usualAlpha is the chance of a difference where there is none.
const usualAlpha = 0.05

// UsualBlock is the number of questions in a block where nobody chooses another.
const UsualBlock = 25

// Ranges of the numbers of a Stopping, for flags, experiment files and callers.
var (
	StopEveryRange = bounds.From(1, 500_000)
	alphaRange     = bounds.From(1e-9, 0.5)
)

// EnsureDefaults sets what is left open.
func (s *Stopping) EnsureDefaults() {
	if !s.All() {
		s.Reference = cmp.Or(s.Reference, trial.Reference)
	}
	if s.Every == 0 {
		s.Every = UsualBlock
	}
	if s.Alpha == 0 {
		s.Alpha = usualAlpha
	}
}

// Validate refuses a Stopping that a run of these conditions cannot have.
func (s Stopping) Validate(conditions []trial.Condition) error {
	has := func(name string) bool {
		return slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == name })
	}
	if err := cmp.Or(bounds.Check("stop-every", s.Every, StopEveryRange), bounds.Check("alpha", s.Alpha,
		alphaRange)); err != nil {
		return err
	}
	if s.All() {
		return s.validateAll(len(trial.Methods(conditions)))
	}
	if s.Within != 0 {
		return fmt.Errorf("stop-within %g: how much better may be not worth it is asked where all conditions are "+
			"compared, by --stop-when %s", s.Within, Decided)
	}
	bound := func(name string) bool {
		return slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == name && c.Oracle })
	}
	switch {
	case bound(s.Condition) || bound(s.Reference):
		return fmt.Errorf("stop when %s differs from %s: a bound is no method, and not tested; name another condition",
			s.Condition, s.Reference)
	case s.Condition == s.Reference:
		return fmt.Errorf("stop when %s is clear: nothing is compared with it, since it is the reference, or the "+
			"reference's sweep has no point of its values; name another condition", s.Reference)
	case !has(s.Reference) || !has(s.Condition):
		return fmt.Errorf("stop when %s differs from %s: both have to be conditions of the run", s.Condition,
			s.Reference)
	}
	return nil
}

// validateAll refuses what cannot be decided between so many conditions.
func (s Stopping) validateAll(methods int) error {
	switch {
	case methods < 2:
		return fmt.Errorf("stop when it is decided what is worth its tokens: that takes two conditions, and the run "+
			"has %d", methods)
	case s.Alpha != usualAlpha:
		return fmt.Errorf("stop when it is decided, at %g: all differences hold at once with %g", s.Alpha, 1-usualAlpha)
	}
	return bounds.Check("stop-within", s.Within, DifferenceRange.OrZero())
}

// String is a phrase such as "when madc differs from mad (p 0.05), tested after every 25 questions".
func (s *Stopping) String() string {
	if s == nil {
		return "after all questions"
	}
	if s.All() {
		text := "when it is decided what is worth its tokens"
		if s.Within > 0 {
			text += fmt.Sprintf(", where up to %.3g points more are not", 100*s.Within)
		}
		return fmt.Sprintf("%s, looked at after every %d questions", text, s.Every)
	}
	return fmt.Sprintf("when %s differs from %s (p %g), tested after every %d questions", s.Condition, s.Reference,
		s.Alpha, s.Every)
}

// DifferenceRange is what a difference between two accuracies can be.
var DifferenceRange = bounds.From(0.001, 1)

// Or returns what t says, and what usual says where t says nothing.
func (t Tests) Or(usual Tests) Tests {
	t.Equivalence, t.Cluster = cmp.Or(t.Equivalence, usual.Equivalence), cmp.Or(t.Cluster, usual.Cluster)
	t.Group = cmp.Or(t.Group, usual.Group)
	if len(t.Contrasts) == 0 {
		t.Contrasts = usual.Contrasts
	}
	return t
}

// CheckTests refuses a margin of equivalence that cannot be tested; 0 is none. A run that may stop early has neither
// that test nor clusters: when it stops depends on the difference, and its test looks at one question after the other.
// Of questions that are asked several times it looks at the first.
func (r Run) CheckTests() error {
	switch {
	case r.Stop != nil && r.Equivalence != 0:
		return errors.New("equivalence is tested on a number of questions that is fixed before: ask for it, or for a " +
			"run that stops when a condition differs, but not for both")
	case r.Stop != nil && r.Cluster != "" && r.Cluster != task.EqualQuestions:
		return errors.New("a run that stops when a condition differs tests question by question and not by cluster: " +
			"ask for one of both")
	}
	return bounds.Check("equivalence", r.Equivalence, DifferenceRange.OrZero())
}
