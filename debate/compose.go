package debate

import (
	"slices"
	"strings"

	"parley/debate/answer"
)

// Form is a way in which debates go, the loop of one or more sources; settings compose a debate of it.
type Form struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning"`
	Reads   []string `json:"reads"` // the settings that mean something to it

	Prompts string     `json:"-"` // the set that it has unless another is named
	Idle    []IdleRule `json:"-"` // given settings that others leave nothing to do
	// Compose makes a debate of settings that are all read by the form, in range, and not idle.
	Compose func(s Settings, ask Asking) (Debate, error) `json:"-"`
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

// composed checks a debate before it is ever held. An error blames the first setting that it names.
func Composed[D Debate](d D, s Settings, check func(Case) error) (Debate, error) {
	err := check(anyCase)
	if err == nil {
		return d, nil
	}
	for _, word := range strings.FieldsFunc(err.Error(),
		func(r rune) bool { return !(r == '-' || 'a' <= r && r <= 'z') }) {
		if slices.Contains(s.Given(), word) {
			return nil, Blame(word, err)
		}
	}
	return nil, Blame("form", err)
}
