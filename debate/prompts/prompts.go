// Package prompts holds the wording of debates as data: every set is a YAML file with its origin, and users may bring
// their own.
package prompts

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// Set is the wording of one protocol. Texts have placeholders: {question}, {solution}, {own}, {others}.
type Set struct {
	Name   string `yaml:"name"`
	Origin string `yaml:"origin"` // where the wording comes from, and what was changed
	System string `yaml:"system"` // empty: no system message
	// Question is the user message of the first round, with {question}.
	Question string `yaml:"question"`
	// Asked is how a wording repeats the question with its instructions, where that is not the whole of Question:
	// {question} without worked examples, say.
	Asked string `yaml:"asked"`
	// Recalled is the user message before a centre's given answer, where that is not the Question that the answer was
	// sampled by.
	Recalled string `yaml:"recalled"`
	// Exchange is the user message of later rounds in which others are heard.
	Exchange Exchange `yaml:"exchange"`
	// Shared follows the question in later rounds of the shared layout: what all agents are sent, then what concerns
	// one.
	Shared Shared `yaml:"shared"`
	// Vote asks for a ballot after the last round.
	Vote Voting `yaml:"vote"`
	// Alone is the user message of later rounds if there is nobody to hear.
	Alone string `yaml:"alone"`
	// Revision is for protocols without a history: a later round is a system and a user message of its own.
	Revision Revision `yaml:"revision"`
	// Last is the user message of the last round, where it is another (Du et al., biographies).
	Last Exchange `yaml:"last"`

	Common `yaml:",inline"`
}

// Exchange is put together as Before, all solutions with Between between them, After. Before and After may have
// {question}, {asked} (the question with its instructions), and {percent-100} or {percent-80}, which fall by 25 with
// each exchange, the first included.
type Exchange struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {solution}; may have {number}, from 1
	Between  string `yaml:"between"`
	After    string `yaml:"after"`
}

// Voting is put together as Before, all solutions with Between between them, and what the rule asks for.
type Voting struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {number}, from 0, and {solution}
	Between  string `yaml:"between"`
	// by the name of the election; {points} is how many there are to share out
	Rules map[string]string `yaml:"rules"`
}

// Shared is put together as Before, all solutions with Between between them, After, Mine. Only Mine differs from agent
// to agent, and only it comes last, so that the rest is computed once for all.
type Shared struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {solution}, and {number} if they are to be numbered
	Between  string `yaml:"between"`
	After    string `yaml:"after"`
	Mine     string `yaml:"mine"` // with {number}
}

// Revision has {question}, {own} and {others} in its user message; others are joined by Between.
type Revision struct {
	System  string `yaml:"system"`
	User    string `yaml:"user"`
	Between string `yaml:"between"`
}

// Names lists the sets in the program.
func Names() []string { return namesIn(files, ".") }

// Load returns the set of a name, or reads one from a path that ends in .yaml or .yml.
func Load(name string) (Set, error) { return load(files, ".", name, "a society", Parse) }

// slot is a text that must contain a placeholder once.
type slot struct{ field, text, placeholder string }

func (s slot) check() error {
	if strings.Count(s.text, s.placeholder) != 1 {
		return fmt.Errorf("%s must contain %s once", s.field, s.placeholder)
	}
	return nil
}

// Parse reads a set. Unknown keys are errors, with their line.
func Parse(text []byte) (Set, error) {
	var s Set
	if err := strictyaml.Unmarshal(text, &s); err != nil {
		return Set{}, err
	}
	for _, required := range []slot{
		{"question", s.Question, "{question}"},
		{"exchange.solution", s.Exchange.Solution, "{solution}"},
		{"revision.user", s.Revision.User, "{others}"},
		{"shared.solution", s.Shared.Solution, "{solution}"},
		{"vote.solution", s.Vote.Solution, "{number}"},
		{"vote.solution", s.Vote.Solution, "{solution}"},
		{"shared.mine", s.Shared.Mine, "{number}"},
		{"last.solution", s.Last.Solution, "{solution}"},
		{"asked", s.Asked, "{question}"},
		{"recalled", s.Recalled, "{question}"},
	} {
		if required.text == "" && required.field != "question" {
			continue
		}
		if err := required.check(); err != nil {
			return Set{}, err
		}
	}
	if s.Name == "" || s.Origin == "" {
		return Set{}, errors.New("name and origin must be given: records show them")
	}
	return s, s.Common.check()
}

// First is the user message of the first round.
func (s Set) First(question string) string { return fill(s.Question, "{question}", question) }

// Again is the question with its instructions, as a wording repeats it.
func (s Set) Again(question string) string {
	return fill(cmp.Or(s.Asked, s.Question), "{question}", question)
}

// Recall is the user message before a centre's given answer, "" for the one that the answer was sampled by.
func (s Set) Recall(question string) string { return fill(s.Recalled, "{question}", question) }

// Heard is what a message with others' solutions is made of.
type Heard struct {
	Wording   string   // "" for the usual one
	Solutions []string // in the order given
	Question  string
	Round     int // 1 is the first in which others are heard
	Last      bool
	Nobody    bool // there is nobody to be heard, and not only nothing to be shown
	Negative  bool // percentages may fall below 0
}

// Hear is the user message with the others' solutions; with nobody to be heard it is Alone, unless the wording is one
// in which nobody is heard.
func (s Set) Hear(h Heard) string {
	e := s.Wording(h.Wording)
	if h.Last && h.Wording == "" && s.Last.Solution != "" {
		e = s.Last
	}
	if h.Nobody && e.Solution != "" {
		return s.Alone
	}
	frame := func(text string) string {
		return fill(text, "{question}", h.Question, "{asked}", s.Again(h.Question),
			"{percent-100}", h.falling(100), "{percent-80}", h.falling(80))
	}
	return frame(e.Before) + numbered(e.Solution, e.Between, h.Solutions, 1) + frame(e.After)
}

// falling is a percentage that is 25 less with each exchange.
func (h Heard) falling(from int) string {
	percent := from - 25*h.Round
	if !h.Negative {
		percent = max(0, percent)
	}
	return strconv.Itoa(percent)
}

// numbered lists solutions by a template with {solution} and {number}, which begins with first.
func numbered(template, between string, solutions []string, first int) string {
	parts := make([]string, len(solutions))
	for i, text := range solutions {
		parts[i] = fill(template, "{solution}", text, "{number}", strconv.Itoa(first+i))
	}
	return strings.Join(parts, between)
}

// VoteOn is the user message that asks for a ballot, with so many points to share out where there are any.
func (s Set) VoteOn(solutions []string, rule string, points int) string {
	return s.Vote.Before + numbered(s.Vote.Solution, s.Vote.Between, solutions, 0) +
		fill(s.Vote.Rules[rule], "{points}", strconv.Itoa(points))
}

// HearAll is the user message of a later round in the shared layout: the question, all solutions in the order given,
// and which of them, from 0, is the agent's own.
func (s Set) HearAll(question string, solutions []string, own int) string {
	return s.First(question) + s.Shared.Before + numbered(s.Shared.Solution, s.Shared.Between, solutions, 1) +
		s.Shared.After + fill(s.Shared.Mine, "{number}", strconv.Itoa(own+1))
}

// Revise is the user message of a later round without history.
func (s Set) Revise(question, own string, others []string) string {
	return fill(s.Revision.User, "{question}", question, "{own}", own, "{others}",
		strings.Join(others, s.Revision.Between))
}

// fill puts values into a text, in one pass: what a value contains is never filled in turn.
func fill(text string, placeholdersAndValues ...string) string {
	return strings.NewReplacer(placeholdersAndValues...).Replace(text)
}
