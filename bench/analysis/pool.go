package analysis

import (
	"maps"

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

// Pools has an entry for each question, in the order in which they were asked. It is nil unless every debate of the
// part has one round of at least so many agents.
func (p *Part) Pools(agents int, share float64) (pools []Pool) {
	said := p.said()
	replies := make(map[string]*replyCount)
	for i, o := range p.held.outcomes {
		if len(o.Transcript.Rounds) != 1 || len(o.Transcript.Rounds[0]) < agents {
			return nil
		}
		n := replies[o.Question]
		if n == nil {
			n = &replyCount{right: make(map[int]bool), answers: make(map[int]int)}
			replies[o.Question] = n
		}
		n.all += len(o.Transcript.Rounds[0])
		n.add(said.cells[i][0])
	}
	for _, question := range p.correct.questions {
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

func (n *replyCount) add(replies []cell) {
	for _, c := range replies {
		switch c.correctness() {
		case stat.Unread:
			continue
		case stat.Right:
			n.right[c.answer] = true
		}
		n.answers[c.answer]++
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
