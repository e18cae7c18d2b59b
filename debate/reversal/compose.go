package reversal

import (
	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Reversal{
		Asking: ask, Hears: s.Agents, Order: s.Order, Reading: s.Reading, Initial: s.Initial,
		MostSolutions: s.MostSolutions, Samples: s.Samples,
		Holder:  s.Holder,
		Opening: s.Opening, Wording: s.Wording, Prompts: set,
	}.complete()
	return debate.Composed(d, s, d.check)
}

// centreForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "centre", Meaning: "one agent with a given first answer hears solutions of others, in " +
		"an order of " +
		"right and wrong ones, and answers again",
		Reads: []string{"agents", "reading", "prompts", "order", "opening", "wording", "own", "most", "samples",
			"holder"},
		Prompts: "reversal", Idle: idle, Compose: compose}
}

var idle = []debate.IdleRule{
	{Settings: []string{"most"}, When: func(s debate.Settings) bool {
		_, placed := PlaceOf(s.Order)
		return placed &&
			s.Agents > 0
	},
		Why: "in an order that places one right solution, where agents says how many are heard"},
}
