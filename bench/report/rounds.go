package report

import (
	"parley/bench"

	"parley/bench/trial"
)

// roundsOf counts by condition and round.
func roundsOf(run bench.Run) map[string][]bench.Round {
	byCondition := make(map[string][]trial.Outcome)
	for _, o := range run.Outcomes {
		o.Truth = run.Truth(o)
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	rounds := make(map[string][]bench.Round)
	for name, outcomes := range byCondition {
		rounds[name] = bench.RoundsOf(outcomes)
	}
	return rounds
}
