package society

import (
	"errors"
	"parley/debate"
	"parley/debate/vote"
	"slices"
)

// errSpared is why an agent was not asked.
var errSpared = errors.New("not asked: no further vote can change the result")

// missing is how many more agents have to be asked before a majority could be certain: none if it is. Those who are
// asked later come later in agent order, so that a tie goes to who leads now.
func missing(asked []debate.Turn, agents int) int {
	left := agents - len(asked)
	lead, next := 0, 0
	votes := vote.Majority(asked).Votes
	if len(votes) > 0 {
		lead = len(votes[0].Agents)
	}
	if len(votes) > 1 {
		next = len(votes[1].Agents)
		if first(votes[1]) < first(votes[0]) {
			next++ // would win a tie
		}
	}
	if lead > 0 && next+left <= lead {
		return 0
	}
	return min(left, max(1, (next+left-lead+1)/2))
}

// first is the agent who gave an answer first.
func first(c debate.Count) int { return c.Agents[0] }

// spare marks agents that were not asked.
func spare(turns []debate.Turn) {
	for i := range turns {
		turns[i].Reply.Err, turns[i].Error = errSpared, errSpared.Error()
	}
}

// agree reports whether all who spoke gave the same answer, each one that can be read.
func agree(turns []debate.Turn) bool {
	spoke := slices.DeleteFunc(slices.Clone(turns), debate.Turn.Silent)
	votes := vote.Majority(spoke).Votes
	return len(votes) == 1 && len(votes[0].Agents) == len(spoke)
}
