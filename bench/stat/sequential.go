package stat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Sequential compares two conditions while their outcomes come in, and may be looked at after every question: if the
// mean difference between both is zero, the chance that P is ever at most alpha is at most alpha, however differences
// are distributed. It may be stopped at any time and for any reason. Its zero value has seen nothing.
//
// It bets on the differences, which are from -1 to 1: a bet of b multiplies its capital by 1 + bd with every difference
// d, so that no bet gains anything on average if the mean is zero, and one over the capital is an always-valid p-value
// (Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86, 2024, 1-27; Ville's inequality). All bets
// from -1 to 1 are made at once, each with as much, as in the universal portfolio (Cover, Mathematical Finance 1, 1991,
// 1-29). Of questions that were asked once, it is the mixture sequential probability ratio test of the share of
// differing questions that the first wins, 1/2 against a uniform mixture of all shares (Robbins, Annals of Mathematical
// Statistics 41, 1970, 1397-1409; Johari, Koomen, Pekelis and Walsh, Operations Research 70, 2022, 1806-1821). A test
// planned for a fixed n has more power; see Plan.
type Sequential struct {
	onlyFirst, onlySecond, equal int
	parts                        map[float64]int // how often other differences than -1, 0 and 1 were seen
	logs                         []float64       // of what the bets of the grid have made of parts, nil without them
	evidence                     float64         // log of the largest capital so far, at least 0
}

// Observe adds the difference of one question: the first condition's share of right answers minus the second's. A
// question without one changes neither P nor Share.
func (s *Sequential) Observe(difference float64) {
	switch {
	case !(difference >= -1 && difference <= 1):
		panic(fmt.Sprintf("a difference of %g between shares", difference))
	case difference == 0:
		s.equal++
	case difference == 1:
		s.onlyFirst++
	case difference == -1:
		s.onlySecond++
	default:
		s.part(difference)
	}
	s.evidence = math.Max(s.evidence, s.capital())
}

func (s *Sequential) part(difference float64) {
	if s.parts == nil {
		s.parts, s.logs = make(map[float64]int), make([]float64, len(grid().shares))
	}
	s.parts[difference]++
	for i, share := range grid().shares {
		s.logs[i] += math.Log1p((2*share - 1) * difference)
	}
}

// P is the always-valid p-value. It starts at 1 and never grows.
func (s *Sequential) P() float64 { return math.Exp(-s.evidence) }

// capital is the log of what all bets together have made of 1. Without parts it is known in closed form.
func (s *Sequential) capital() float64 {
	fair := -math.Ln2 * float64(s.onlyFirst+s.onlySecond)
	if s.parts == nil {
		return s.mixture() - fair
	}
	b, first, second := grid(), float64(s.onlyFirst), float64(s.onlySecond)
	return b.mean(func(i int) float64 { return s.logs[i] + first*b.wins[i] + second*b.losses[i] }) - fair
}

// bets is a grid of shares, 0 to 1, that the first condition may be thought to win: a share is a bet of twice as much
// less one. Weights are those of Gauss and Legendre: their sums are the integrals over all shares, exactly of up to
// 1,023 differences, and a mixture of bets of any more.
type bets struct {
	shares, weights []float64
	wins, losses    []float64 // logs of the shares and of what they leave
}

var grid = sync.OnceValue(func() (b bets) {
	b.shares, b.weights = make([]float64, 512), make([]float64, 512)
	quad.Legendre{}.FixedLocations(b.shares, b.weights, 0, 1)
	for _, share := range b.shares {
		b.wins, b.losses = append(b.wins, math.Log(share)), append(b.losses, math.Log1p(-share))
	}
	return b
})

// mean is the log of the mean over all bets of what each makes, whose log is given.
func (b bets) mean(log func(i int) float64) float64 {
	logs, top, sum := make([]float64, len(b.shares)), math.Inf(-1), 0.0
	for i := range logs {
		logs[i] = log(i)
		top = math.Max(top, logs[i])
	}
	for i, weight := range b.weights {
		if logs[i] > top-40 { // less than e^-40 of the largest changes no digit of the sum
			sum += weight * math.Exp(logs[i]-top)
		}
	}
	return top + math.Log(sum)
}

// Share is the interval of the share of differing questions that the first condition wins, of questions that were asked
// once. With a chance of at least the level, the intervals after all questions contain it at once. Before any question
// differs it is [0, 1].
func (s *Sequential) Share(level float64) Interval {
	quantile(level) // panics outside of 0 to 1
	n := s.onlyFirst + s.onlySecond
	if n == 0 {
		return Interval{0, 1}
	}
	least := s.mixture() + math.Log(1-level) // log likelihood of a share at the edge of the interval
	estimate, i := float64(s.onlyFirst)/float64(n), Interval{0, 1}
	held := func(share float64) bool { return s.likelihood(share) >= least }
	if s.onlyFirst > 0 {
		i.Low = edge(estimate, 0, held)
	}
	if s.onlySecond > 0 {
		i.High = edge(estimate, 1, held)
	}
	return i
}

// Mean is the interval of the mean difference. With a chance of at least the level, the intervals after all questions
// contain it at once. It holds the means against which the same bets have not made one over 1 - level; against another
// mean than zero, a bet is one on the share beside the share of that mean. Capital is convex in the mean, and at most 1
// at the mean of what was seen. Before any question it is [-1, 1].
func (s *Sequential) Mean(level float64) Interval {
	quantile(level) // panics outside of 0 to 1
	seen := map[float64]int{0: s.equal}
	maps.Copy(seen, s.parts)
	values := slices.Sorted(maps.Keys(seen))
	n, sum := s.onlyFirst+s.onlySecond, float64(s.onlyFirst-s.onlySecond)
	for _, d := range values {
		n, sum = n+seen[d], sum+d*float64(seen[d])
	}
	if n == 0 {
		return Interval{-1, 1}
	}
	b, first, second := grid(), float64(s.onlyFirst), float64(s.onlySecond)
	held := func(mean float64) bool {
		chance := (1 + mean) / 2
		fair := first*math.Log(chance) + second*math.Log1p(-chance)
		return b.mean(func(i int) float64 {
			win, loss := b.shares[i]/chance, (1-b.shares[i])/(1-chance)
			log := first*b.wins[i] + second*b.losses[i] - fair
			for _, d := range values {
				log += float64(seen[d]) * math.Log((1+d)/2*win+(1-d)/2*loss)
			}
			return log
		}) <= -math.Log(1-level)
	}
	mean := sum / float64(n)
	return Interval{edge(mean, -1, held), edge(mean, 1, held)}
}

// mixture is the log likelihood of the outcomes in their order under the uniform mixture of all shares.
func (s *Sequential) mixture() float64 {
	return mathext.Lbeta(1+float64(s.onlyFirst), 1+float64(s.onlySecond))
}

// edge is the end of the interval, found by bisection between a value inside of it and one outside.
func edge(inside, outside float64, held func(float64) bool) float64 {
	for range 60 {
		middle := (inside + outside) / 2
		if held(middle) {
			inside = middle
		} else {
			outside = middle
		}
	}
	return outside
}

// likelihood is the log likelihood of a share; no wins at a share of 0 are certain.
func (s *Sequential) likelihood(share float64) float64 {
	sum := 0.0
	if s.onlyFirst > 0 {
		sum += float64(s.onlyFirst) * math.Log(share)
	}
	if s.onlySecond > 0 {
		sum += float64(s.onlySecond) * math.Log1p(-share)
	}
	return sum
}
