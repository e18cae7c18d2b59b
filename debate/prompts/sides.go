package prompts

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/strictyaml"
)

//go:embed sides/*.yaml
var sidesFiles embed.FS

// Sides is the wording of a debate between two sides before a moderator and a judge (Liang et al.).
type Sides struct {
	Name   string `yaml:"name"`
	Origin string `yaml:"origin"`
	// Debater is the system message of both sides, with {topic} and {level}.
	Debater string   `yaml:"debater"`
	Levels  []string `yaml:"levels"` // how far the sides may agree: from full consensus to none
	// Base asks for the answer that the affirmative side will defend, with {topic}. Empty: the side finds its own.
	Base   string `yaml:"base"`
	Affirm string `yaml:"affirm"` // the first message to the affirmative side, with {topic} and {base}
	Deny   string `yaml:"deny"`   // the first message to the negative side, with {opponent}
	Again  string `yaml:"again"`  // every later message to either side, with {opponent}

	Moderator  string `yaml:"moderator"`  // system message of moderator and judge, with {topic}
	Verdict    string `yaml:"verdict"`    // after each round, with {round}, {affirmative} and {negative}
	Candidates string `yaml:"candidates"` // the judge's first question, with {affirmative} and {negative}
	Final      string `yaml:"final"`      // the judge's second question

	Replies `yaml:",inline"`
}

// LoadSides returns one of the sets in the program, "topic" or "translation", or reads one from a path that ends in
// .yaml or .yml.
func LoadSides(name string) (Sides, error) {
	return load(sidesFiles, "sides", name, "two sides", parseSides)
}

func parseSides(text []byte, kind answer.Kind) (Sides, error) {
	var s Sides
	if _, err := (Forms{}).of(kind, ""); err != nil {
		return s, err
	}
	if err := strictyaml.Unmarshal(text, &s); err != nil {
		return Sides{}, err
	}
	for _, required := range []slot{
		{"debater", s.Debater, "{topic}"}, {"debater", s.Debater, "{level}"}, {"deny", s.Deny, "{opponent}"},
		{"again", s.Again, "{opponent}"},
		{"verdict", s.Verdict, "{affirmative}"}, {"verdict", s.Verdict, "{negative}"},
		{"candidates", s.Candidates, "{affirmative}"}, {"candidates", s.Candidates, "{negative}"},
	} {
		if err := required.check(); err != nil {
			return Sides{}, err
		}
	}
	switch {
	case s.Name == "" || s.Origin == "":
		return Sides{}, errors.New("name and origin must be given: records show them")
	case len(s.Levels) != 4:
		return Sides{}, fmt.Errorf("%d levels: there must be four, from full consensus to none", len(s.Levels))
	case s.Affirm == "" || s.Moderator == "" || s.Final == "":
		return Sides{}, errors.New("affirm, moderator and final must be given")
	case s.Base == "" && strings.Contains(s.Affirm, "{base}"):
		return Sides{}, errors.New("affirm has {base}, and base is empty")
	}
	return s, s.Replies.check()
}

// The methods below return the messages, in the order in which they are sent.

// DebaterFor is the system message of a side; level, 0 to 3, is how far it may agree.
func (s Sides) DebaterFor(topic string, level int) string {
	return fill(s.Debater, "{topic}", topic, "{level}", s.Levels[level])
}

// BaseFor asks for the answer that the affirmative side will defend.
func (s Sides) BaseFor(topic string) string { return fill(s.Base, "{topic}", topic) }

// AffirmWith is the affirmative side's first message.
func (s Sides) AffirmWith(topic, base string) string {
	return fill(s.Affirm, "{topic}", topic, "{base}", base)
}

// DenyAfter is the negative side's first message.
func (s Sides) DenyAfter(opponent string) string { return fill(s.Deny, "{opponent}", opponent) }

// AgainAfter is every later message to a side.
func (s Sides) AgainAfter(opponent string) string { return fill(s.Again, "{opponent}", opponent) }

// ModeratorFor is the system message of moderator and judge.
func (s Sides) ModeratorFor(topic string) string { return fill(s.Moderator, "{topic}", topic) }

// VerdictAfter asks the moderator about a round, 1 for the first.
func (s Sides) VerdictAfter(round int, affirmative, negative string) string {
	return fill(s.Verdict, "{round}", ordinal(round), "{affirmative}", affirmative, "{negative}", negative)
}

// CandidatesIn asks the judge which answers the sides gave.
func (s Sides) CandidatesIn(affirmative, negative string) string {
	return fill(s.Candidates, "{affirmative}", affirmative, "{negative}", negative)
}

func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n <= len(names) {
		return names[n-1]
	}
	return humanize.Ordinal(n)
}
