package reversal

import (
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type Settings struct {
	Agents        int    `yaml:"agents"`
	Reading       string `yaml:"reading"`
	Prompts       string `yaml:"prompts"`
	Order         string `yaml:"order"`
	Opening       string `yaml:"opening"`
	Wording       string `yaml:"wording"`
	Initial       string `yaml:"own"`
	MostSolutions int    `yaml:"most"`
	Samples       int    `yaml:"samples"`
	Holder        int    `yaml:"holder"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *Settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of solutions heard"),
		debate.Says(&s.Reading, debate.ReadingMeans),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Order, "the order of right and wrong solutions"),
		debate.Says(&s.Opening, "how the question is put to the pool: one of the prompts' openings"),
		debate.Says(&s.Wording, "wording of the message with the solutions: one of the prompts' wordings"),
		debate.Says(&s.Initial, "what the agent's initial answer is"),
		debate.Number(&s.MostSolutions, 1, 1000, "number of solutions heard at the last step of the sweep"),
		debate.Number(&s.Samples, 1, 1000, "number of solutions to sample, if no earlier debate gives them"),
		debate.Number(&s.Holder, 0, 999, "which of the agents heard has the right solution, counted from 0"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Reversal{
		Asking: ask.Worded(set.Origin, set.File, set.Stop),
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
		Typed: described,
		Idle:  debate.IdleBy(idle), Parts: parts(), Compose: compose, Prior: debate.PriorOptional,
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
	own := debate.Typed[Settings](s)
	place, placed = PlaceOf(own.Order)
	return place, own.Holder, placed && s.Form == formName
}

// Unplaced returns the settings of a reversal without a place of the right solution and without its holder.
func Unplaced(s debate.Settings) debate.Settings {
	return debate.Changed(s, func(own *Settings) { own.Order, own.Holder = "", 0 })
}

var idle = []debate.IdleRule[Settings]{
	{Settings: []string{"most"},
		When: func(s Settings) bool { _, placed := PlaceOf(s.Order); return placed && s.Agents > 0 },
		Why:  "in an order that places one right solution, where agents says how many are heard"},
}
