package knights

import (
	"cmp"

	"parley/debate"
	"parley/debate/prompts"
)

// Settings are what can be set of knights, by the names of debate.Settings. The list of what the form reads follows
// from them.
type Settings struct {
	Agents     int             `doc:"who take part, a moderator and the like not counted"`
	Reading    string          `doc:"paper or code, where a source's paper and its code differ"`
	Prompts    string          `doc:"a set of wording, or a .yaml file"`
	Team       []debate.Member `doc:"what sets agents apart"`
	Memory     int             `doc:"how many of its own last replies an agent still sees; 0 is all"`
	Order      string          `doc:"in which players are debated"`
	Depth      int             `doc:"passes over all players; in the code's reading, stances on each"`
	Confidence string          `doc:"whether agents see how sure others are"`
	Replies    string          `doc:"how those with several fields are held to their form"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.LoadKnights(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Knights{
		Asking: ask, Agents: s.Agents, Depth: s.Depth, Order: s.Order, Confidence: s.Confidence,
		Reading: cmp.Or(s.Reading, debate.ReadingCode), Replies: s.Replies, Prompts: set,
	}.complete()
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    "knights",
		Meaning: "a puzzle of knights, knaves and spies is debated player by player",
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Prompts: "knights", Parts: parts(), Compose: compose,
	}
}
