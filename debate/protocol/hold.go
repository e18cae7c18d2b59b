package protocol

import (
	"cmp"
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// Hold holds one debate on a question by a protocol, which is named or in a .yaml file, as `parley debate` does without
// further flags. Answers are read by the protocol's answer rule, or else as the question asks for them
// (RuleFor). Agents are sampled at temperature 1 with seed 1, and their reasoning has the usual bound.
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
	ask.Sampling, _ = engine.Model().BoundReasoning(ask.Sampling, "", MaxTokens(engine.Model()))
	ask.UsualBound = true
	return p.Hold(ctx, engine, ask, debate.Case{ID: "question", Question: question})
}

// Hold holds one debate on a case. A case without an answer rule gets that of the protocol. Prompts and a length of
// replies that are not given are chosen for the engine's model. If an error ends the debate, the transcript has what
// was said until then.
//
// The debate joins the engine as participant 0, so that an engine can hold only one debate by Hold at a time.
func (p Protocol) Hold(ctx context.Context, engine inference.Engine, ask debate.Asking,
	c debate.Case) (debate.Transcript, error) {
	rule, about := p.RuleFor(c.Question)
	if c.Extract == nil {
		var err error
		if c.Extract, err = reader.RuleFor(rule, about); err != nil {
			return debate.Transcript{}, err
		}
		c.Relist = reader.RelistBy(rule, about)
	}
	if len(c.Ending.Options)+len(c.Ending.Grammar) == 0 {
		c.Ending = debate.EndingTo(rule, about)
	}
	model := engine.Model()
	ask.MaxTokens = cmp.Or(ask.MaxTokens, MaxTokens(model))
	d, err := p.For(model, rule).Compose(ask)
	if err != nil {
		return debate.Transcript{}, err
	}
	speaker := engine.Join(0)
	defer speaker.Leave()
	return debate.Hold(ctx, d, speaker, c)
}

// FormOf returns the form of the protocol. It is the zero value if no form has that name.
func (p Protocol) FormOf() debate.Form {
	form, _ := findForm(p.Form)
	return form
}

// For returns the protocol with prompts for a model and an answer rule, if it names none. Prompts that have a form for
// the rule's kind of answers ask in that form.
func (p Protocol) For(model inference.ModelInfo, rule string) Protocol {
	if choose := p.FormOf().Asks.For; p.Prompts() == "" && choose != nil {
		p.Settings = p.With("prompts", choose(model.Embedded, rule))
	}
	return p.Stating(rule)
}

// WithPrompts returns the protocol with the prompts of a run, if it names none and its form takes them.
func (p Protocol) WithPrompts(prompts string) Protocol {
	if p.FormOf().Asks.OfRun {
		p.Settings = p.With("prompts", cmp.Or(p.Prompts(), prompts))
	}
	return p
}

// Stating returns the protocol with its prompts in the form of an answer rule's kind, if they have forms.
func (p Protocol) Stating(rule string) Protocol {
	asking := p.FormOf().Asks.InForm
	if asking == nil {
		return p
	}
	name := p.PromptsName()
	if stating := asking(name, answer.KindOf(rule)); stating != name {
		p.Settings = p.With("prompts", stating)
	}
	return p
}

// PromptsName returns the name of the prompts. If the protocol names none, the form chooses.
func (p Protocol) PromptsName() string { return cmp.Or(p.Prompts(), p.FormOf().Asks.Prompts) }

// Agree refuses an answer rule that does not read what the protocol's own prompts ask for. Prompts that are still to be
// chosen will fit any rule.
func (p Protocol) Agree(rule string) error {
	if asks := p.FormOf().Asks; !asks.Plain || p.Prompts() == "" && !asks.Own {
		return nil
	}
	return prompts.Agree(p.Stating(rule).PromptsName(), rule)
}

// RuleFor returns the answer rule for a question that comes without one, and what readers know of the question. The
// rule is that of the form or the protocol, or the reader of the kind of answer that the question asks for, or else the
// first that reads what the protocol's own prompts ask for.
func (p Protocol) RuleFor(question string) (rule string, about answer.Question) {
	kind, options := reader.KindOfQuestion(question)
	about = answer.Question{Text: question, Options: options}
	own := p.FormOf().Answers.Rule
	switch rule = kind.Reader(); {
	case own != "":
		return own, about
	case p.Answer != "":
		return answer.Resolve(p.Answer, kind), about
	case p.Agree(rule) == nil:
		return rule, about
	}
	set, _ := prompts.Load(p.PromptsName())
	return answer.Resolve(set.Rules[0], kind), about
}

// PromptSet returns the prompts of a society that names none, for a model and an answer rule.
func PromptSet(model inference.ModelInfo, rule string) string {
	return society.Form().Asks.For(model.Embedded, rule)
}

// MaxTokens returns the default length of a model's replies; 0 means inference.DefaultMaxTokens. The embedded model
// never stops if it does not know an answer.
func MaxTokens(model inference.ModelInfo) int {
	if model.Embedded {
		return 256
	}
	return 0
}
