package prompts

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/strictyaml"
)

//go:embed common/common.yaml
var commonFile []byte

// Common is wording that sets share. A field that a set fills itself replaces the shared one; maps are merged by key.
type Common struct {
	Confidence string `yaml:"confidence"` // asks for a confidence
	// Grouped shows several solutions with one answer, with {count}, {answer} and {solutions}.
	Grouped   string              `yaml:"grouped"`
	Nothing   string              `yaml:"nothing"`   // shown for an answer that could not be read
	Summary   Exchange            `yaml:"summary"`   // asks for a summary, with {question} in After
	Answer    string              `yaml:"answer"`    // asks for the answer alone
	Intensity []string            `yaml:"intensity"` // how far to agree: least, in between (with {percent}), most
	Methods   map[string]string   `yaml:"methods"`   // instructions how to reason, by name
	Openings  map[string]string   `yaml:"openings"`  // first messages, with {question} or {asked}, by name
	Wordings  map[string]Exchange `yaml:"wordings"`  // exchanges by name
}

var common = func() (c Common) {
	if err := strictyaml.Unmarshal(commonFile, &c); err != nil {
		panic(err) // embedded
	}
	return c
}()

// completed returns a set's own wording, completed from the shared one.
func (c Common) completed() Common {
	c.Confidence = cmp.Or(c.Confidence, common.Confidence)
	c.Grouped = cmp.Or(c.Grouped, common.Grouped)
	c.Nothing = cmp.Or(c.Nothing, common.Nothing)
	c.Answer = cmp.Or(c.Answer, common.Answer)
	if c.Summary.Solution == "" {
		c.Summary = common.Summary
	}
	if len(c.Intensity) == 0 {
		c.Intensity = common.Intensity
	}
	c.Methods, c.Openings, c.Wordings = merged(c.Methods, common.Methods), merged(c.Openings, common.Openings),
		merged(c.Wordings, common.Wordings)
	return c
}

func merged[V any](own, other map[string]V) map[string]V {
	both := maps.Clone(other)
	maps.Copy(both, own)
	return both
}

// Opening returns the first message with this name, or "".
func (s Set) Opening(name string) string { return s.completed().Openings[name] }

// Openings returns the names of first messages, sorted.
func (s Set) Openings() []string { return slices.Sorted(maps.Keys(s.completed().Openings)) }

// FirstAs returns the user message of the first round by the name of an opening; "" is the set's own.
func (s Set) FirstAs(opening, question string) string {
	if opening == "" {
		return s.First(question)
	}
	return fill(s.Opening(opening), "{question}", question, "{asked}", s.Again(question))
}

// Wording returns an exchange by its name; "" is the set's own.
func (s Set) Wording(name string) Exchange {
	if name == "" {
		return s.Exchange
	}
	return s.completed().Wordings[name]
}

// Wordings returns the names of exchanges, sorted.
func (s Set) Wordings() []string { return slices.Sorted(maps.Keys(s.completed().Wordings)) }

// SumUp returns the request for a summary of solutions.
func (s Set) SumUp(solutions []string, question string) string {
	summary := s.completed().Summary
	return summary.Before + numbered(summary.Solution, summary.Between, solutions, 1) +
		fill(summary.After, "{question}", question)
}

// AnswerAlone returns the request for the answer alone.
func (s Set) AnswerAlone() string { return s.completed().Answer }

// Confide returns the request for a confidence.
func (s Set) Confide() string { return s.completed().Confidence }

// Agree returns the instruction how far to agree with others, from 0 to 10.
func (s Set) Agree(intensity int) string {
	levels := s.completed().Intensity
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
	if text := s.completed().Methods[method]; text != "" {
		return text
	}
	return method
}

// Group shows several solutions that give one answer; "" is an answer that could not be read.
func (s Set) Group(answer string, solutions []string) string {
	return fill(s.completed().Grouped, "{count}", strconv.Itoa(len(solutions)), "{answer}", s.Shown(answer),
		"{solutions}", strings.Join(solutions, "\n"))
}

// Shown returns an answer as it is shown; "" is an answer that could not be read.
func (s Set) Shown(answer string) string {
	if answer == "" {
		return s.completed().Nothing
	}
	return answer
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
	switch {
	case len(c.Intensity) != 3 && len(c.Intensity) != 0:
		return fmt.Errorf("%d intensities: there must be three, for 0, for what is between, and for 10",
			len(c.Intensity))
	case c.Summary.Solution != "" && strings.Count(c.Summary.Solution, "{solution}") != 1:
		return fmt.Errorf("summary.solution must contain {solution} once")
	}
	return nil
}
