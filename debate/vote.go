package debate

import (
	"iter"
	"slices"

	"parley/debate/answer"
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
func (t Transcript) VoteOf(round int) Decision { return t.VoteAmong(t.Rounds[round]) }

// VoteAmong is the vote of some turns of this debate: on each player of a puzzle by itself (source 2), else on whole
// answers.
func (t Transcript) VoteAmong(turns []Turn) Decision {
	d := Vote(turns)
	if len(t.Decision.Players) == 0 || !d.Answer.Parsed {
		return d
	}
	players := make([]string, len(t.Decision.Players))
	for i, p := range t.Decision.Players {
		players[i] = p.Player
	}
	d.Players, d.Tie, d.Rule = votePlayers(turns, players), false, "majority per player"
	winners := make([]string, len(players))
	for i, v := range d.Players {
		winners[i], d.Tie = v.Winner, d.Tie || v.Tie
	}
	d.Answer = assignment(players, winners)
	return d
}

// votePlayers is the vote on each player, ties to the role first in agent order.
func votePlayers(turns []Turn, players []string) []PlayerVote {
	byPlayer := make([][]Turn, len(players))
	for _, turn := range turns {
		if roles := rolesIn(turn.Answer.Text, players); turn.Answer.Parsed && roles != nil {
			for i, role := range roles {
				byPlayer[i] = append(byPlayer[i], Turn{Agent: turn.Agent, Answer: answer.Of(role)})
			}
		}
	}
	votes := make([]PlayerVote, len(players))
	for i, player := range players {
		vote := Vote(byPlayer[i])
		votes[i] = PlayerVote{Player: player, Roles: vote.Votes, Winner: vote.Answer.Text, Tie: vote.Tie}
	}
	return votes
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
