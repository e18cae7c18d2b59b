package prompts

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/parley-debate/parley/internal/strictyaml"
)

//go:embed common/common.yaml
var commonFile []byte

// Common is wording that sets share. A field that a set fills itself replaces the shared one; maps are merged by key.
type Common struct {
	Form       string `yaml:"form"`       // how an answer is to be stated, in a set without Forms
	Confidence string `yaml:"confidence"` // asks for a confidence
	// Grouped shows several solutions with one answer, with {count}, {answer} and {solutions}.
	Grouped string   `yaml:"grouped"`
	Nothing string   `yaml:"nothing"` // shown for an answer that could not be read
	Summary Exchange `yaml:"summary"` // asks for a summary, with {question} in After
	Retain  Exchange `yaml:"retain"`  // asks which solutions to show, with {majority} in After
	// Review asks for a review of all solutions that ranks them by {letter}, with {question} in Before.
	Review Exchange `yaml:"review"`
	// Chair asks for an answer after the question: Before, the solutions as Review shows them, the reviews, and After.
	Chair Exchange `yaml:"chair"`
	// Arbiter asks for an answer after the question and all that was said on it, each text under its speaker's name.
	Arbiter Exchange `yaml:"arbiter"`
	// Assigned gives an agent the side that it has to argue for, with {answer}, and Sides tells the judge of that.
	Assigned string `yaml:"assigned"`
	Sides    string `yaml:"sides"`
	// Majority says what most agents answer, with {answer}: {majority} in Retain, and for all where texts are retained.
	Majority string `yaml:"majority"`
	// Vacuous are arguments that say nothing, with {answer}; agents take them in turn, by their numbers.
	Vacuous []string `yaml:"vacuous"`
	// Insist are the texts of a confederate, with {answer}: one for each round; the last one goes on.
	Insist []string `yaml:"insist"`
	// shows a text under its speaker's name, with {name} and {solution}
	Labelled  string              `yaml:"labelled"`
	Anonymous Exchange            `yaml:"anonymous"` // all solutions, for layouts anonymous and marked
	Own       string              `yaml:"own"`       // tells an agent which solution is its own, with {number}
	Answer    string              `yaml:"answer"`    // asks for the answer alone
	Intensity []string            `yaml:"intensity"` // how far to agree: least, in between (with {percent}), most
	Methods   map[string]string   `yaml:"methods"`   // instructions how to reason, by name
	Openings  map[string]string   `yaml:"openings"`  // first messages, with {question} or {asked}, by name
	Wordings  map[string]Exchange `yaml:"wordings"`  // exchanges by name
}

// written is the shared wording as its file has it, with {form}. Callers do not write into it.
var written = sync.OnceValue(func() Common { return unmarshalCommon() })

// common is the shared wording in its own form.
var common = sync.OnceValue(func() Common {
	c := unmarshalCommon()
	restate(reflect.ValueOf(&c).Elem(), c.Form)
	return c
})

// unmarshalCommon reads the embedded wording. An error in it is a bug of the program.
func unmarshalCommon() (c Common) {
	if err := strictyaml.Unmarshal(commonFile, &c); err != nil {
		panic(err) // embedded
	}
	return c
}

// complete returns a set's own wording, completed from the shared one.
func (c Common) complete() Common { return c.over(common()) }

// over returns a set's own wording, completed from another. It shares nothing with it that restate writes into.
func (c Common) over(common Common) Common {
	c.Form = cmp.Or(c.Form, common.Form)
	c.Confidence = cmp.Or(c.Confidence, common.Confidence)
	c.Grouped = cmp.Or(c.Grouped, common.Grouped)
	c.Nothing = cmp.Or(c.Nothing, common.Nothing)
	c.Answer = cmp.Or(c.Answer, common.Answer)
	c.Assigned, c.Sides = cmp.Or(c.Assigned, common.Assigned), cmp.Or(c.Sides, common.Sides)
	c.Labelled, c.Own = cmp.Or(c.Labelled, common.Labelled), cmp.Or(c.Own, common.Own)
	if len(c.Vacuous) == 0 {
		c.Vacuous = slices.Clone(common.Vacuous)
	}
	if len(c.Insist) == 0 {
		c.Insist = slices.Clone(common.Insist)
	}
	others := common.exchanges()
	for i, e := range c.exchanges() {
		if e.Solution == "" {
			*e = *others[i]
		}
	}
	c.Majority = cmp.Or(c.Majority, common.Majority)
	if len(c.Intensity) == 0 {
		c.Intensity = slices.Clone(common.Intensity)
	}
	c.Methods, c.Openings, c.Wordings = merged(c.Methods, common.Methods), merged(c.Openings, common.Openings),
		merged(c.Wordings, common.Wordings)
	return c
}

// exchanges are those that a set takes whole from another one.
func (c *Common) exchanges() []*Exchange {
	return []*Exchange{&c.Anonymous, &c.Summary, &c.Retain, &c.Review, &c.Chair, &c.Arbiter}
}

// merged returns a map with the entries of both; where both have a name, own wins. It changes neither.
func merged[V any](own, other map[string]V) map[string]V {
	both := maps.Clone(other)
	maps.Copy(both, own)
	return both
}

// Opening returns the first message with this name, or "".
func (s Set) Opening(name string) string { return s.complete().Openings[name] }

// Openings returns the names of first messages, sorted.
func (s Set) Openings() []string { return slices.Sorted(maps.Keys(s.complete().Openings)) }

// FirstAs returns the user message of the first round by the name of an opening; "" is the set's own.
func (s Set) FirstAs(opening, question string) string {
	if opening == "" {
		return s.First(question)
	}
	return fill(s.Opening(opening), "{question}", question, "{asked}", s.again(question))
}

// Wording returns an exchange by its name; "" is the set's own.
func (s Set) Wording(name string) Exchange {
	if name == "" {
		return s.Exchange
	}
	return s.complete().Wordings[name]
}

// Wordings returns the names of exchanges, sorted.
func (s Set) Wordings() []string { return slices.Sorted(maps.Keys(s.complete().Wordings)) }

// SumUp returns the request for a summary of solutions.
func (s Set) SumUp(solutions []string, question string) string {
	summary := s.complete().Summary
	return summary.Before + numberSolutions(summary.Solution, summary.Between, solutions, 1) +
		fill(summary.After, "{question}", question)
}

// Retain returns the request for the numbers of solutions that are to be shown, counted from 1. An empty majority is
// not told.
func (s Set) Retain(solutions []string, majority string) string {
	retain := s.complete().Retain
	if majority != "" {
		majority = s.MostAnswer(majority)
	}
	return retain.Before + numberSolutions(retain.Solution, retain.Between, solutions, 1) +
		fill(retain.After, "{majority}", majority)
}

// Review returns the request for a review of solutions.
func (s Set) Review(question string, solutions []string) string {
	review := s.complete().Review
	return fill(review.Before, "{question}", question) +
		numberSolutions(review.Solution, review.Between, solutions, 1) + review.After
}

// Preside returns the request for an answer after the question, all solutions and the reviews of them.
func (s Set) Preside(question string, solutions, reviews []string) string {
	all := s.complete()
	return s.First(question) + all.Chair.Before +
		numberSolutions(all.Review.Solution, all.Review.Between, solutions, 1) +
		numberSolutions(all.Chair.Solution, all.Chair.Between, reviews, 1) + all.Chair.After
}

// Arbitrate returns the request for an answer after the question and what was said on it, for sides that were assigned
// or chosen freely.
func (s Set) Arbitrate(question string, said []string, assigned bool) string {
	c := s.complete()
	all := s.First(question) + c.Arbiter.Before + numberSolutions(c.Arbiter.Solution, c.Arbiter.Between, said, 1)
	if assigned {
		all += "\n\n" + c.Sides
	}
	return all + c.Arbiter.After
}

// Argue gives an agent the side that it has to argue for.
func (s Set) Argue(answer string) string { return fill(s.complete().Assigned, "{answer}", answer) }

// MostAnswer says what most agents answer.
func (s Set) MostAnswer(answer string) string { return fill(s.complete().Majority, "{answer}", answer) }

// AnswerAlone returns the request for the answer alone.
func (s Set) AnswerAlone() string { return s.complete().Answer }

// Confide returns the request for a confidence.
func (s Set) Confide() string { return s.complete().Confidence }

// Agree returns the instruction how far to agree with others, from 0 to 10.
func (s Set) Agree(intensity int) string {
	levels := s.complete().Intensity
	switch intensity {
	case 0:
		return levels[0]
	case 10:
		return levels[len(levels)-1]
	}
	return fill(levels[1], "{percent}", strconv.Itoa(10*intensity))
}

// Reason returns the instruction how to reason: that of a method, or the text itself if no method has this name.
func (s Set) Reason(method string) string {
	if text := s.complete().Methods[method]; text != "" {
		return text
	}
	return method
}

// Group shows several solutions that give one answer; "" is an answer that could not be read.
func (s Set) Group(answer string, solutions []string) string {
	return fill(s.complete().Grouped, "{count}", strconv.Itoa(len(solutions)), "{answer}", s.Show(answer),
		"{solutions}", strings.Join(solutions, "\n"))
}

// SayNothing returns an agent's answer behind an argument that says nothing; "" is an answer that could not be read,
// for which nobody argues.
func (s Set) SayNothing(agent int, answer string) string {
	texts := s.complete().Vacuous
	if answer == "" {
		return s.Show(answer)
	}
	return fill(texts[agent%len(texts)], "{answer}", answer)
}

// InsistOn returns what a confederate says for an answer in a round, from 0.
func (s Set) InsistOn(answer string, round int) string {
	texts := s.complete().Insist
	return fill(texts[min(round, len(texts)-1)], "{answer}", answer)
}

// Label shows a text under the name of its speaker.
func (s Set) Label(name, solution string) string {
	return fill(s.complete().Labelled, "{name}", name, "{solution}", solution)
}

// HearAnonymous returns the user message of a later round in the anonymous layout: the question and all solutions.
func (s Set) HearAnonymous(question string, solutions []string) string {
	e := s.complete().Anonymous
	return s.First(question) + e.Before + numberSolutions(e.Solution, e.Between, solutions, 1) + e.After
}

// MarkOwn tells an agent which of the solutions before is its own, counted from 0; of none it says nothing.
func (s Set) MarkOwn(own int) string {
	if own < 0 {
		return ""
	}
	return fill(s.complete().Own, "{number}", strconv.Itoa(own+1))
}

// Show returns an answer as it is shown; "" is an answer that could not be read.
func (s Set) Show(answer string) string {
	if answer == "" {
		return s.complete().Nothing
	}
	return answer
}

// checkSlots refuses texts that lack what they show, of those that stand in the place of replies or frame them.
func (c Common) checkSlots() error {
	slots := []slot{{"labelled", c.Labelled, "{name}"}, {"labelled", c.Labelled, "{solution}"},
		{"own", c.Own, "{number}"}, {"assigned", c.Assigned, "{answer}"}, {"majority", c.Majority, "{answer}"},
		{"retain.solution", c.Retain.Solution, "{solution}"}, {"retain.solution", c.Retain.Solution, "{number}"},
		{"anonymous.solution", c.Anonymous.Solution, "{solution}"}, {"chair.solution", c.Chair.Solution, "{solution}"},
		{"arbiter.solution", c.Arbiter.Solution, "{solution}"},
		{"review.solution", c.Review.Solution, "{solution}"}, {"review.solution", c.Review.Solution, "{letter}"}}
	for i, text := range c.Vacuous {
		slots = append(slots, slot{fmt.Sprintf("vacuous[%d]", i), text, "{answer}"})
	}
	for i, text := range c.Insist {
		slots = append(slots, slot{fmt.Sprintf("insist[%d]", i), text, "{answer}"})
	}
	for _, s := range slots {
		// a text that is not given is the shared one; a list has no such texts
		if s.text == "" && !strings.HasSuffix(s.field, "]") {
			continue
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses wording that would be sent without what it is about.
func (c Common) check() error {
	for name, text := range c.Openings {
		if strings.Count(text, "{question}")+strings.Count(text, "{asked}") != 1 {
			return fmt.Errorf("openings.%s must contain {question} or {asked} once", name)
		}
	}
	for name, e := range c.Wordings {
		if e.Solution != "" && strings.Count(e.Solution, "{solution}") != 1 {
			return fmt.Errorf("wordings.%s.solution must contain {solution} once", name)
		}
	}
	if err := c.checkSlots(); err != nil {
		return err
	}
	switch {
	case len(c.Intensity) != 3 && len(c.Intensity) != 0:
		return fmt.Errorf("%d intensities: there must be three, for 0, for what is between, and for 10",
			len(c.Intensity))
	case c.Summary.Solution != "" && strings.Count(c.Summary.Solution, "{solution}") != 1:
		return fmt.Errorf("summary.solution must contain {solution} once")
	}
	return nil
}
