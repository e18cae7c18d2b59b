package debate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/unknown"
)

// Settings are what a debate is composed of, as files and records name it: a form, and those of its settings that are
// given; what is not given has the form's default. Which settings there are, say the forms alone, in their own types:
// Typed returns them so, Flat makes them from that, and Value looks up a single one. Settings are values: With returns
// changed ones.
type Settings struct {
	Form  string  // the loop: the name of a registered form
	given []given // in the order of fields; nil if there are none
}

// given is a setting that is given, and so is not zero.
type given struct {
	name  string
	value any
}

// Typed returns settings as the type T of a form: a struct of which each field is a setting. A setting that T lacks is
// left out.
func Typed[T any](s Settings) (own T) {
	to := reflect.ValueOf(&own).Elem()
	for _, g := range s.given {
		for i := range to.NumField() {
			if SettingName(to.Type().Field(i)) == g.name {
				to.Field(i).Set(reflect.ValueOf(g.value))
			}
		}
	}
	return own
}

// Flat returns the typed settings of a form as files and records have them.
func Flat[T any](form string, own T) Settings { return Settings{Form: form}.with(reflect.ValueOf(own)) }

// Changed returns settings in which a form's own are changed, and all others are as they were.
func Changed[T any](s Settings, change func(own *T)) Settings {
	own := Typed[T](s)
	change(&own)
	return s.with(reflect.ValueOf(own))
}

// with sets all fields of a struct of settings.
func (s Settings) with(own reflect.Value) Settings {
	for i := range own.NumField() {
		s = s.With(SettingName(own.Type().Field(i)), own.Field(i).Interface())
	}
	return s
}

// With returns settings with another value of one, which has the type that forms declare; nil or a zero value is not
// given.
func (s Settings) With(name string, value any) Settings {
	s.given = slices.DeleteFunc(slices.Clone(s.given), func(g given) bool { return g.name == name })
	if v := reflect.ValueOf(value); v.IsValid() && !v.IsZero() {
		s.given = append(s.given, given{name, value})
		slices.SortStableFunc(s.given, func(a, b given) int { return placeOf(a.name) - placeOf(b.name) })
	}
	if len(s.given) == 0 {
		s.given = nil
	}
	return s
}

// Value returns a setting, zero if it is not given.
func Value[V any](s Settings, name string) (value V) {
	for _, g := range s.given {
		if g.name == name {
			value, _ = g.value.(V)
		}
	}
	return value
}

// Agents returns the number of agents that are given, without those that preside; 0 leaves it to the form.
func (s Settings) Agents() int { return Value[int](s, "agents") }

// Rounds returns the number of rounds at most, including the first; 0 leaves it to the form.
func (s Settings) Rounds() int { return Value[int](s, "rounds") }

// Prompts returns the name of a set of prompts, or a .yaml file; "" leaves it to the form.
func (s Settings) Prompts() string { return Value[string](s, "prompts") }

// Team returns the members that differ from the others, beginning with the first agent.
func (s Settings) Team() []Member { return Value[[]Member](s, "team") }

// has reports whether a setting is given.
func (s Settings) has(name string) bool {
	return slices.ContainsFunc(s.given, func(g given) bool { return g.name == name })
}

// Given returns the names of what is given, beginning with the form.
func (s Settings) Given() (names []string) {
	if s.Form != "" {
		names = append(names, "form")
	}
	for _, g := range s.given {
		names = append(names, g.name)
	}
	return names
}

// Equal reports whether two settings are the same.
func (s Settings) Equal(other Settings) bool { return reflect.DeepEqual(s, other) }

// Difference is a setting that two debates have otherwise; what is not given reads "not given".
type Difference struct {
	Name          string
	First, Second string
}

// Differences lists the settings that another debate has otherwise.
func (s Settings) Differences(other Settings) (differences []Difference) {
	if s.Form != other.Form {
		differences = append(differences, Difference{"form", s.Form, other.Form})
	}
	shown := func(s Settings, name string) string {
		for _, g := range s.given {
			if g.name == name {
				text, _ := json.Marshal(g.value) // as a record has it
				return strings.Trim(string(text), `"`)
			}
		}
		return "not given"
	}
	for _, name := range SettingNames() {
		if one, another := shown(s, name), shown(other, name); one != another {
			differences = append(differences, Difference{name, one, another})
		}
	}
	return differences
}

// String lists what is given.
func (s Settings) String() string {
	words := []string{"form: " + s.Form}
	for _, g := range s.given {
		words = append(words, fmt.Sprintf("%s: %+v", g.name, g.value))
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// Readings of a source. Where its paper and its program differ, the reading says which of them a debate follows; each
// form documents the differences that it knows.
const (
	ReadingCode  = "code"
	ReadingPaper = "paper"
)

// Member is a member of a team as a file describes it. What it does not say is as for all agents.
type Member struct {
	Name    string `yaml:"name,omitempty" json:"name,omitempty"`
	Persona string `yaml:"persona,omitempty" json:"persona,omitempty"`
	Method  string `yaml:"method,omitempty" json:"method,omitempty"`
	Memory  int    `yaml:"memory,omitempty" json:"memory,omitempty"`
	// its own sampling
	inference.Chosen `yaml:",inline"`
	Model            string `yaml:"model,omitempty" json:"model,omitempty"`
	Tool             string `yaml:"tool,omitempty" json:"tool,omitempty"`
	// whether a person at the terminal replies; files have no such member
	Human bool `yaml:"human,omitempty" json:"human,omitempty"`
}

// Set changes one setting, as in Set("rounds", "3"). Lists are written as in YAML: "[exchange, verify]".
func (s *Settings) Set(name, value string) error {
	if !slices.Contains(SettingNames(), name) {
		return unknown.Listed("setting", name, SettingNames(), "parley protocols --parts")
	}
	if err := s.Read([]byte(name + ": " + value)); err != nil {
		if r, number := RangeOf(name); number {
			return fmt.Errorf("%s %q: must be a number %s", name, value, r)
		}
		return fmt.Errorf("%s: %q: %s", name, value, firstLine(err))
	}
	return s.CheckNumbers(name)
}

// firstLine returns the first line of an error's text.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// TeamAgents returns what sets agents apart. The setting memory applies to agents that have no memory of their own;
// base is the sampling of those that set only some of its parameters.
func (s Settings) TeamAgents(base inference.Sampling, agents int) []Agent {
	members, memory := s.Team(), Value[int](s, "memory")
	if memory > 0 {
		members = append(slices.Clone(members), make([]Member, max(0, agents-len(members)))...)
	}
	var team []Agent
	for _, m := range members {
		a := Agent{Name: m.Name, Persona: m.Persona, Method: m.Method, Memory: m.Memory, Model: m.Model, Tool: m.Tool}
		if a.Memory == 0 {
			a.Memory = memory
		}
		if m.Any() {
			own := m.In(base)
			a.Sampling = &own
		}
		team = append(team, a)
	}
	return team
}

// TeamName returns a word for a team: the names of its members, or else their models.
func TeamName(team []Member) string {
	labels := make([]string, len(team))
	for i, m := range team {
		label := strings.TrimSuffix(filepath.Base(m.Model), ".gguf")
		if m.Model == "" {
			label = "plain"
		}
		labels[i] = cmp.Or(m.Name, label)
	}
	return unnameable.ReplaceAllString(strings.Join(labels, "+"), "-")
}

// unnameable matches what names of conditions cannot have.
var unnameable = regexp.MustCompile(`[^a-zA-Z0-9_.+-]+`)

// MaxSize bounds the agents, rounds and samples of a debate that a file composes.
const MaxSize = 1000
