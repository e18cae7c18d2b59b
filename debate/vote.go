package debate

import (
	"iter"
	"slices"
)

// agree reports whether all who spoke gave the same answer, each one that can be read.
func agree(turns []Turn) bool {
	spoke := slices.DeleteFunc(slices.Clone(turns), Turn.silent)
	votes := Vote(spoke).Votes
	return len(votes) == 1 && len(votes[0].Agents) == len(spoke)
}

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

// VoteOf is the vote after a round; that of round 0 is the vote without debate.
func (t Transcript) VoteOf(round int) Decision { return Vote(t.Rounds[round]) }

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
