package sampling

import (
	"parley/debate"
	"parley/debate/prompts"
)

// Settings are what can be set of sampling, by the names of debate.Settings. The list of what the form reads follows
// from them.
type Settings struct {
	Prompts    string  `doc:"a set of wording, or a .yaml file"`
	Abstain    float64 `doc:"no answer that has less than this share of the votes"`
	Opening    string  `doc:"as a society's"`
	Confidence string  `doc:"as a society's"`
	Budget     string  `doc:"what it may spend as much of as the debate before"`
}

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Sampling{Asking: ask, Budget: s.Budget, Opening: s.Opening, Confidence: s.Confidence, Prompts: set}
	return debate.Composed(d, all, d.check)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    "sampling",
		Meaning: "as many independent answers as another debate has cost calls or tokens; majority",
		Reads:   debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Prompts: "madc", Parts: parts(), Compose: compose,
	}
}
