package report

import (
	"parley/bench/analysis"
	"parley/bench/rundir"
)

// roundsOf are the rounds of each condition.
func roundsOf(run rundir.Run) map[string][]analysis.Round {
	rounds, table := make(map[string][]analysis.Round), run.Table()
	for _, condition := range table.Conditions() {
		rounds[condition] = table.Under(condition).Rounds()
	}
	return rounds
}
