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
// bench calls it for each comparison in which some question has repeats; without repeats Compare gives the same kind of
// interval from counts.
func Difference(first, second []Asked, level float64) (difference float64, interval Interval) {
	return differenceOf(first, second, level, newPosterior)
}

func differenceOf(first, second []Asked, level float64, posterior func(answers int) *posterior) (difference float64,
	interval Interval) {
	if len(first) != len(second) {
		panic(fmt.Sprintf("%d questions cannot be paired with %d", len(first), len(second)))
	}
	if len(first) == 0 {
		return 0, Interval{-1, 1}
	}
	var a, b margin
	a.estimate, a.Interval = accuracy(first, level, posterior)
	b.estimate, b.Interval = accuracy(second, level, posterior)
	return a.estimate - b.estimate, squareAndAdd(a, b, correlation(first, second, a.estimate, b.estimate))
}

// correlation is the correlation of the shares of questions. A positive one narrows the interval, so it is first moved
// towards zero, by as much as the correlation of a table of single answers with these means changes under Newcombe's
// continuity correction. Without it, intervals of few questions would be too narrow.
func correlation(first, second []Asked, meanFirst, meanSecond float64) float64 {
	var squaresFirst, squaresSecond, products float64
	for i := range first {
		a, b := first[i].share()-meanFirst, second[i].share()-meanSecond
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
