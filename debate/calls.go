package debate

import (
	"iter"
	"slices"
)

// Calls are all turns for which an agent was asked, what led to a message, probes and ballots among them.
func (t Transcript) Calls() iter.Seq[Turn] {
	return func(yield func(Turn) bool) {
		for _, turns := range slices.Concat(t.Rounds, t.Voting) {
			for _, turn := range turns {
				for _, call := range slices.Concat(turn.Before, []Turn{turn}, turn.Probes) {
					asked := call.Kind != KindGiven && (call.Error == "" || call.Messages != nil)
					if asked && !yield(call) {
						return
					}
				}
			}
		}
	}
}

// Last is the last round, nil if there is none.
func (t Transcript) Last() []Turn {
	if len(t.Rounds) == 0 {
		return nil
	}
	return t.Rounds[len(t.Rounds)-1]
}

// Changed reports whether an agent says something else in a round than in the one before.
func (t Transcript) Changed(agent, round int) bool {
	return round > 0 && t.Rounds[round][agent].Answer != t.Rounds[round-1][agent].Answer
}

// Swayed reports whether another listing of the same texts changes what the agent answers.
func (t Turn) Swayed() bool {
	return slices.ContainsFunc(t.Probes, func(p Turn) bool { return !p.Silent() && p.Answer != t.Answer })
}
