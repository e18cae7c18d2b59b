package protocol

import (
	"cmp"
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Hold holds one debate on a question by a protocol, which is named or in a .yaml file, as `parley debate` does without
// further flags. Answers are read by the protocol's answer rule, or else as the letter of a choice, "(A)". Agents are
// sampled at temperature 1 with seed 1.
//
// For another rule, sampling or seed, or a case with more than a question, load the protocol and call its Hold. For
// several debates at once, compose the protocol, join the engine once for each debate, and only then call Run: see
// inference.Engine.Join.
func Hold(ctx context.Context, engine inference.Engine, name, question string) (debate.Transcript, error) {
	p, err := LoadProtocol(name)
	if err != nil {
		return debate.Transcript{}, err
	}
	ask := debate.Asking{Sampling: inference.Sampling{Temperature: 1}, Seeds: debate.Seeds{Run: 1}}
	return p.Hold(ctx, engine, ask, debate.Case{ID: "question", Question: question})
}

// Hold holds one debate on a case. A case without an answer rule gets that of the protocol. Prompts and a length of
// replies that are not given are chosen for the engine's model. If an error ends the debate, the transcript has what
// was said until then.
//
// The debate joins the engine as participant 0, so that an engine can hold only one debate by Hold at a time.
func (p Protocol) Hold(ctx context.Context, engine inference.Engine, ask debate.Asking,
	c debate.Case) (debate.Transcript, error) {
	rule := cmp.Or(p.Answer, "choice")
	if c.Extract == nil {
		var err error
		if c.Extract, err = answer.Named(rule); err != nil {
			return debate.Transcript{}, err
		}
	}
	if len(c.Ending.Options)+len(c.Ending.Grammar) == 0 {
		c.Ending = debate.EndingOf(answer.KindOf(rule), nil)
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

// For returns the protocol with prompts for a model and an answer rule, if it names none.
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

// PromptSet returns the prompts of a society that names none, for a model and an answer rule.
func PromptSet(model inference.ModelInfo, rule string) string {
	switch {
	case model.Embedded:
		return "tiny"
	case rule == "math":
		return "madc-math"
	}
	return "madc"
}

// MaxTokens returns the default length of a model's replies; 0 means inference.DefaultMaxTokens. The embedded model
// never stops if it does not know an answer.
func MaxTokens(model inference.ModelInfo) int {
	if model.Embedded {
		return 256
	}
	return 0
}
