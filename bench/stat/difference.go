package stat

import (
	"fmt"
	"math"
)

// Difference is the mean over questions of the first condition's share of right answers minus the second's, with its
// interval. first[i] and second[i] are the same question; they may have different numbers of repeats.
//
// The interval is Newcombe's, as in Compare, with two replacements (Zou and Donner, Statistics in Medicine 27, 2008,
// 1693-1702): the intervals of Accuracy instead of Wilson's, and the correlation of the questions' shares instead of
// phi. It always has a width, and without questions it is [-1, 1].
//
// bench calls it for one question whose repeats do not pair; CompareRepeated has the same interval, and without repeats
// Compare gives the same kind of interval from counts.
func Difference(first, second []Asked, level float64) (difference float64, interval Interval) {
	return differenceOf(first, second, level, newPosterior)
}

func differenceOf(first, second []Asked, level float64, posterior func(answers int) *posterior) (difference float64,
	interval Interval) {
	quantile(level) // panics outside of 0 to 1
	difference, at := differenceAt(first, second, posterior)
	return difference, at(level)
}

// DifferenceAt is Difference with its interval at any level, from 0 to 1, both excluded. The function belongs to one
// goroutine.
func DifferenceAt(first, second []Asked) (difference float64, at func(level float64) Interval) {
	return differenceAt(first, second, newPosterior)
}

// differenceAt takes posteriors as accuracy does.
func differenceAt(first, second []Asked, posterior func(answers int) *posterior) (difference float64,
	at func(level float64) Interval) {
	if len(first) != len(second) {
		panic(fmt.Sprintf("%d questions cannot be paired with %d", len(first), len(second)))
	}
	if len(first) == 0 {
		return 0, func(float64) Interval { return Interval{-1, 1} }
	}
	a, firstAt := accuracyAt(first, posterior)
	b, secondAt := accuracyAt(second, posterior)
	phi := correlation(minus(sharesOf(first), a), minus(sharesOf(second), b), a, b)
	return a - b, func(level float64) Interval {
		return squareAndAdd(margin{a, firstAt(level)}, margin{b, secondAt(level)}, phi)
	}
}

// CompareRepeated compares two conditions on questions of which some were asked more than once: with the interval of
// Difference, the questions that one got right more often than the other, and a p-value. It is the larger of two.
//
// The first is that of Flip over the questions' differences. It is exact if differences are as likely to be negative as
// positive. They are not if one condition is steadier than the other: one that gets most questions right in every
// repeat, and some never, is a little better than one of the same accuracy that gets each right in most repeats, and
// rarely much worse. A few questions then all favour the first, and Flip finds a difference in up to half of all runs
// of 12 questions asked 20 times. Studentizing changes nothing, since a statistic of t grows with the sum whatever the
// signs, and the test of t is wrong as often.
//
// The second is the least p at which the interval leaves out zero: an interval and the test that it inverts are one
// (Neyman, Philosophical Transactions of the Royal Society A 236, 1937, 333-380). The interval rests on both
// accuracies, each with its own spread, and knows that questions of which few were asked may be unlike others. P is
// therefore above 1 - level where the interval holds zero.
func CompareRepeated(first, second []Asked, level float64, resamples int, seed uint64) Paired {
	return compareRepeated(first, second, level, resamples, seed, newPosterior)
}

func compareRepeated(first, second []Asked, level float64, resamples int, seed uint64,
	posterior func(answers int) *posterior) (p Paired) {
	quantile(level) // panics outside of 0 to 1
	difference, at := differenceAt(first, second, posterior)
	p.Difference, p.Interval = difference, at(level)
	one, other := sharesOf(first), sharesOf(second)
	p.OnlyFirst, p.OnlySecond = Signs(differences(one, other))
	p.P = LeavingOutZero(at, level, Flip(one, other, resamples, seed))
	return p
}

// Signs counts the differences above and below zero.
func Signs(differences []float64) (above, below int) {
	for _, d := range differences {
		switch {
		case d > 0:
			above++
		case d < 0:
			below++
		}
	}
	return above, below
}

// LeavingOutZero is the least p, at least that given, whose interval leaves out zero: that of the test which the
// interval inverts. level is that at which the interval is shown, see LeavingOut.
func LeavingOutZero(at func(level float64) Interval, level, least float64) float64 {
	return LeavingOut(at, func(i Interval) bool { return i.Low > 0 || i.High < 0 }, level, least)
}

// leastLevel is how near to 0 and to 1 the levels of intervals are that LeavingOut asks for: no interval has either.
const leastLevel = 1e-12

// LeavingOut is the least p, at least that given, whose interval is narrow enough to leave something out. The search
// first looks at the p of the level at which the interval is shown, so that the result is on that side of it on which
// the interval is.
func LeavingOut(at func(level float64) Interval, leaves func(Interval) bool, level, least float64) float64 {
	out := func(p float64) bool { return leaves(at(math.Min(math.Max(leastLevel, 1-p), 1-leastLevel))) }
	if least >= 1 || out(least) {
		return math.Min(1, least)
	}
	low, high, middle := least, 1.0, 1-level
	for range 30 {
		if middle <= low || middle >= high {
			middle = (low + high) / 2
		}
		if out(middle) {
			high = middle
		} else {
			low = middle
		}
		middle = (low + high) / 2
	}
	return high
}

func sharesOf(questions []Asked) (shares []float64) {
	for _, q := range questions {
		shares = append(shares, q.share())
	}
	return shares
}

// minus are the values less their mean.
func minus(values []float64, mean float64) (list []float64) {
	for _, x := range values {
		list = append(list, x-mean)
	}
	return list
}

// correlation is that of questions, or of clusters of them, by how much their shares differ from the means of two
// conditions. A positive one narrows the interval, so it is first moved towards zero, by as much as the correlation of
// a table of single answers with these means changes under Newcombe's continuity correction. Without it, intervals of
// few questions would be too narrow.
func correlation(first, second []float64, meanFirst, meanSecond float64) float64 {
	var squaresFirst, squaresSecond, products float64
	for i, a := range first {
		b := second[i]
		squaresFirst, squaresSecond, products = squaresFirst+a*a, squaresSecond+b*b, products+a*b
	}
	scale := math.Sqrt(squaresFirst * squaresSecond)
	if scale < 1e-12 {
		return 0
	}
	phi := math.Max(-1, products/scale)
	if phi > 0 {
		single := math.Sqrt(meanFirst * (1 - meanFirst) * meanSecond * (1 - meanSecond))
		phi = math.Max(0, phi-1/(2*float64(len(first))*single))
	}
	return phi
}
