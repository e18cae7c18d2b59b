package debate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/unknown"
)

// Form describes one loop, that of one or more sources. It says itself all that others have to know of it: package
// protocol composes debates from it and settings, and the packages above ask it which controls fit. Fields that are not
// set stand for the usual: a form needs a name, settings and Compose.
type Form struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Typed are the settings that mean something to it, the fields of a struct: see Describe. The sources of values
	// stand in Part.Source.
	Typed Described `json:"-"`
	// Reads are the names of the settings, Settings the same with what they mean. Register fills in both.
	Reads    []string  `json:"reads"`
	Settings []Setting `json:"settings"`

	Parts []Part               `json:"-"` // the values that its settings can have, by name
	Idle  func(Settings) error `json:"-"` // refuses settings that others leave without effect: see IdleBy
	// Compose makes a debate. Its caller has checked that the form reads all of the settings, that they are in range,
	// and that none is idle.
	Compose func(s Settings, ask Asking) (Debate, error) `json:"-"`

	Agents  int           `json:"-"` // how many it has unless settings say; 0 is usualAgents
	Seating Seating       `json:"-"`
	Asks    Wording       `json:"-"`
	Answers AnswerReading `json:"-"`
	Prior   Prior         `json:"-"`
	// Needs returns what debates with such settings use of a case beside its question. If it is nil, they use no more.
	Needs func(s Settings) Needs `json:"-"`
	// FirstRound returns the settings of independent agents that are asked as the form asks in its first round: their
	// number, prompts, opening, team and confidence. The argument prompts names the prompts of the run. If FirstRound
	// is nil, as many plain agents are asked with the prompts of the run.
	FirstRound func(s Settings, prompts string) Settings `json:"-"`
	// Shuffled returns the settings of the control in which the others' reasoning is about another question, or why
	// there is none. It is nil if the form does not list the others' texts.
	Shuffled func(s Settings) (shuffled Settings, whyNot string) `json:"-"`
	// Wordy says that every prompt holds so much of what was said that the embedded model needs a memory and a reply
	// length that fit.
	Wordy bool `json:"-"`
}

// usualAgents is the number of agents of a form that does not say another.
const usualAgents = 3

// AgentsOf returns the number of agents of a debate, without those that preside.
func (f Form) AgentsOf(s Settings) int { return cmp.Or(s.Agents(), f.Agents, usualAgents) }

// SeatsOf returns how many members of a team speak: the agents, then those that preside.
func (f Form) SeatsOf(s Settings) int {
	if f.Seating.Seats == nil {
		return f.AgentsOf(s)
	}
	return f.Seating.Seats(s, f.AgentsOf(s))
}

// NeedsOf returns what debates with such settings use of a case beside its question.
func (f Form) NeedsOf(s Settings) (n Needs) {
	if f.Needs != nil {
		n = f.Needs(s)
	}
	return n
}

// FirstAnswers returns the settings of independent agents that give the answers with which a debate of the form begins
// or, for forms that begin in another way, as many plain answers: see FirstRound.
func (f Form) FirstAnswers(s Settings, prompts string) Settings {
	first := Settings{}.With("prompts", prompts)
	if f.FirstRound != nil {
		first = f.FirstRound(s, prompts)
	}
	return first.With("agents", f.AgentsOf(s))
}

// Needs says what a debate uses of a case beside its question.
type Needs struct {
	Facts  bool // Case.Facts, which the case has to have
	Judged bool // an agent judges the facts: what is right on tasks without answers
	Wrong  bool // Case.Wrong, if the case has it
	Relist bool // Case.Relist, which the case has to have
}

// Prior says whether debates of a form build on an earlier debate on the question, Case.Prior. Those that may are
// controls, or build on a pool of answers, and have no controls themselves.
type Prior int

// What a form does with an earlier debate.
const (
	PriorNone Prior = iota
	PriorOptional
	PriorRequired // it spends what that has cost
)

// Seating says who of a team takes part in the debates of a form.
type Seating struct {
	// Seats returns how many members of a team speak in a debate of so many agents. If it is nil, the agents speak.
	Seats func(s Settings, agents int) int
	// First returns the number of the agent that the first member is. If it is nil, that is agent 0.
	First func(s Settings) int
	// Everybody and Debaters are the fields of a Member that the form reads, of every member or of the agents alone.
	// Models and samplers are read of everybody, by every form.
	Everybody, Debaters []string
}

// Wording says which prompts a form uses.
type Wording struct {
	Prompts string // the set of prompts that it uses unless another is named
	// OfRun says that the prompts of a run are for the form too, unless it names some.
	OfRun bool
	// Own says that Prompts ask for answers in a form of their own, which the answer rule has to read.
	Own bool
	// For returns the prompts for a model, which is the embedded one or not, and an answer rule, if none are named. If
	// it is nil or returns "", they are Prompts.
	For func(embedded bool, rule string) string
	// InForm returns the prompts that ask for a kind of answers in its form. It is nil if there are none.
	InForm func(prompts string, kind answer.Kind) string
	// Plain says that the prompts are a prompts.Set, as societies have them.
	Plain bool
}

// AnswerReading says how a form reads answers from replies.
type AnswerReading struct {
	Own bool // by a rule of its own, whatever the answer rule says
	// Rule is the answer rule of its decisions, if it has one of its own; "" leaves it to the protocol.
	Rule string
	// Truth returns how a right answer to a question is read, with an example. Nil, or ok false: by the answer rule.
	Truth func(question string) (extract answer.Extractor, example string, ok bool)
}

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
		own := Typed[T](s)
		for _, rule := range rules {
			if !rule.When(own) {
				continue
			}
			for _, name := range rule.Settings {
				if s.has(name) {
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
	Donor:  &Case{ID: "another", Question: "?", Extract: answer.Raw},
	Relist: func(*rand.Rand) ([]int, string, answer.Extractor) { return nil, "?", answer.Raw }}

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
