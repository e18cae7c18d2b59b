package bench

import (
	"parley/bench/stat"
	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
)

// Partial is how right the decisions of a condition are where the task's measure has degrees: F1 of spans, the
// share of players in puzzles, chrF of translations.
type Partial struct {
	Degree   string         `json:"degree"` // its name, see task.Degree
	Mean     float64        `json:"mean"`   // over questions, each the mean of its repeats
	Interval *stat.Interval `json:"interval,omitempty"`
}

// partialOf is how right a debate is in part, nil where the measure has no degrees.
func (c Condition) partialOf(t debate.Transcript, partial func(answer.Answer) *float64) *float64 {
	found := partial(t.Decision.Answer)
	if !c.Oracle || found == nil {
		return found
	}
	*found = 0
	for _, turn := range t.Last() {
		*found = max(*found, *partial(turn.Answer))
	}
	return found
}

// partialIn sums up the degrees of a condition's outcomes; nil if none is recorded, as in runs before there were any.
// One question says nothing of others and has no interval.
func partialIn(degree string, outcomes []Outcome) *Partial {
	var questions []string
	degrees := make(map[string][]float64)
	for _, o := range outcomes {
		if o.Partial == nil {
			continue
		}
		if degrees[o.Question] == nil {
			questions = append(questions, o.Question)
		}
		degrees[o.Question] = append(degrees[o.Question], *o.Partial)
	}
	if degree == "" || len(questions) == 0 {
		return nil
	}
	means := make([]float64, len(questions))
	for i, q := range questions {
		means[i] = mean(degrees[q])
	}
	p := &Partial{Degree: degree, Mean: mean(means)}
	if len(means) > 1 {
		interval := stat.Bounded(means, 0, 1, level)
		p.Interval = &interval
	}
	return p
}

// degree is the name of what outcomes are right by in part.
func (c Comparison) degree() string { return task.Degree(c.Measure) }
