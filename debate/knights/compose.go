package knights

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

// Settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type Settings struct {
	Agents     int             `yaml:"agents"`
	Reading    string          `yaml:"reading"`
	Prompts    string          `yaml:"prompts"`
	Team       []debate.Member `yaml:"team"`
	Until      string          `yaml:"until"`
	Order      string          `yaml:"order"`
	Confidence string          `yaml:"confidence"`
	Memory     int             `yaml:"memory"`
	Depth      int             `yaml:"depth"`
	Judge      string          `yaml:"judge"`
	Replies    string          `yaml:"replies"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *Settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of agents, without the supervisor"),
		debate.Says(&s.Reading, debate.ReadingMeans),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Team, debate.TeamMeans),
		debate.Says(&s.Until, "when the debate ends"),
		debate.Says(&s.Order, "the order in which players are debated"),
		debate.Says(&s.Confidence, "whether agents see how confident the others are"),
		debate.Number(&s.Memory, 0, 1000, "how many of its own latest replies an agent still sees; 0 is all"),
		debate.Number(&s.Depth, 1, 1000, "passes over all players; in the code's reading, stances on each"),
		debate.Says(&s.Judge, "whether a judge rates the agents' arguments after the debate"),
		debate.Says(&s.Replies, "how agents write replies with several fields"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.LoadKnights(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := knights{
		Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Agents: s.Agents, Depth: s.Depth, Order: s.Order, Confidence: s.Confidence,
		Reading: cmp.Or(s.Reading, debate.ReadingCode), Replies: s.Replies, Judge: s.Judge,
		Until:   s.Until,
		Prompts: set,
	}.complete()
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    "knights",
		Meaning: "a puzzle of knights, knaves and spies is debated player by player",
		Typed:   described,
		Idle:    debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Asks: debate.Wording{Prompts: "knights", For: func(embedded bool, _ string) string {
			if embedded {
				return "tiny"
			}
			return ""
		}},
		Seating: debate.Seating{Seats: seats, Everybody: []string{"name", "persona"}, Debaters: []string{"memory"}},
		Answers: debate.AnswerReading{Own: true, Rule: "choice", Truth: truthOf},
		Wordy:   true,
	}
}

// seats adds the judge and the supervisor. The place of a supervisor is kept also where there is only a judge.
func seats(all debate.Settings, agents int) int {
	switch s := debate.Typed[Settings](all); {
	case s.Judge != "" && s.Judge != judgeNone:
		return agents + 2
	case s.Reading == debate.ReadingPaper || s.Order == OrderChosen:
		return agents + 1
	}
	return agents
}

// truthOf reads the right roles of a puzzle's players.
func truthOf(question string) (extract answer.Extractor, example string, ok bool) {
	players, err := PlayersOf(question)
	if err != nil {
		return nil, "", false
	}
	return Roles(players), vote.Assignment(players, slices.Repeat([]string{"knight"}, len(players))).Text, true
}

// idle are the settings that others leave without effect.
var idle = []debate.IdleRule[Settings]{
	{Settings: []string{"order", "depth", "judge"},
		When: func(s Settings) bool { return s.Until == UntilProposals },
		Why:  "where the debate ends with the proposals"},
	{Settings: []string{"tool"}, When: func(s Settings) bool { return s.Replies != debate.RepliesFree },
		Why: "where a grammar shapes the replies (replies: free)"},
}
