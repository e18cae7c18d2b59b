package protocol

import (
	"cmp"
	"context"

	"parley/debate"
	"parley/debate/answer"
	"parley/inference"
)

// Hold holds one debate on a question, by a protocol of Protocols or of a .yaml file, as `parley debate` does without
// further flags. Replies are read by the rule that the protocol names, or as the letter of a choice, "(A)"; agents draw
// at temperature 1, with seed 1.
//
// For another rule, sampling or seed, or a question with more to it, load the protocol and call its Hold. For several
// debates at once, Compose the protocol, join the engine once for each, and only then call Run: see
// inference.Engine.Join.
func Hold(ctx context.Context, engine inference.Engine, name, question string) (debate.Transcript, error) {
	p, err := LoadProtocol(name)
	if err != nil {
		return debate.Transcript{}, err
	}
	ask := debate.Asking{Sampling: inference.Sampling{Temperature: 1}, Seeds: debate.Seeds{Run: 1}}
	return p.Hold(ctx, engine, ask, debate.Case{ID: "question", Question: question})
}

// Hold holds one debate on a case. Where the case has no rule for its answers, it is the protocol's; prompts and length
// of replies that are not given are those for the engine's model. An error that ends the debate comes with what was
// said until then.
//
// The debate joins the engine as participant 0. So an engine holds one debate by Hold at a time.
func (p Protocol) Hold(ctx context.Context, engine inference.Engine, ask debate.Asking,
	c debate.Case) (debate.Transcript, error) {
	rule := cmp.Or(p.Answer, "choice")
	if c.Extract == nil {
		var err error
		if c.Extract, err = answer.Named(rule); err != nil {
			return debate.Transcript{}, err
		}
	}
	model := engine.Model()
	ask.MaxTokens = cmp.Or(ask.MaxTokens, MaxTokens(model))
	d, err := p.For(model, rule).Compose(ask)
	if err != nil {
		return debate.Transcript{}, err
	}
	speaker := engine.Join(0)
	defer speaker.Leave()
	return d.Run(ctx, speaker, c)
}

// For is the protocol with the prompts for a model and an answer rule, where it names none.
func (p Protocol) For(model inference.ModelInfo, rule string) Protocol {
	switch {
	case p.Prompts != "":
	case p.Form == "society":
		p.Prompts = PromptSet(model, rule)
	case (p.Form == "knights" || p.Form == "centre") && model.Embedded:
		p.Prompts = "tiny"
	}
	return p
}

// PromptSet is the wording of a society that names none, for a model and an answer rule.
func PromptSet(model inference.ModelInfo, rule string) string {
	switch {
	case model.Embedded:
		return "tiny"
	case rule == "math":
		return "madc-math"
	}
	return "madc"
}

// MaxTokens bounds the replies of a model where nobody else does; 0 is inference.DefaultMaxTokens. The embedded model
// goes on for ever where it does not know an answer.
func MaxTokens(model inference.ModelInfo) int {
	if model.Embedded {
		return 256
	}
	return 0
}
