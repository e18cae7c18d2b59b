package report

import (
	"parley/bench/analysis"
	"parley/bench/rundir"

	"parley/bench/trial"
)

// roundsOf counts by condition and round.
func roundsOf(run rundir.Run) map[string][]analysis.Round {
	byCondition := make(map[string][]trial.Outcome)
	for _, o := range run.Outcomes {
		o.Truth = run.Truth(o)
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	rounds := make(map[string][]analysis.Round)
	for name, outcomes := range byCondition {
		rounds[name] = analysis.RoundsOf(outcomes)
	}
	return rounds
}
