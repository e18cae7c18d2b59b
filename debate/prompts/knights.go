package prompts

import (
	"embed"
	"errors"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/strictyaml"
)

//go:embed knights/*.yaml
var knightsFiles embed.FS

// Knights is the wording of a debate about the roles of players in a puzzle (Wu et al.). Comments name the placeholders
// that a text may contain; parseKnights requires some of them.
type Knights struct {
	Name   string `yaml:"name"`
	Origin string `yaml:"origin"`

	System     string `yaml:"system"`     // system message of an agent, with {agent}
	Supervisor string `yaml:"supervisor"` // system message of the supervisor

	Propose string `yaml:"propose"` // asks for the first solution, with {game} and {form}
	// Debate asks an agent to debate a player's role, with {game}, {player}, {positions}, {earlier}, {solutions},
	// {others} and {form}.
	Debate string `yaml:"debate"`
	// Adjust asks for the solution after the debate, with {player}, {debate}, {earlier}, {solutions} and {form}.
	Adjust string `yaml:"adjust"`
	// Final asks for the last solution, with {game}, {earlier}, {solutions}, {replies} and {form}.
	Final string `yaml:"final"`
	Order string `yaml:"order"` // asks the supervisor whom to debate first, with {game}, {replies} and {form}
	// Settle asks the supervisor to break a tie, with {game}, {player}, {roles}, {replies} and {form}.
	Settle string `yaml:"settle"`

	// Judge and Rate are only needed where a judge rates arguments: its system message, and the request to rate those
	// of an agent, with {game}, {agent}, {replies} and {form}.
	Judge string `yaml:"judge"`
	Rate  string `yaml:"rate"`
	// Examiner and Examine are the same where a judge who sees the solution rates reasons; the request is to rate those
	// of an agent on a player, with {game}, {solution}, {proposals}, {agent}, {player}, {role}, {agree},
	// {agree_reason}, {disagree}, {disagree_reason} and {form}.
	Examiner string `yaml:"examiner"`
	Examine  string `yaml:"examine"`

	Position string `yaml:"position"` // one line of {positions}, with {agent}, {own}, {role} and {explanation}
	// Stance is one line of {debate}, with {agent}, {own}, {role}, {agree}, {agree_reason}, {disagree} and
	// {disagree_reason}.
	Stance  string `yaml:"stance"`
	Earlier string `yaml:"earlier"` // one part of {earlier}, with {player}, {debate} and {outcome}
	// Solution is one part of {solutions}, with {agent}, {own}, {confidence}, {roles} and {explanation}.
	Solution string `yaml:"solution"`
	Said     string `yaml:"said"` // one part of {replies}, with {agent}, {phase} and {reply}

	Own       string `yaml:"own"`       // marks what the reader said itself
	Sure      string `yaml:"sure"`      // shows a confidence, with {confidence}
	Unread    string `yaml:"unread"`    // shown for a role that could not be read
	None      string `yaml:"none"`      // shown for an empty list
	Confident string `yaml:"confident"` // asks for a confidence, as {confident} in Form
	Form      string `yaml:"form"`      // describes the form of a reply, as {form}; with {json} and {confident}

	Replies `yaml:",inline"`
}

// LoadKnights returns one of the sets in the program, "knights" or "tiny", or reads one from a path that ends in .yaml
// or .yml.
func LoadKnights(name string) (Knights, error) {
	return load(knightsFiles, "knights", name, "the roles of players", parseKnights)
}

func parseKnights(text []byte, kind answer.Kind) (Knights, error) {
	var k Knights
	if _, err := (Forms{}).of(kind, ""); err != nil {
		return k, err
	}
	if err := strictyaml.Unmarshal(text, &k); err != nil {
		return Knights{}, err
	}
	for _, required := range []slot{
		{"system", k.System, "{agent}"}, {"propose", k.Propose, "{game}"}, {"propose", k.Propose, "{form}"},
		{"debate", k.Debate, "{positions}"}, {"debate", k.Debate, "{form}"}, {"adjust", k.Adjust, "{debate}"},
		{"adjust", k.Adjust, "{form}"},
		{"final", k.Final, "{solutions}"}, {"final", k.Final, "{form}"}, {"order", k.Order, "{replies}"},
		{"order", k.Order, "{form}"},
		{"settle", k.Settle, "{form}"}, {"settle", k.Settle, "{replies}"}, {"position", k.Position, "{role}"},
		{"stance", k.Stance, "{role}"},
		{"solution", k.Solution, "{roles}"}, {"form", k.Form, "{json}"},
	} {
		if err := required.check(); err != nil {
			return Knights{}, err
		}
	}
	for _, required := range []slot{{"rate", k.Rate, "{replies}"}, {"rate", k.Rate, "{form}"},
		{"examine", k.Examine, "{solution}"}, {"examine", k.Examine, "{agree_reason}"},
		{"examine", k.Examine, "{disagree_reason}"}, {"examine", k.Examine, "{form}"}} {
		if err := required.check(); err != nil && required.text != "" {
			return Knights{}, err
		}
	}
	switch {
	case (k.Judge == "") != (k.Rate == ""):
		return Knights{}, errors.New("judge and rate must be given together: they are the messages to one agent")
	case (k.Examiner == "") != (k.Examine == ""):
		return Knights{}, errors.New("examiner and examine must be given together: they are the messages to one agent")
	case k.Name == "" || k.Origin == "":
		return Knights{}, errors.New("name and origin must be given: records show them")
	case k.Own == "" || k.Unread == "" || k.None == "" || k.Supervisor == "":
		return Knights{}, errors.New("own, unread, none and supervisor must be given")
	}
	return k, k.Replies.check()
}

// With fills one of the texts: names and values alternate, names without braces.
func (k Knights) With(text string, namesAndValues ...string) string {
	values := slices.Clone(namesAndValues)
	for i := 0; i < len(values); i += 2 {
		values[i] = "{" + values[i] + "}"
	}
	return fill(text, values...)
}

// List returns the entries, one a line, or None if there are none.
func (k Knights) List(entries []string) string {
	if len(entries) == 0 {
		return k.None
	}
	return strings.Join(entries, "\n")
}

// FormOf describes the form of a reply by an example in JSON, and asks for a confidence if confident is set.
func (k Knights) FormOf(json string, confident bool) string {
	asked := ""
	if confident {
		asked = k.Confident
	}
	return fill(k.Form, "{json}", json, "{confident}", asked)
}
