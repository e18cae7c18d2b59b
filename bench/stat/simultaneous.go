package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Simultaneous is the level at which each difference between two of several conditions has to have its interval, so
// that all of these intervals hold at once with the level given: at least that level, and below that of Bonferroni's
// correction, since differences on the same questions depend on each other. values[c][i] is the mean of condition c on
// question i, clusters[i] its cluster; with nil, each question is its own.
//
// It is the quantile of the largest of all studentized differences (max-T) whose questions, or clusters, are weighed
// anew by normal numbers in each resample (Chernozhukov, Chetverikov and Kato, Annals of Statistics 41, 2013,
// 2786-2819), as the level of one interval of the normal distribution. Two conditions that do not differ on any
// question tell nothing of how their difference varies, and are taken to be independent of the others.
func Simultaneous(values [][]float64, clusters []string, level float64, resamples int, seed uint64) float64 {
	quantile(level) // panics outside of 0 to 1
	if len(values) < 3 {
		return level
	}
	if resamples < 1 {
		panic(fmt.Sprintf("%d resamples", resamples))
	}
	centred := make([][]float64, len(values))
	for c, list := range values {
		centred[c] = centredSums(list, eachIn(clusters, len(list)))
	}
	var errors []float64 // of each pair, times the number of questions
	for a := range centred {
		for b := range a {
			errors = append(errors, floats.Distance(centred[a], centred[b], 2))
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	largest, sums := make([]float64, resamples), make([]float64, len(values))
	for r := range largest {
		clear(sums)
		for u := range centred[0] {
			weight := random.NormFloat64()
			for c := range centred {
				sums[c] += weight * centred[c][u]
			}
		}
		largest[r] = largestOf(sums, errors, random)
	}
	slices.Sort(largest)
	reach := largest[min(resamples-1, int(math.Ceil(level*float64(resamples))))]
	return max(level, 1-2*distuv.UnitNormal.Survival(reach))
}

// largestOf is the largest studentized difference of two sums.
func largestOf(sums, errors []float64, random *rand.Rand) (largest float64) {
	pair := 0
	for a := range sums {
		for b := range a {
			size := math.Abs(sums[a]-sums[b]) / errors[pair]
			if errors[pair] < 1e-9 {
				size = math.Abs(random.NormFloat64())
			}
			largest, pair = max(largest, size), pair+1
		}
	}
	return largest
}

// centredSums are the sums over clusters of how much values differ from their mean.
func centredSums(values []float64, clusters []string) (sums []float64) {
	for _, s := range clusterSums(minus(values, Mean(values)), clusters) {
		sums = append(sums, s.sum)
	}
	return sums
}
