package bench

import (
	"fmt"
	"slices"

	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/society"
	"parley/debate/titfortat"
)

// truthBy reads a recorded target as an answer rule writes answers, so that the two can be compared.
func truthBy(rule, target string) (answer.Answer, error) {
	extract, err := answer.Named(rule)
	if err != nil {
		return answer.Unparsed, err
	}
	truth := extract(target)
	if rule == "math" { // whose targets are not in boxes
		truth = answer.Of(answer.NormalizeMath(target))
	}
	if !truth.Parsed || truth.Text == "" {
		return answer.Unparsed, fmt.Errorf("answer rule %s reads nothing from the target %q: replies cannot be "+
			"scored by it", rule, target)
	}
	return truth, nil
}

// scoreOf scores a debate under a condition.
func (c Condition) scoreOf(t debate.Transcript, score func(answer.Answer) task.Score) task.Score {
	if c.Oracle {
		return best(t, score)
	}
	return score(t.Decision.Answer)
}

// best is right if any answer of the last round is.
func best(t debate.Transcript, score func(answer.Answer) task.Score) task.Score {
	found := task.Unparsed
	for _, turn := range t.Last() {
		switch s := score(turn.Answer); {
		case s == task.Right:
			return s
		case s == task.Wrong:
			found = s
		}
	}
	return found
}

// conditionsOf are the conditions that a header names. What is not one of the standard ones has its name alone.
func (h Header) conditionsOf() ([]Condition, error) {
	base := society.Society{Agents: h.Agents, Rounds: h.Rounds}
	if h.Reading != titfortat.ReadingRecorded { // orders have no such reading
		base.Order.Reading = h.Reading
	}
	known, err := Conditions(base)
	if err != nil {
		return nil, err
	}
	conditions := make([]Condition, len(h.Conditions))
	for i, name := range h.Conditions {
		conditions[i] = Condition{Name: name}
		for _, c := range known {
			if c.Name == name {
				conditions[i] = c
			}
		}
		for _, p := range h.Protocols {
			if p.Name == name {
				conditions[i] = Condition{Name: name, Meaning: p.Meaning, Agents: p.Agents, Rounds: p.Rounds,
					Protocol: &p}
			}
		}
		conditions[i].Oracle = conditions[i].Oracle || slices.Contains(h.Bounds, name)
	}
	if h.Stop != nil {
		if err := h.Stop.validate(conditions); err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	return conditions, nil
}
