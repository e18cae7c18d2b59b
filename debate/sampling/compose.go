package sampling

import (
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings that the form reads, with the names and types of debate.Settings. The doc tags are shown to
// users; the list of what the form reads follows from the fields: see debate.Described.
type Settings struct {
	Prompts    string  `doc:"a set of prompts, or a .yaml file"`
	Abstain    float64 `doc:"the least share of the votes with which an answer is given"`
	Opening    string  `doc:"how the question is put: one of the prompts' openings"`
	Confidence string  `doc:"where the agents' confidence comes from"`
	Budget     string  `doc:"what is to cost as much as in the earlier debate"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Sampling{Asking: ask.Stopping(set.Stop),
		Budget: s.Budget, Opening: s.Opening, Confidence: s.Confidence, Prompts: set}
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    FormName,
		Meaning: "as many independent answers as an earlier debate had calls or tokens; the majority decides",
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Parts: parts(), Compose: compose, Prior: debate.PriorRequired,
		Asks: debate.Wording{Prompts: "madc", OfRun: true, Plain: true, InForm: prompts.Asking},
	}
}

// FormName is the name of the form in files and records.
const FormName = "sampling"

// Spending returns the settings of a sampling that asks as independent agents with settings s are asked, and spends as
// much as an earlier debate by the measure of a budget.
func Spending(budget string, s debate.Settings) debate.Settings {
	return debate.Settings{Form: FormName, Budget: budget, Prompts: s.Prompts, Opening: s.Opening,
		Confidence: s.Confidence}
}
