package titfortat

import (
	"cmp"

	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	sides, err := prompts.LoadSides(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	level := 2
	if s.Level != nil {
		level = *s.Level
	}
	d := TitForTat{
		Asking: ask, Debaters: cmp.Or(s.Agents, 2), Rounds: cmp.Or(s.Rounds, 3), Until: s.Until, JudgeSees: s.JudgeSees,
		Level:   level,
		Reading: cmp.Or(s.Reading, debate.ReadingCode), Swapped: s.Swapped, Replies: s.Replies, Prompts: sides,
	}.complete()
	return debate.Composed(d, s, d.check)
}

// titForTatForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "tit-for-tat", Meaning: "sides argue in turns before a moderator who may end it; else " +
		"a judge " +
		"decides",
		Reads: []string{"agents", "rounds", "reading", "prompts", "team", "until", "judge-sees", "level", "swapped",
			"replies"}, Prompts: "topic", Compose: compose}
}
