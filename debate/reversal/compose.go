package reversal

import (
	"parley/debate"
	"parley/debate/prompts"
)

// Settings are what can be set of a reversal, by the names of debate.Settings. The list of what the form reads follows
// from them.
type Settings struct {
	Agents        int    `doc:"how many solutions are heard"`
	Reading       string `doc:"paper or code, where a source's paper and its code differ"`
	Prompts       string `doc:"a set of wording, or a .yaml file"`
	Order         string `doc:"of right and wrong solutions"`
	Opening       string `doc:"how the pool was asked, one of the prompts' openings"`
	Wording       string `doc:"of what it hears, one of the prompts'"`
	Initial       string `doc:"what its own first answer is"`
	MostSolutions int    `doc:"how many solutions are heard at the end of the sweep"`
	Samples       int    `doc:"how many solutions it samples, where no debate before gives them"`
	Holder        int    `doc:"which of those heard has the right solution, from 0"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
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
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: "centre",
		Meaning: "one agent with a given first answer hears solutions of others, in an order of right and wrong " +
			"ones, and answers again",
		Reads: debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Prompts: "reversal", Idle: idle, Parts: parts(), Compose: compose,
	}
}

var idle = []debate.IdleRule{
	{Settings: []string{"most"}, When: func(s debate.Settings) bool {
		_, placed := PlaceOf(s.Order)
		return placed &&
			s.Agents > 0
	},
		Why: "in an order that places one right solution, where agents says how many are heard"},
}
