package debate

import "slices"

// Disagreement returns, for each round, the share of pairs of debaters whose answers differ. It is source 3's measure
// against the degeneration of thought: a debate in which it is 0 from the first round on was none. Of several answers
// of one debater in a round the last readable one counts. A round without pairs has -1.
func (t Transcript) Disagreement() (shares []float64) {
	for _, round := range t.Rounds {
		last := make(map[int]string)  // the latest answer of each agent
		alike := make(map[string]int) // how many agents give each answer
		for _, turn := range round {
			if t.Argues(turn) && turn.Answer.Parsed {
				last[turn.Agent] = turn.Answer.Text
			}
		}
		for _, text := range last {
			alike[text]++
		}
		shares = append(shares, differing(len(last), alike))
	}
	return shares
}

// differing returns the share of pairs of agents whose answers differ, or -1 if there is no pair. It counts the pairs
// that agree, since there may be too many to look at each.
func differing(agents int, alike map[string]int) float64 {
	pairs := func(n int) int { return n * (n - 1) / 2 }
	equal := 0
	for _, n := range alike {
		equal += pairs(n)
	}
	if pairs(agents) == 0 {
		return -1
	}
	return float64(pairs(agents)-equal) / float64(pairs(agents))
}

// Changed reports whether an agent's answer in a round differs from its answer in the round before.
func (t Transcript) Changed(agent, round int) bool {
	return round > 0 && !t.Rounds[round][agent].Answer.Same(t.Rounds[round-1][agent].Answer)
}

// Swayed reports whether the agent answers otherwise when the same texts are listed in another order.
func (t Turn) Swayed() bool {
	return slices.ContainsFunc(t.Probes, func(p Turn) bool { return !p.Silent() && !p.Answer.Same(t.Answer) })
}
