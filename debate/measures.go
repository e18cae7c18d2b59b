package debate

import (
	"maps"
	"slices"
)

// Disagreement is the share of pairs of debaters with different answers in each round of a debate, source 3's measure
// against the degeneration of thought: what falls to 0 in the first round was no debate. A debater with several calls
// in a round stands by the last answer that can be read; a round without pairs has -1. Of a tit for tat, the debaters
// are those before the moderator.
func (t Transcript) Disagreement() (shares []float64) {
	for _, round := range t.Rounds {
		last, alike := make(map[int]string), make(map[string]int) // by agent; agents by answer
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

// differing is the share of pairs of so many agents whose answers differ, -1 without a pair. Agents who answer alike
// are counted, since of many agents there are too many pairs to look at each.
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

// debater reports whether a turn is one of somebody who argues.
func (t Transcript) Argues(turn Turn) bool {
	role := t.Role(turn.Agent)
	return role != "moderator" && role != "judge" && role != "supervisor"
}

// Voters are the agents whose answers a decision may count, sorted: those who argue. Who presides has no vote, and
// neither has the neutral agent of a discussion, which only drafts.
func (t Transcript) Voters() []int {
	voters := make(map[int]bool)
	for _, round := range t.Rounds {
		for _, turn := range round {
			drafts := t.Settings != nil && t.Settings.Neutral && turn.Agent == 0
			if t.Argues(turn) && !drafts {
				voters[turn.Agent] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(voters))
}

// Agents is how many take part.
func (t Transcript) Agents() int {
	agents := len(t.Roles)
	for _, round := range t.Rounds {
		for _, turn := range round {
			agents = max(agents, turn.Agent+1)
		}
	}
	return agents
}
