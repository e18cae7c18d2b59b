package debate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/debate/answer"
)

// Form is a way in which debates go, the loop of one or more sources; settings compose a debate of it.
type Form struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning"`
	Reads   []string `json:"reads"` // the settings that mean something to it
	// the same, with what they mean to it; both follow from the form's typed settings
	Settings []Setting `json:"settings"`

	Parts   []Part     `json:"-"` // the values that its settings can have, by name
	Prompts string     `json:"-"` // the set that it has unless another is named
	Idle    []IdleRule `json:"-"` // given settings that others leave nothing to do
	// Compose makes a debate of settings that are all read by the form, in range, and not idle.
	Compose func(s Settings, ask Asking) (Debate, error) `json:"-"`
}

// Setting is a setting as one form reads it.
type Setting struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Described lists the settings of a form: the fields of its typed settings T, which are called as those of Settings and
// say in a tag doc what they mean. A field that Settings lacks, or has of another type, is a mistake of the form's
// author and panics, at the latest in the first test that lists the forms.
func Described[T any]() (settings []Setting) {
	own, all := reflect.TypeFor[T](), reflect.TypeFor[Settings]()
	for i := range own.NumField() {
		field := own.Field(i)
		flat, ok := all.FieldByName(field.Name)
		if !ok || flat.Type != field.Type {
			panic(fmt.Sprintf("%s.%s is no setting", own, field.Name))
		}
		settings = append(settings, Setting{SettingName(flat), field.Tag.Get("doc")})
	}
	return settings
}

// Reads are the names of Described.
func Reads[T any]() (names []string) {
	for _, s := range Described[T]() {
		names = append(names, s.Name)
	}
	return names
}

// Typed are the settings that a form reads, as its own type.
func Typed[T any](all Settings) (own T) {
	from, to := reflect.ValueOf(all), reflect.ValueOf(&own).Elem()
	for i := range to.NumField() {
		to.Field(i).Set(from.FieldByName(to.Type().Field(i).Name))
	}
	return own
}

// Part is one value that a setting can have.
type Part struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
	Source  string `json:"source,omitempty"`
}

// IdleRule names settings that other settings leave nothing to do. A record names all settings that were given, so that
// one which nobody obeyed would be false: it is refused. What merely has no occasion (an order where nobody else
// speaks, a way to end ties where there are none) is obeyed.
type IdleRule struct {
	Settings []string
	When     func(Settings) bool
	Why      string // follows "means nothing"; %s is how the debate is decided
}

// anyCase is a question with an answer, to see whether a debate could be held on one.
var anyCase = Case{ID: "any", Question: "?", Extract: answer.Raw, Truth: answer.Of("?"), Facts: "?", Wrong: "?",
	Donor: &Case{ID: "another", Question: "?", Extract: answer.Raw}}

// Check is something that must hold before a debate is held.
type Check[D any] struct {
	Settings []string // that a change of would mend it, the likeliest first: see About
	Broken   func(d D, c Case) bool
	Says     func(d D, c Case) error // what is wrong; only called where it is broken
}

// Require refuses a debate by the first check that is broken: their order decides the message.
func Require[D any](d D, c Case, checks []Check[D]) error {
	for _, check := range checks {
		if check.Broken(d, c) {
			return About(check.Says(d, c), check.Settings...)
		}
	}
	return nil
}

// OneOf checks that a setting is not given or is one of some names; what is how the message begins, such as "ties".
func OneOf[D any](setting, what string, value func(D) string, names ...string) Check[D] {
	last := len(names) - 1
	list := strings.Join(names[:last], ", ") + " and " + names[last]
	return Check[D]{
		Settings: []string{setting},
		Broken:   func(d D, _ Case) bool { return value(d) != "" && !slices.Contains(names, value(d)) },
		Says:     func(d D, _ Case) error { return fmt.Errorf("%s %q; there are %s", what, value(d), list) },
	}
}

// Composed checks a debate before it is ever held. An error is blamed on the first setting that it is about and that
// was given, or else on the form.
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
