package vote

import "github.com/parley-debate/parley/debate"

// wrong is how often, at most, a vote that ends by Missing is ahead with another answer than the model gives most
// often: the level of the test, which holds however often one looks.
const wrong = 0.05

// Missing returns how many more votes for the answer that leads, of at most left, settle that the model gives it more
// often than any other; 0 if it is settled. asked are votes drawn alike, in their order.
//
// The test bets. For each other answer, and for one that nobody has given yet, the hypothesis is that the model gives
// that at least as often as any. Before each vote it stakes all on whichever else leads, at odds that are fair if the
// two are equally frequent; a stake that has grown from 1 to 1/wrong rejects the hypothesis. Where it is true, that
// happens with probability wrong at most, whenever one looks (Ville), and a leader that is settled has rejected all.
func Missing(asked []debate.Turn, left int) int {
	var b bets
	for _, answer := range votesOf(asked) {
		b.vote(answer)
	}
	for more := range left {
		lead, _ := b.leaders()
		if b.settled(lead) {
			return more
		}
		b.vote(max(0, lead))
	}
	return left
}

// votesOf numbers the answers of a round in the order in which they came up, and returns those that were given.
func votesOf(turns []debate.Turn) (votes []int) {
	of := make(map[int]int) // the place among the votes that were counted, by agent
	for i, c := range Majority(turns).Votes {
		for _, agent := range c.Agents {
			of[agent] = i
		}
	}
	numbers := make(map[int]int)
	for _, t := range turns {
		i, voted := of[t.Agent]
		if !voted {
			continue
		}
		if _, known := numbers[i]; !known {
			numbers[i] = len(numbers)
		}
		votes = append(votes, numbers[i])
	}
	return votes
}

// bets are the stakes against each answer, by number; unseen is that against one which nobody has given.
type bets struct {
	counts []int
	stakes []float64
	unseen float64 // less 1, so that the zero value is the beginning
}

// leaders returns the answers that most and second most votes give, the earlier of equal ones; -1 where there is none.
func (b *bets) leaders() (first, second int) {
	first, second = -1, -1
	for i, n := range b.counts {
		switch {
		case first < 0 || n > b.counts[first]:
			first, second = i, first
		case second < 0 || n > b.counts[second]:
			second = i
		}
	}
	return first, second
}

// vote settles the bets on a vote, whose answer has the next number if it is new.
func (b *bets) vote(answer int) {
	first, second := b.leaders()
	odds := func(rival, votes int) float64 {
		lead := first
		if lead == rival {
			lead = second
		}
		if lead < 0 || answer != lead && answer != rival {
			return 1
		}
		share := max(0.5, (float64(b.counts[lead])+0.5)/float64(b.counts[lead]+votes+1))
		if answer == lead {
			return 2 * share
		}
		return 2 * (1 - share)
	}
	if answer == len(b.counts) { // until now one that nobody had given
		b.stakes = append(b.stakes, (1+b.unseen)*odds(answer, 0))
	} else {
		b.unseen = (1+b.unseen)*odds(-1, 0) - 1
	}
	for rival, votes := range b.counts {
		b.stakes[rival] *= odds(rival, votes)
	}
	if answer == len(b.counts) {
		b.counts = append(b.counts, 0)
	}
	b.counts[answer]++
}

// settled reports whether every other answer is rejected.
func (b *bets) settled(lead int) bool {
	for rival, stake := range b.stakes {
		if rival != lead && stake < 1/wrong {
			return false
		}
	}
	return lead >= 0 && 1+b.unseen >= 1/wrong
}
