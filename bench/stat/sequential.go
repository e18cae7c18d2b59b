package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Sequential compares two conditions while their outcomes come in, and may be looked at after every question: if both
// are right equally often, the chance that P is ever at most alpha is at most alpha. It may be stopped at any time and
// for any reason. Its zero value has seen nothing.
//
// It is the mixture sequential probability ratio test of the share of differing questions that the first wins, 1/2
// against a uniform mixture of all shares (Robbins, Annals of Mathematical Statistics 41, 1970, 1397-1409), read as an
// always-valid p-value (Johari, Koomen, Pekelis and Walsh, Operations Research 70, 2022, 1806-1821). A test planned for
// a fixed n has more power; see Plan.
type Sequential struct {
	onlyFirst, onlySecond int
	evidence              float64 // largest log likelihood ratio so far, at least 0
}

// Observe adds the outcomes of one question. Questions that both or neither got right change nothing.
func (s *Sequential) Observe(first, second bool) {
	switch {
	case first && !second:
		s.onlyFirst++
	case second && !first:
		s.onlySecond++
	}
	fair := -math.Ln2 * float64(s.onlyFirst+s.onlySecond)
	s.evidence = math.Max(s.evidence, s.mixture()-fair)
}

// P is the always-valid p-value. It starts at 1 and never grows.
func (s *Sequential) P() float64 { return math.Exp(-s.evidence) }

// Share is the interval of the share of differing questions that the first condition wins. With a chance of at least
// the level, the intervals after all questions contain it at once. Before any question differs it is [0, 1].
func (s *Sequential) Share(level float64) Interval {
	quantile(level) // panics outside of 0 to 1
	n := s.onlyFirst + s.onlySecond
	if n == 0 {
		return Interval{0, 1}
	}
	least := s.mixture() + math.Log(1-level) // log likelihood of a share at the edge of the interval
	estimate, i := float64(s.onlyFirst)/float64(n), Interval{0, 1}
	if s.onlyFirst > 0 {
		i.Low = s.edge(estimate, 0, least)
	}
	if s.onlySecond > 0 {
		i.High = s.edge(estimate, 1, least)
	}
	return i
}

// mixture is the log likelihood of the outcomes in their order under the uniform mixture of all shares.
func (s *Sequential) mixture() float64 {
	return mathext.Lbeta(1+float64(s.onlyFirst), 1+float64(s.onlySecond))
}

// edge is the end of the interval, found by bisection between a share inside of it and one outside.
func (s *Sequential) edge(inside, outside, least float64) float64 {
	for range 60 {
		middle := (inside + outside) / 2
		if s.likelihood(middle) >= least {
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
