package sampling

import (
	"parley/debate"
	"parley/debate/prompts"
)

func compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Sampling{Asking: ask, Budget: s.Budget, Opening: s.Opening, Confidence: s.Confidence, Prompts: set}
	return debate.Composed(d, s, d.check)
}

// samplingForm is the form of this package.
func Form() debate.Form {
	return debate.Form{Name: "sampling", Meaning: "as many independent answers as another debate has cost calls or " +
		"tokens; " +
		"majority",
		Reads: []string{"prompts", "abstain", "opening", "confidence", "budget"}, Prompts: "madc", Compose: compose}
}
