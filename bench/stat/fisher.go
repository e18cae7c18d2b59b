package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// Fisher is the exact two-sided p-value for the hypothesis that two unpaired shares of right answers are equal: the
// probability of all ways to distribute the right answers over both that are no likelier than the observed one (Fisher,
// Journal of the Royal Statistical Society 98, 1935, 39-82).
func Fisher(first, second Asked) float64 {
	right, all := first.Right+second.Right, first.Times+second.Times
	chance := func(k int) float64 {
		return math.Exp(combin.LogGeneralizedBinomial(float64(first.Times),
			float64(k)) + combin.LogGeneralizedBinomial(float64(second.Times), float64(right-k)) -
			combin.LogGeneralizedBinomial(float64(all), float64(right)))
	}
	p, seen := 0.0, chance(first.Right)
	for k := max(0, right-second.Times); k <= min(first.Times, right); k++ {
		if c := chance(k); c <= seen*(1+1e-9) { // equal up to rounding
			p += c
		}
	}
	return math.Min(1, p)
}
