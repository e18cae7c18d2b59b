package debate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/unknown"
)

// Setting is a setting with what it means to one form.
type Setting struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Part is one value that a setting can have.
type Part struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
	Source  string `json:"source,omitempty"`
}

// IdleRule names settings that have no effect beside other settings of a form, whose type is T. They are refused if
// they are given, since a record lists all given settings and would claim one that changed nothing. A setting that
// merely never gets its occasion (an order where nobody else speaks, a way to break ties where there are none) is not
// idle.
type IdleRule[T any] struct {
	Settings []string
	When     func(T) bool
	Why      string // follows "means nothing"; %s is how the debate is decided
}

// IdleBy returns the check of a form's rules, for Form.Idle.
func IdleBy[T any](rules []IdleRule[T]) func(Settings) error {
	return func(s Settings) error {
		names, own := s.Given(), Typed[T](s)
		for _, rule := range rules {
			if !rule.When(own) {
				continue
			}
			for _, name := range rule.Settings {
				if slices.Contains(names, name) {
					return Blame(name, fmt.Errorf("%s means nothing %s", name,
						strings.ReplaceAll(rule.Why, "%s", Value[string](s, "decide"))))
				}
			}
		}
		return nil
	}
}

// anyCase is a case that has everything, so that a check with it fails for faults of the debate alone.
var anyCase = Case{ID: "any", Question: "?", Extract: answer.Raw, Truth: answer.Of("?"), Facts: "?", Wrong: "?",
	Donor: &Case{ID: "another", Question: "?", Extract: answer.Raw}}

// Check is a condition that must not hold when a debate is held.
type Check[D any] struct {
	Settings []string // whose change would mend it, the likeliest first: see About
	Broken   func(d D, c Case) bool
	Says     func(d D, c Case) error // says what is wrong; called only if Broken
}

// Require returns the error of the first broken check, so that the order of checks decides which message a user sees.
func Require[D any](d D, c Case, checks []Check[D]) error {
	for _, check := range checks {
		if check.Broken(d, c) {
			return About(check.Says(d, c), check.Settings...)
		}
	}
	return nil
}

// OneOf checks that a setting is not given or has one of the names. The message begins with what, such as "ties".
func OneOf[D any](setting, what string, value func(D) string, names ...string) Check[D] {
	return Check[D]{
		Settings: []string{setting},
		Broken:   func(d D, _ Case) bool { return value(d) != "" && !slices.Contains(names, value(d)) },
		Says:     func(d D, _ Case) error { return fmt.Errorf("%s: %w", what, unknown.Name("value", value(d), names)) },
	}
}

// Composed checks a debate when it is composed, before there is a case. An error is blamed on the first of the settings
// that it is about (see About) that was given, or else on the form.
func Composed[D Debate](d D, s Settings, check func(Case) error) (Debate, error) {
	err := check(anyCase)
	if err == nil {
		return d, nil
	}
	given := s.Given()
	for _, name := range settingsOf(err) {
		if slices.Contains(given, name) {
			return nil, Blame(name, err)
		}
	}

	return nil, Blame("form", err)
}
