package bench

import (
	"fmt"
	"slices"
	"strings"

	"parley/debate"
)

// Condition is one way to answer a question. All of them are societies: a single answer is a society of one, a vote is a
// society that never speaks.
type Condition struct {
	Name     string
	Meaning  string // for the table's legend
	Society  debate.Society
	Oracle   bool // right if any agent of the last round is: a bound, no method
	OnDemand bool // only if it is named
}

// Reference is the condition that the others are compared with, question by question.
const Reference = "mad"

// Conditions are the standard ones around a debate, in the order of the table. base has the number of agents and rounds
// of the debate, its prompts, sampling and seeds. They share round 0: agent i of one condition and agent i of another
// send the same request with the same seed, and it is generated once.
func Conditions(base debate.Society) ([]Condition, error) {
	calls := base.Agents * base.Rounds
	alone := func(agents int) debate.Society {
		s := base
		s.Agents, s.Rounds = agents, 1
		return s
	}
	conditions := []Condition{
		{Name: "single", Meaning: "one chain of thought", Society: alone(1)},
		{Name: "vote", Meaning: fmt.Sprintf("majority of round 0, %d answers", base.Agents), Society: alone(base.Agents)},
		{Name: "self-consistency", Meaning: fmt.Sprintf("majority of %d answers, as many as the debates cost calls", calls), Society: alone(calls)},
	}
	for _, c := range []struct{ name, order, meaning string }{
		{Reference, "fixed", "debate, the others in their order"},
		{"mad-random", "random", "debate, the others in random order"},
		{"truth-first", "truth-first", "debate, right answers first (oracle order)"},
		{"truth-last", "truth-last", "debate, right answers last (oracle order)"},
		{"madc", "most-frequent-last", "debate, the most frequent answer last"},
	} {
		order, err := debate.ParseOrder(c.order, base.Order.Reading)
		if err != nil {
			return nil, err
		}
		society := base
		society.Order = order
		conditions = append(conditions, Condition{Name: c.name, Meaning: c.meaning, Society: society})
	}
	shared := base
	shared.Order, shared.Layout = debate.Order{Name: "fixed", Reading: base.Order.Reading}, debate.LayoutShared
	return append(conditions,
		Condition{Name: "mad-shared", Meaning: "debate, all solutions once and first for all agents (shared layout)", Society: shared, OnDemand: true},
		Condition{Name: "oracle", Meaning: "any answer of round 0 is right: a bound, no method", Society: alone(base.Agents), Oracle: true},
	), nil
}

// Select keeps the named conditions, in the order of the table; no names keep all but those on demand. The reference is
// always kept.
func Select(conditions []Condition, names []string) ([]Condition, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(conditions), func(c Condition) bool { return c.OnDemand }), nil
	}
	wanted := map[string]bool{Reference: true}
	for _, name := range names {
		wanted[name] = true
	}
	var kept []Condition
	var known []string
	for _, c := range conditions {
		known = append(known, c.Name)
		if wanted[c.Name] {
			kept = append(kept, c)
			delete(wanted, c.Name)
		}
	}
	for _, name := range names {
		if wanted[name] {
			return nil, fmt.Errorf("no condition %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return kept, nil
}
