package knights

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

// Settings are the settings that the form reads, with the names and types of debate.Settings. The doc tags are shown to
// users; the list of what the form reads follows from the fields: see debate.Described.
type Settings struct {
	Agents     int             `doc:"number of agents, without the supervisor"`
	Reading    string          `doc:"paper or code, where a source's paper and its code differ"`
	Prompts    string          `doc:"a set of prompts, or a .yaml file"`
	Team       []debate.Member `doc:"what sets agents apart"`
	Memory     int             `doc:"how many of its own latest replies an agent still sees; 0 is all"`
	Order      string          `doc:"the order in which players are debated"`
	Depth      int             `doc:"passes over all players; in the code's reading, stances on each"`
	Confidence string          `doc:"whether agents see how confident the others are"`
	Until      string          `doc:"when the debate ends"`
	Judge      string          `doc:"whether a judge rates the agents' arguments after the debate"`
	Replies    string          `doc:"how agents write replies with several fields"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.LoadKnights(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Knights{
		Asking: ask.Stopping(set.Stop),
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
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Idle: idle, Parts: parts(), Compose: compose,
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
func seats(s debate.Settings, agents int) int {
	switch {
	case s.Judge != "" && s.Judge != JudgeNone:
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
var idle = []debate.IdleRule{
	{Settings: []string{"order", "depth", "judge"},
		When: func(s debate.Settings) bool { return s.Until == UntilProposals },
		Why:  "where the debate ends with the proposals"},
}
