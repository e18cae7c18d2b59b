// Package prompts holds the wording of debates as data. Each set is a YAML file that states its origin; users may bring
// their own.
//
// There is one type of set for each family of debates: Set for societies, Sides, Knights and Discussion. Loading checks
// that every text has the placeholders without which an agent would be sent something incomplete. Filling is a single
// pass, so that a placeholder inside a question or a reply stays text.
package prompts

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// Set is the wording of a society, the lesson or a reversal. Texts contain placeholders such as {question} and
// {solution}; comments name those of each field.
type Set struct {
	Name   string `yaml:"name"`
	Origin string `yaml:"origin"` // where the wording comes from, and what was changed
	System string `yaml:"system"` // empty: no system message
	// Question is the user message of the first round, with {question}.
	Question string `yaml:"question"`
	// Asked is the question with its instructions as later messages repeat it, with {question}. Empty: all of Question.
	// A set with worked examples leaves them out here.
	Asked string `yaml:"asked"`
	// Recalled is the user message before the initial answer in a reversal, with {question}. Empty: the Question by
	// which that answer was sampled.
	Recalled string `yaml:"recalled"`
	// Exchange is the user message of a later round in which others are heard.
	Exchange Exchange `yaml:"exchange"`
	// Shared follows the question in later rounds of the shared layout: first what all agents are sent, then what is
	// sent to one.
	Shared Shared `yaml:"shared"`
	// Vote asks for a ballot after the last round.
	Vote Voting `yaml:"vote"`
	// Alone is the user message of a later round if there is nobody to hear.
	Alone string `yaml:"alone"`
	// Revision is for protocols without a history, whose later rounds are a system and a user message each.
	Revision Revision `yaml:"revision"`
	// Last replaces Exchange in the last round (Du et al., biographies). Empty: Exchange is used there too.
	Last Exchange `yaml:"last"`
	// Fact asks a judge whether a reply agrees with a fact, with {question}, {solution} and {fact}. Empty: nobody can
	// be asked.
	Fact string `yaml:"fact"`
	// Forms say how an answer is to be stated: {form} in all texts, of Common too. None: as Common has it.
	Forms Forms `yaml:"forms"`

	Replies `yaml:",inline"`
	Common  `yaml:",inline"`
}

func (s Set) forms() Forms { return s.Forms }

// Exchange is a message made of Before, all solutions joined by Between, and After. Before and After may contain
// {question}, {asked} (the question with its instructions), and {percent-100} or {percent-80}: a percentage that falls
// by 25 with each exchange, including the first.
type Exchange struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {solution}; may contain {number}, from 1
	Between  string `yaml:"between"`
	After    string `yaml:"after"`
}

// Voting is a message made of Before, all solutions joined by Between, and the request of the rule.
type Voting struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {number}, from 0, and {solution}
	Between  string `yaml:"between"`
	// Rules are requests by the name of the election; {points} is the number of points to distribute.
	Rules map[string]string `yaml:"rules"`
}

// Shared is a message made of Before, all solutions joined by Between, After, and Mine. Only Mine differs between
// agents, and it comes last, so that the rest is a common prefix, which is computed once for all.
type Shared struct {
	Before   string `yaml:"before"`
	Solution string `yaml:"solution"` // with {solution}, and {number} if they are to be numbered
	Between  string `yaml:"between"`
	After    string `yaml:"after"`
	Mine     string `yaml:"mine"` // tells an agent which solution is its own, with {number}
}

// Revision is a pair of messages. User contains {question}, {own} and {others}, which Between joins.
type Revision struct {
	System  string `yaml:"system"`
	User    string `yaml:"user"`
	Between string `yaml:"between"`
}

// Names returns the names of the sets in the program.
func Names() []string { return namesIn(files, ".") }

// Load returns the set with this name, or reads one from a path that ends in .yaml or .yml. A set with forms can have a
// kind of answers behind its name, as in plain:number; without one it asks for a choice.
func Load(name string) (Set, error) { return load(files, ".", name, "a society", parseSet) }

// slot is a text that must contain a placeholder exactly once.
type slot struct{ field, text, placeholder string }

func (s slot) check() error {
	if strings.Count(s.text, s.placeholder) != 1 {
		return fmt.Errorf("%s must contain %s once", s.field, s.placeholder)
	}
	return nil
}

// parseSet reads a set and checks it; kind, if it is not empty, chooses one of its forms. Unknown keys are errors,
// which give the line.
func parseSet(text []byte, kind answer.Kind) (Set, error) {
	s, err := checkedSet(text)
	if err != nil {
		return Set{}, err
	}
	form, err := s.Forms.of(kind, cmp.Or(s.Form, written().Form))
	if err != nil {
		return Set{}, err
	}
	if kind != "" {
		s.Name += ":" + string(kind)
	}
	s.Common = s.Common.over(written())
	restate(reflect.ValueOf(&s).Elem(), form)
	return s, nil
}

// checkedSet reads a set as it is written.
func checkedSet(text []byte) (Set, error) {
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
		{"fact", s.Fact, "{solution}"},
		{"fact", s.Fact, "{fact}"},
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
	if len(s.Forms) > 0 && !strings.Contains(s.Question, "{form}") {
		return Set{}, errors.New("forms are given, and question has no {form}")
	}
	return s, cmp.Or(s.Common.check(), s.Forms.check(), s.Replies.check())
}

// First returns the user message of the first round.
func (s Set) First(question string) string { return fill(s.Question, "{question}", question) }

// again returns the question with its instructions as later messages repeat it.
func (s Set) again(question string) string {
	return fill(cmp.Or(s.Asked, s.Question), "{question}", question)
}

// Recall returns the user message before the initial answer in a reversal, or "" for the one by which the answer was
// sampled.
func (s Set) Recall(question string) string { return fill(s.Recalled, "{question}", question) }

// FactOn returns the user message that asks a judge whether a solution agrees with a fact.
func (s Set) FactOn(question, solution, fact string) string {
	return fill(s.Fact, "{question}", question, "{solution}", solution, "{fact}", fact)
}

// Heard describes a message with others' solutions.
type Heard struct {
	Wording   string   // "" for the set's own
	Solutions []string // shown in this order
	Question  string
	Round     int  // 1 is the first in which others are heard
	Last      bool // this is the last round
	Nobody    bool // there is nobody to hear; false if others exist and nothing of theirs is shown
	Negative  bool // percentages may fall below 0
}

// Hear returns the user message with the others' solutions. If there is nobody to hear it is Alone, unless the wording
// shows no solutions anyway.
func (s Set) Hear(h Heard) string {
	e := s.Wording(h.Wording)
	if h.Last && h.Wording == "" && s.Last.Solution != "" {
		e = s.Last
	}
	if h.Nobody && e.Solution != "" {
		return s.Alone
	}
	frame := func(text string) string {
		return fill(text, "{question}", h.Question, "{asked}", s.again(h.Question),
			"{percent-100}", h.fallingPercentage(100), "{percent-80}", h.fallingPercentage(80))
	}
	return frame(e.Before) + numberSolutions(e.Solution, e.Between, h.Solutions, 1) + frame(e.After)
}

// fallingPercentage returns a percentage that falls by 25 with each exchange.
func (h Heard) fallingPercentage(from int) string {
	percent := from - 25*h.Round
	if !h.Negative {
		percent = max(0, percent)
	}
	return strconv.Itoa(percent)
}

// numberSolutions fills a template with {solution}, {number} from first, and {letter} from A for each solution, and
// joins the results.
func numberSolutions(template, between string, solutions []string, first int) string {
	parts := make([]string, len(solutions))
	for i, text := range solutions {
		parts[i] = fill(template, "{solution}", text, "{number}", strconv.Itoa(first+i), "{letter}", letter(i))
	}
	return strings.Join(parts, between)
}

// letter returns the letter of a solution, from 0; there are 26.
func letter(i int) string { return string(rune('A' + i%26)) }

// VoteOn returns the user message that asks for a ballot. points is for rules that distribute points.
func (s Set) VoteOn(solutions []string, rule string, points int) string {
	return s.Vote.Before + numberSolutions(s.Vote.Solution, s.Vote.Between, solutions, 0) +
		fill(s.Vote.Rules[rule], "{points}", strconv.Itoa(points))
}

// HearAll returns the user message of a later round in the shared layout: the question, all solutions in the order
// given, and which of them is the agent's own, counted from 0; -1 is none.
func (s Set) HearAll(question string, solutions []string, own int) string {
	text := s.First(question) + s.Shared.Before +
		numberSolutions(s.Shared.Solution, s.Shared.Between, solutions, 1) + s.Shared.After
	if own < 0 {
		return text
	}
	return text + fill(s.Shared.Mine, "{number}", strconv.Itoa(own+1))
}

// Revise returns the user message of a later round without history.
func (s Set) Revise(question, own string, others []string) string {
	return fill(s.Revision.User, "{question}", question, "{own}", own, "{others}",
		strings.Join(others, s.Revision.Between))
}

// fill replaces placeholders by values in a single pass, so that placeholders inside a value stay text.
func fill(text string, placeholdersAndValues ...string) string {
	return strings.NewReplacer(placeholdersAndValues...).Replace(text)
}
