package analysis

import (
	"parley/bench/stat"
	"parley/bench/task"
	"parley/bench/trial"
)

// Partial is how right the decisions of a condition are where the task's measure has degrees: F1 of spans, the
// share of players in puzzles, chrF of translations.
type Partial struct {
	Degree   string         `json:"degree"` // its name, see task.Degree
	Mean     float64        `json:"mean"`   // over questions, each the mean of its repeats
	Interval *stat.Interval `json:"interval,omitempty"`
}

// partialIn sums up the degrees of a condition's outcomes; nil if none is recorded, as in runs before there were any.
// One question says nothing of others and has no interval.
func partialIn(degree string, outcomes []trial.Outcome) *Partial {
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
		means[i] = stat.Mean(degrees[q])
	}
	p := &Partial{Degree: degree, Mean: stat.Mean(means)}
	if len(means) > 1 {
		interval := stat.Bounded(means, 0, 1, Level)
		p.Interval = &interval
	}
	return p
}

// degree is the name of what outcomes are right by in part.
func (c Comparison) degree() string { return task.Degree(c.Measure) }
