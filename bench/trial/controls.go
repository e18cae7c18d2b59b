package trial

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/sampling"
	"github.com/parley-debate/parley/debate/society"
)

// controlled is a debate that controls are made for: the standard debate of Conditions, or a protocol. What the
// controls are stands in controls alone.
type controlled struct {
	name   string // the name of the condition with the debates
	agents int    // how many agents answer in its first round
	// calls is what every debate costs, where that is known beforehand; 0 has each control spend what the debate on the
	// same question took.
	calls int
	// meanings of vote, with the number of answers, of self-consistency, and of shuffled
	vote, spending, shuffling string

	// answers holds so many independent agents, asked as in the debate's first round: those of its team, or plain ones.
	answers func(name, meaning string, agents int, team bool) (Condition, error)
	// sampled holds as many plain answers as the debate cost by a budget.
	sampled func(name, meaning, budget string) (Condition, error)
	// shuffled holds the debate with others' answers behind reasoning about another question; it is nil if there is no
	// such.
	shuffled func(name, meaning string) (Condition, error)
}

// The names of the controls.
const (
	single                = "single"
	vote                  = "vote"
	selfConsistency       = "self-consistency"
	selfConsistencyTokens = "self-consistency-tokens"
	shuffledControl       = "shuffled"
	oracle                = "oracle"
)

// ControlOf begins the source of a control, which its reference follows.
const ControlOf = "control of "

// ControlNames are the names of the conditions that Controls can add.
func ControlNames() []string {
	return []string{single, vote, selfConsistency, selfConsistencyTokens, oracle, shuffledControl}
}

// Rivals are the controls that a debate has to be better than, the most telling first: those that cost as much, a vote
// of its own first answers, a single answer.
func Rivals() []string { return []string{selfConsistency, selfConsistencyTokens, vote, single} }

// controls returns the conditions that tell the gain of debates from the gain of more answers. Both compare and run get
// theirs here, so that a control means the same in both. The order is that of the table.
func (d controlled) controls() (conditions []Condition, err error) {
	add := func(c Condition, failed error) { // keeps the first error, and goes on
		if conditions = append(conditions, c); err == nil {
			err = failed
		}
	}
	add(d.answers(single, "one chain of thought", 1, false))
	add(d.answers(vote, fmt.Sprintf(d.vote, d.agents), d.agents, true))
	if d.calls > 0 {
		add(d.answers(selfConsistency, d.spending, d.calls, false))
	} else {
		add(d.sampled(selfConsistency, d.spending, sampling.BudgetCalls))
	}
	add(d.sampled(selfConsistencyTokens, "majority of as many answers as fit into the tokens of "+d.name,
		sampling.BudgetTokens))
	if d.shuffled != nil {
		add(d.shuffled(shuffledControl, d.shuffling+", the others' answers behind reasoning about another question"))
	}
	add(d.answers(oracle, "any answer of vote is right: a bound for vote, no method", d.agents, true))
	for i := range conditions {
		c := &conditions[i]
		if c.Oracle = c.Name == oracle; c.Oracle {
			c.Protocol = nil // with a protocol, it would be scored by its decision
		}
		if d.calls == 0 && c.Name == selfConsistency || c.Name == selfConsistencyTokens {
			c.DependsOn = d.name
		}
	}
	return conditions, err
}

// Controls are conditions around a protocol that tell the gain of its debates from the gain of more answers: single,
// vote, self-consistency at equal calls and at equal tokens, shuffled (unless NotShuffled gives a reason), and oracle.
// They are societies and samplings that ask as the protocol's form asks in its first round (debate.Form.FirstRound).
// Those at equal cost build on the protocol, which has to be in the run under its name.
func Controls(reference protocol.Protocol, ask debate.Asking, prompts string) ([]Condition, error) {
	if reference.FormOf().Prior != debate.PriorNone {
		return nil, fmt.Errorf("protocol %s: form %s builds on another debate, or is a control itself: it has no "+
			"controls", reference.Name, reference.Form)
	}
	tool := debate.Typed[debate.Common](reference.Settings).Tool
	held := func(name, meaning string, s debate.Settings) (Condition, error) {
		if name == reference.Name {
			return Condition{Name: name}, nil // the reference is this control
		}
		return Held(protocol.Protocol{Name: name, Source: ControlOf + reference.Name, Meaning: meaning,
			Answer: reference.Answer, Settings: s.With("tool", tool)}, prompts, ask)
	}
	votes := society.FirstRound(reference.FormOf().FirstAnswers(reference.Settings, prompts))
	plain := debate.Changed(votes, func(s *society.Settings) {
		s.Agents, s.Team, s.Speak, s.Options = 1, nil, "", ""
	})
	around := controlled{name: reference.Name, agents: votes.Agents(),
		vote:      "majority of the first answers, %d of them",
		spending:  fmt.Sprintf("majority of as many answers as %s has calls", reference.Name),
		shuffling: reference.Name,
		answers: func(name, meaning string, agents int, team bool) (Condition, error) {
			if team {
				return held(name, meaning, votes)
			}
			return held(name, meaning, plain)
		},
		sampled: func(name, meaning, budget string) (Condition, error) {
			return held(name, meaning, sampling.Spending(budget, plain))
		}}
	if settings, whyNot := shuffledSettings(reference); whyNot == "" {
		around.shuffled = func(name, meaning string) (Condition, error) { return held(name, meaning, settings) }
	}
	conditions, err := around.controls()
	return slices.DeleteFunc(conditions, func(c Condition) bool { return c.Name == reference.Name }), err
}

// controlsOf returns the controls of the standard debate. All that its debates cost is known beforehand, so that none
// of its controls at equal calls has to wait for a debate.
func controlsOf(base society.Society, held func(name, meaning string, s society.Society) Condition) ([]Condition,
	error) {
	calls := base.Agents * base.Rounds
	plain := base.Asking
	plain.Team = nil
	return controlled{name: Reference, agents: base.Agents, calls: calls, vote: "majority of round 0, %d answers",
		spending:  fmt.Sprintf("majority of %d answers, as many as the debates cost calls", calls),
		shuffling: "debate",
		answers: func(name, meaning string, agents int, team bool) (Condition, error) {
			s := base
			if s.Agents, s.Rounds = agents, 1; !team {
				s.Team = nil
			}
			return held(name, meaning, s), nil
		},
		sampled: func(name, meaning, budget string) (Condition, error) {
			return Condition{Name: name, Meaning: meaning, Rounds: 1, Debate: sampling.Sampling{Asking: plain,
				Budget: budget, Opening: base.Opening, Confidence: base.Confidence, Prompts: base.Prompts}}, nil
		},
		shuffled: func(name, meaning string) (Condition, error) {
			s := base
			s.Order, s.Visibility = fixedOrder(base), society.Visibility{Name: society.ShowShuffled}
			return held(name, meaning, s), nil
		},
	}.controls()
}

// fixedOrder lists the others in their order, in the reading of the debates: a control that read replies differently
// would differ from the debate in two things.
func fixedOrder(base society.Society) society.Order {
	return society.Order{Name: "fixed", Reading: base.Order.Reading}
}

// NotShuffled gives the reason why a protocol has no control with shuffled arguments; the result is "" if it has one.
func NotShuffled(p protocol.Protocol) string {
	_, whyNot := shuffledSettings(p)
	return whyNot
}

// shuffledSettings returns the settings of the control with shuffled arguments, or why a protocol has none.
func shuffledSettings(p protocol.Protocol) (settings debate.Settings, whyNot string) {
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
