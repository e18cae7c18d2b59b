package analysis

import (
	"maps"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
)

// Pool is how the answers to one question are distributed in a condition of many agents that answer once and alone,
// over all its repeats. The shares are of all replies and sum to 1.
type Pool struct {
	Question  string
	Right     float64 // share of right answers
	Wrong     float64 // share of the most frequent wrong answer
	Other     float64 // share of all other wrong answers
	Unparsed  float64 // share of replies without a readable answer
	Candidate bool    // at least two answers have more than the given share each
}

// PoolsOf has an entry for each question, in the order in which they were asked. It is nil unless every debate of the
// condition has one round of at least so many agents.
func PoolsOf(d *outcome.Debates, agents int, share float64) (pools []Pool) {
	replies := make(map[string]*replyCount)
	for _, one := range d.Held().All {
		rounds := one.Rounds()
		if len(rounds) != 1 || len(rounds[0].Turns) < agents {
			return nil
		}
		n := replies[one.Question]
		if n == nil {
			n = &replyCount{right: make(map[int]bool), answers: make(map[int]int)}
			replies[one.Question] = n
		}
		n.all += len(rounds[0].Turns)
		n.add(rounds[0].Answers)
	}
	for _, question := range d.Correct.Questions {
		pools = append(pools, replies[question].pool(question, share))
	}
	return pools
}

// replyCount counts the replies to one question.
type replyCount struct {
	all     int
	right   map[int]bool // ids of right answers that somebody gave
	answers map[int]int  // by id; those that could not be read are in all alone
}

func (n *replyCount) add(replies []outcome.Turn) {
	for _, reply := range replies {
		switch reply.Correctness() {
		case stat.Unread:
			continue
		case stat.Right:
			n.right[reply.ID] = true
		}
		n.answers[reply.ID]++
	}
}

func (n *replyCount) pool(question string, share float64) Pool {
	right, wrong, most := 0, 0, 0
	for id, count := range n.answers {
		if n.right[id] {
			right += count
		} else {
			wrong, most = wrong+count, max(most, count)
		}
	}
	of := func(count int) float64 { return float64(count) / float64(n.all) }
	return Pool{Question: question, Right: of(right), Wrong: of(most), Other: of(wrong - most),
		Unparsed: of(n.all - right - wrong), Candidate: trial.Contested(maps.Values(n.answers), n.all, share)}
}
