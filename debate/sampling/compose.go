package sampling

import (
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type settings struct {
	Prompts    string  `yaml:"prompts"`
	Abstain    float64 `yaml:"abstain"`
	Opening    string  `yaml:"opening"`
	Confidence string  `yaml:"confidence"`
	Budget     string  `yaml:"budget"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *settings) []debate.Field {
	return []debate.Field{
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Number(&s.Abstain, 0, 1, "the least share of the votes with which an answer is given"),
		debate.Says(&s.Opening, "how the question is put: one of the prompts' openings"),
		debate.Says(&s.Confidence, "where the agents' confidence comes from"),
		debate.Says(&s.Budget, "what is to cost as much as in the earlier debate"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Sampling{Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Budget: s.Budget, Opening: s.Opening, Confidence: s.Confidence, Prompts: set}
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    formName,
		Meaning: "as many independent answers as an earlier debate had calls or tokens; the majority decides",
		Typed:   described,
		Parts:   parts(), Compose: compose, Prior: debate.PriorRequired,
		Asks: debate.Wording{Prompts: "madc", OfRun: true, Plain: true, InForm: prompts.Asking},
	}
}

// formName is the name of the form in files and records.
const formName = "sampling"

// Spending returns the settings of a sampling that asks as independent agents with other settings are asked, and
// spends as much as an earlier debate by the measure of a budget.
func Spending(budget string, all debate.Settings) debate.Settings {
	s := debate.Typed[settings](all)
	return debate.Flat(formName, settings{Budget: budget, Prompts: s.Prompts, Opening: s.Opening,
		Confidence: s.Confidence})
}
