package trial

import (
	"fmt"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/sampling"
	"github.com/parley-debate/parley/debate/society"
)

// Controls are conditions around a protocol that tell the gain of its debates from the gain of more answers, or of
// answers without arguments: single, vote, self-consistency at equal calls and at equal tokens, shuffled (unless
// NotShuffled gives a reason), and oracle. Controls of a society have its settings. The first answers of other forms
// are not plain answers to the question; their controls are societies of as many agents with the given prompts, or, for
// a lesson, with its own. The controls at equal cost build on the protocol, which has to be in the run under its name.
func Controls(reference protocol.Protocol, ask debate.Asking, prompts string) ([]Condition, error) {
	if reference.FormOf().Prior != debate.PriorNone {
		return nil, fmt.Errorf("protocol %s: form %s builds on another debate, or is a control itself: it has no "+
			"controls", reference.Name, reference.Form)
	}
	var conditions []Condition
	for _, c := range controlsOf(reference, prompts) {
		if c.name == reference.Name {
			continue // the reference is this control
		}
		p := protocol.Protocol{Name: c.name, Source: "control of " + reference.Name, Meaning: c.meaning,
			Answer: reference.Answer, Settings: c.settings}
		held, err := Held(p, prompts, ask)
		if err != nil {
			return nil, err
		}
		if held.DependsOn = c.after; c.oracle {
			held.Oracle, held.Protocol = true, nil // a protocol would be scored by its decision
		}
		conditions = append(conditions, held)
	}
	return conditions, nil
}

// control is one of Controls.
type control struct {
	name, meaning string
	settings      debate.Settings
	after         string
	oracle        bool
}

func controlsOf(p protocol.Protocol, prompts string) []control {
	votes := society.FirstRound(p.FormOf().FirstAnswers(p.Settings, prompts))
	plain := votes
	plain.Agents, plain.Team, plain.Speak = 1, nil, ""
	list := []control{
		{name: "single", meaning: "one chain of thought", settings: plain},
		{name: "vote", meaning: fmt.Sprintf("majority of the first answers, %d of them", votes.Agents),
			settings: votes},
		{name: "self-consistency", meaning: fmt.Sprintf("majority of as many answers as %s has calls", p.Name),
			settings: sampling.Spending(sampling.BudgetCalls, plain), after: p.Name},
		{name: "self-consistency-tokens",
			meaning:  fmt.Sprintf("majority of as many answers as fit into the tokens of %s", p.Name),
			settings: sampling.Spending(sampling.BudgetTokens, plain), after: p.Name},
	}
	if settings, whyNot := shuffled(p); whyNot == "" {
		list = append(list, control{name: "shuffled", meaning: p.Name +
			", the others' answers behind reasoning about another question", settings: settings})
	}
	return append(list, control{name: "oracle", meaning: "any answer of vote is right: a bound for vote, no method",
		settings: votes, oracle: true})
}

// NotShuffled gives the reason why a protocol has no control with shuffled arguments; "" if it has one.
func NotShuffled(p protocol.Protocol) string {
	_, whyNot := shuffled(p)
	return whyNot
}

// shuffled returns the settings of the control with shuffled arguments, or why a protocol has none.
func shuffled(p protocol.Protocol) (settings debate.Settings, whyNot string) {
	of := p.FormOf().Shuffled
	if of == nil {
		return settings, fmt.Sprintf(
			"form %s does not list the others' texts, whose reasoning could be that of another question", p.Form)
	}
	if settings, whyNot = of(p.Settings); whyNot != "" {
		return settings, whyNot
	}
	if _, err := protocol.Compose(settings, debate.Asking{}); err != nil {
		return settings, err.Error()
	}
	return settings, ""
}
