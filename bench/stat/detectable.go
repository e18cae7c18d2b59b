package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// fewSpread is the number of questions below which DetectableMean knows nothing: what is detected of fewer depends on
// how their differences are distributed, which so few do not show. In simulations of six questions, power was between
// 0.4 and 0.9 where 0.8 was expected.
const fewSpread = 10

// DetectableMean is the smallest mean of paired differences, at most 1, that CompareRepeated finds with a power such as
// 0.8 among as many questions, from the differences of this run and their interval at the level 1 - alpha. The mean has
// to satisfy both tests of CompareRepeated: that of signs, which has the power of the t test, see tDetects, and the
// interval, which must not reach zero although the mean that is seen falls below the true one by chance.
//
// known is false if the differences have no spread, or with fewer than ten questions.
func DetectableMean(differences []float64, interval Interval, alpha, power float64) (mean float64, known bool) {
	s := Seeds(differences, 1-alpha)
	if s.N < fewSpread || s.Error == 0 {
		return 0, false
	}
	reach := s.Mean - interval.Low // towards zero
	if s.Mean < 0 {
		reach = interval.High - s.Mean
	}
	short := distuv.StudentsT{Sigma: 1, Nu: float64(s.N - 1)}.Quantile(power)
	mean = math.Max(tDetects(s.N, alpha, power)*s.Error, reach+short*s.Error)
	return mean, mean <= 1
}

// tDetects is the mean of n normal differences, in standard errors that a run has seen, at which the t test of another
// run finds it with a power. Given the true spread, power is the tail of noncentral t, the chance that a normal
// variable exceeds a root of chi square (Johnson and Welch, Biometrika 31, 1940, 362-389). The true spread is not
// known, so that power is averaged over what a run may have seen in its place, a root of chi square too: of all runs
// that name a mean, as many find it as they say.
func tDetects(n int, alpha, power float64) float64 {
	const parts = 64
	nu := float64(n - 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(1 - alpha/2)
	var spreads [parts]float64 // that are seen, equally likely, where the true one is 1
	for i := range spreads {
		spreads[i] = math.Sqrt(distuv.ChiSquared{K: nu}.Quantile((float64(i)+0.5)/parts) / nu)
	}
	const most, steps = 100, 20_000 // standard errors
	return most * float64(sort.Search(steps, func(i int) bool {
		sum := 0.0
		for _, before := range spreads {
			for _, now := range spreads {
				sum += distuv.UnitNormal.CDF(most*float64(i)/steps*before - critical*now)
			}
		}
		return sum/parts/parts >= power
	})) / steps
}
