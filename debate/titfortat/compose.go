package titfortat

import (
	"cmp"

	"parley/debate"
	"parley/debate/prompts"
)

// Settings are what can be set of a tit for tat, by the names of debate.Settings. The list of what the form reads
// follows from them.
type Settings struct {
	Agents    int             `doc:"sides, of which the first is affirmative"`
	Rounds    int             `doc:"most of them; the moderator may end it before"`
	Reading   string          `doc:"paper or code, where a source's paper and its code differ"`
	Prompts   string          `doc:"a set of wording, or a .yaml file"`
	Team      []debate.Member `doc:"what sets agents apart"`
	Until     string          `doc:"what ends it"`
	JudgeSees string          `doc:"which arguments the judge is shown"`
	Level     *int            `doc:"how far the sides may agree, from 0 to 3"`
	Swapped   bool            `doc:"moderator and judge see each side under the other's name"`
	Replies   string          `doc:"how those with several fields are held to their form"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
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
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    "tit-for-tat",
		Meaning: "sides argue in turns before a moderator who may end it; else a judge decides",
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Prompts: "topic", Parts: parts(), Compose: compose,
	}
}
