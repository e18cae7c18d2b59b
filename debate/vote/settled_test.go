package vote

import (
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/debate/debatetest"
)

// TestMissing: seven equal votes settle an answer; replies without one are no votes; what contradicts costs more votes
// than it took away; and nobody is asked beyond the bound.
func TestMissing(t *testing.T) {
	for asked, want := range map[string]struct{ of27, of3 int }{
		"": {7, 3}, "A": {6, 3}, "AAAAAA": {1, 1}, "AAAAAAA": {0, 0}, "AAAAAAAAA": {0, 0},
		"A.A.AAAAA": {0, 0}, "...": {7, 3}, "AB": {10, 3}, "ABAAAAAAAA": {2, 2}, "AAAAAAB": {5, 3}, "BAAAAAA": {4, 3},
		"ABCD": {10, 3}, "AAABBB": {13, 3}, "AAAABBBB": {14, 3},
	} {
		turns := debatetest.TurnsOf(asked)
		if of27, of3 := Missing(turns, 27), Missing(turns, 3); of27 != want.of27 || of3 != want.of3 {
			t.Errorf("%q: %d more of 27 and %d of 3, want %+v", asked, of27, of3, want)
		}
	}
}

// TestSettledLevel: however close the answers are and however often one looks, the test settles another one than the
// most frequent in no more than one question of twenty, of several equally frequent ones any; and it is not wrong
// because it never ends.
func TestSettledLevel(t *testing.T) {
	const studies, votes = 2000, 100
	diffuse := append([]float64{0.2}, make([]float64, 40)...)
	for i := range 40 {
		diffuse[i+1] = 0.02
	}
	total := 0
	for _, c := range []struct {
		shares []float64
		right  bool    // whether the first answer is the most frequent one
		most   float64 // votes in the mean
	}{
		{[]float64{0.5, 0.5}, false, votes}, {[]float64{0.4, 0.4, 0.2}, false, votes},
		{[]float64{0.25, 0.25, 0.25, 0.25}, false, votes}, {[]float64{0.49, 0.51}, false, votes},
		{[]float64{0.52, 0.48}, true, votes}, {diffuse, true, 95}, {[]float64{0.7, 0.1, 0.1, 0.1}, true, 30},
		{[]float64{0.9, 0.1}, true, 14}, {[]float64{1}, true, 7},
	} {
		random, wrongs, asked := rand.New(rand.NewPCG(1, 2)), 0, 0
		for range studies {
			lead, n := settledAfter(random, c.shares, votes)
			if asked += n; lead >= 0 && (lead > 0 || !c.right) {
				wrongs++
			}
		}
		rate, mean := float64(wrongs)/studies, float64(asked)/studies
		if rate > wrong || mean > c.most {
			t.Errorf("%.2f: wrong in %.4f of the studies, want at most %.4f, with %.1f votes, want at most %v",
				c.shares, rate, wrong, mean, c.most)
		}
		total += wrongs
	}
	if total < studies/20 {
		t.Errorf("wrong %d times in all: the test has no power that could be wrong", total)
	}
}

// settledAfter draws votes until they settle an answer, -1 for none.
func settledAfter(random *rand.Rand, shares []float64, most int) (lead, votes int) {
	var b bets
	numbers := make(map[int]int)
	var drawn []int // by number
	for votes < most {
		at, which := random.Float64(), 0
		for which < len(shares)-1 && at >= shares[which] {
			at -= shares[which]
			which++
		}
		if _, known := numbers[which]; !known {
			numbers[which] = len(numbers)
			drawn = append(drawn, which)
		}
		votes++
		b.vote(numbers[which])
		if lead, _ := b.leaders(); b.settled(lead) {
			return drawn[lead], votes
		}
	}
	return -1, votes
}

// TestSettledPeeking holds a simulation beside ours: a p-value of a test for one look, as one of ConSol's models takes
// it after every vote of at most 40, is below 0.05 in far more ties than one in twenty. So that is not what ends a vote
// here.
func TestSettledPeeking(t *testing.T) {
	random, rejected := rand.New(rand.NewPCG(3, 4)), 0
	for range 2000 {
		counts := [2]int{}
		for range 40 {
			counts[random.IntN(2)]++
			if tail(max(counts[0], counts[1]), counts[0]+counts[1]) <= 0.05 {
				rejected++
				break
			}
		}
	}
	if rate := float64(rejected) / 2000; rate < 0.2 {
		t.Errorf("%.3f of ties are decided, want more than 0.2", rate)
	} else {
		t.Logf("%.3f of ties are decided", rate)
	}
}

// tail is the probability of so many heads or more in n tosses.
func tail(heads, n int) (p float64) {
	one := 1.0 // the ways to have k heads, times 2^-n
	for range n {
		one /= 2
	}
	for k := range n + 1 {
		if k >= heads {
			p += one
		}
		one *= float64(n-k) / float64(k+1)
	}
	return p
}
