package debate

// Disagreement is the share of pairs of debaters with different answers in each round of a debate, source 3's measure against the
// degeneration of thought: what falls to 0 in the first round was no debate. A pair in which an answer cannot be read is left out; a round
// without pairs has -1. Of a tit for tat, the debaters are those before the moderator.
func (t Transcript) Disagreement() (shares []float64) {
	for _, round := range t.Rounds {
		differ, pairs := 0.0, 0.0
		for i, a := range round {
			for _, b := range round[i+1:] {
				if a.Agent != b.Agent && t.debater(a) && t.debater(b) && a.Answer.Parsed && b.Answer.Parsed {
					pairs++
					if !a.Answer.Equal(b.Answer) {
						differ++
					}
				}
			}
		}
		if pairs == 0 {
			differ, pairs = -1, 1
		}
		shares = append(shares, differ/pairs)
	}
	return shares
}

// debater reports whether a turn is one of somebody who argues.
func (t Transcript) debater(turn Turn) bool {
	role := t.Role(turn.Agent)
	return role != "moderator" && role != "judge" && role != "supervisor"
}

// Chosen is whose last answer a tit for tat decided for: "affirmative", "negative", "tie" where both gave it, or "neither".
func (t Transcript) Chosen() string {
	gave := make(map[bool]bool) // of the affirmative side, of the other
	for _, round := range t.Rounds {
		for _, turn := range round {
			if t.debater(turn) {
				affirms := turn.Agent == affirmative
				gave[affirms] = turn.Answer.Equal(t.Decision.Answer) || !affirms && turn.Agent > 1 && gave[affirms]
			}
		}
	}
	switch {
	case gave[true] && gave[false]:
		return "tie"
	case gave[true]:
		return "affirmative"
	case gave[false]:
		return "negative"
	}
	return "neither"
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
