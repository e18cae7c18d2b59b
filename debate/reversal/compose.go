package reversal

import (
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings that the form reads, with the names and types of debate.Settings. The doc tags are shown to
// users; the list of what the form reads follows from the fields: see debate.Described.
type Settings struct {
	Agents        int    `doc:"number of solutions heard"`
	Reading       string `doc:"paper or code, where a source's paper and its code differ"`
	Prompts       string `doc:"a set of prompts, or a .yaml file"`
	Order         string `doc:"the order of right and wrong solutions"`
	Opening       string `doc:"how the question is put to the pool: one of the prompts' openings"`
	Wording       string `doc:"wording of the message with the solutions: one of the prompts' wordings"`
	Initial       string `doc:"what the agent's initial answer is"`
	MostSolutions int    `doc:"number of solutions heard at the last step of the sweep"`
	Samples       int    `doc:"number of solutions to sample, if no earlier debate gives them"`
	Holder        int    `doc:"which of the agents heard has the right solution, counted from 0"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Reversal{
		Asking: ask.Stopping(set.Stop),
		Hears:  s.Agents, Order: s.Order, Reading: s.Reading, Initial: s.Initial,
		MostSolutions: s.MostSolutions, Samples: s.Samples, Holder: s.Holder,
		Opening: s.Opening, Wording: s.Wording, Prompts: set,
	}.complete()
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: formName,
		Meaning: "one agent with a given initial answer hears right and wrong solutions of others in some order, and " +
			"answers again",
		Reads: debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Idle: idle, Parts: parts(), Compose: compose, Prior: debate.PriorOptional,
		Asks: debate.Wording{Prompts: "reversal", Plain: true, InForm: prompts.Asking,
			For: func(embedded bool, _ string) string {
				if embedded {
					return "tiny"
				}
				return ""
			}},
	}
}

// formName is the name of the form in files and records.
const formName = "centre"

// Placed returns the place of the one right solution among wrong ones, and its holder, if settings of a reversal place
// it. A record may say anything, so that either can be out of range.
func Placed(s debate.Settings) (place, holder int, placed bool) {
	place, placed = PlaceOf(s.Order)
	return place, s.Holder, placed && s.Form == formName
}

var idle = []debate.IdleRule{
	{Settings: []string{"most"},
		When: func(s debate.Settings) bool { _, placed := PlaceOf(s.Order); return placed && s.Agents > 0 },
		Why:  "in an order that places one right solution, where agents says how many are heard"},
}
