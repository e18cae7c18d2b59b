package outcome

import (
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
)

// Agreement is the share of pairs of agents whose last answers are equal; it is not known without two that were read.
func (d *Debate) Agreement() (share float64, known bool) { return agreement.PairAgreement(d.LastIDs()) }

// LastIDs has the number of each agent's last answer, sorted by agent.
func (d *Debate) LastIDs() (ids []int) {
	for _, a := range d.Agents() {
		ids = append(ids, a.Last.ID)
	}
	return ids
}

// Number is a number of debates that not every one need have.
type Number func(*Debate) (value float64, known bool)

// ScoredBy returns the debates as if those were right in which a number is 1, and wrong in which it is 0, without those
// of which it is not known. It is false if it is another number in a debate that did not fail.
func (d *Debates) ScoredBy(of Number) (scored *Debates, whole bool) {
	var list []*Debate
	for i, one := range d.All {
		if !d.Failed[i] {
			value, known := of(one)
			if !known {
				continue
			}
			marked := *one.Outcome
			switch value {
			case 0:
				marked.Score = task.Wrong
			case 1:
				marked.Score = task.Right
			default:
				return nil, false
			}
			again := *one
			again.Outcome, one = &marked, &again
		}
		list = append(list, one)
	}
	return Of(list), true
}

// Means has the mean of a number by question, over the debates that did not fail and have it.
func (d *Debates) Means(of Number) map[string]float64 {
	sums, counts := make(map[string]float64), make(map[string]int)
	for _, one := range d.Held().All {
		if value, known := of(one); known {
			sums[one.Question] += value
			counts[one.Question]++
		}
	}
	for q, n := range counts {
		sums[q] /= float64(n)
	}
	return sums
}
