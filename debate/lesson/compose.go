package lesson

import (
	"cmp"
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type settings struct {
	Agents  int             `yaml:"agents"`
	Rounds  int             `yaml:"rounds"`
	Prompts string          `yaml:"prompts"`
	Team    []debate.Member `yaml:"team"`
	Abstain float64         `yaml:"abstain"`
	Order   string          `yaml:"order"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of agents"),
		debate.Number(&s.Rounds, 1, 1000, "number of rounds, including the first"),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Team, debate.TeamMeans),
		debate.Number(&s.Abstain, 0, 1, "the least share of the votes with which an answer is given"),
		debate.Says(&s.Order, "the order in which the others' answers are listed"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	order, err := listing.ParseCounted(s.Order, "", "lesson")
	if err != nil {
		return nil, debate.Blame("order", err)
	}
	d := lessonDebate{lesson{Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Order: order,
		Prompts: set}}
	return debate.Composed(d, all, d.check)
}

// lessonDebate is a lesson as a debate.Debate, whose Run returns the transcript alone.
type lessonDebate struct{ lesson }

// Run implements debate.Debate.
func (l lessonDebate) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	result, err := l.lesson.Run(ctx, speaker, c)
	return result.Transcript, err
}

// RoleNames implements debate.Named.
func (l lessonDebate) RoleNames() []string { return l.Names(l.Agents) }

// Echo implements debate.Echoing.
func (l lessonDebate) Echo() string { return l.Asking.Echo(l.Agents) }

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: "lesson",
		Meaning: "a society without histories: each call shows an agent its own last answer and the others'; the " +
			"majority of raw texts decides",
		Typed:   described,
		Compose: compose,
		Asks:    debate.Wording{Prompts: "lesson", Own: true, Plain: true, InForm: prompts.Asking},
		Seating: debate.Seating{Everybody: []string{"name", "tool"}},
		Answers: debate.AnswerReading{Own: true},
		FirstRound: func(s debate.Settings, _ string) debate.Settings {
			return debate.Settings{}.With("prompts", cmp.Or(s.Prompts(), "lesson"))
		},
	}
}
