package knights

import (
	"cmp"

	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	set, err := prompts.LoadKnights(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Knights{
		Asking: ask, Agents: s.Agents, Depth: s.Depth, Order: s.Order, Confidence: s.Confidence,
		Reading: cmp.Or(s.Reading, debate.ReadingCode), Replies: s.Replies, Prompts: set,
	}.complete()
	return debate.Composed(d, s, d.check)
}

// knightsForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "knights", Meaning: "a puzzle of knights, knaves and spies is debated player by player",
		Reads:   []string{"agents", "reading", "prompts", "team", "memory", "order", "depth", "confidence", "replies"},
		Prompts: "knights", Compose: compose}
}
