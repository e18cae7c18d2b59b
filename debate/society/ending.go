package society

import (
	"errors"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
)

// errSpared is the error in the turn of an agent that did not have to be asked.
var errSpared = errors.New("not asked: no further vote can change the result")

// missing returns how many more agents must at least be asked before the majority can be certain; 0 if it is certain
// now. Agents asked later come later in agent order, so that the answer that leads now wins a tie with a new one.
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
			next++ // it would win a tie
		}
	}
	if lead > 0 && next+left <= lead {
		return 0
	}
	return min(left, max(1, (next+left-lead+1)/2))
}

// first returns the first agent that gave an answer.
func first(c debate.Count) int { return c.Agents[0] }

// spare marks agents that were not asked.
func spare(turns []debate.Turn) {
	for i := range turns {
		turns[i].Reply.Err, turns[i].Error = errSpared, errSpared.Error()
	}
}

// agree reports whether all agents that spoke gave the same readable answer.
func agree(turns []debate.Turn) bool {
	spoke := slices.DeleteFunc(slices.Clone(turns), func(t debate.Turn) bool {
		return t.Silent() || t.Kind == debate.KindConfederate
	})
	votes := vote.Majority(spoke).Votes
	return len(votes) == 1 && len(votes[0].Agents) == len(spoke)
}
