package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// How the runs of this program are resampled. The seed is fixed, so that p-values are a function of the outcomes.
const (
	Flips = 10_000 // ways to choose signs in a permutation test
	Seed  = 1
)

// exactFlips is the largest number of differences, zeros left out, for which Flip counts all 2^n choices of signs.
const exactFlips = 20

// Flip is the two-sided permutation test that the mean of paired differences is zero: the share of all ways to choose
// their signs that bring the sum at least as far from zero as it is (Fisher, The Design of Experiments, 1935, section
// 21). Zeros change nothing; 1 if there are no others.
//
// Up to 20 differences the p-value is exact. Beyond, that many resamples are drawn and the observed signs are counted
// as one more of them, so that it is never 0 (Phipson and Smyth, Statistical Applications in Genetics and Molecular
// Biology 9, 2010, article 39).
func Flip(first, second []float64, resamples int, seed uint64) float64 {
	if resamples < 1 {
		panic(fmt.Sprintf("%d resamples", resamples))
	}
	var sizes []float64
	var sum, total float64
	for _, d := range differences(first, second) {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
			sum, total = sum+d, total+math.Abs(d)
		}
	}
	slices.Sort(sizes)                    // so that the order of the pairs decides nothing
	extreme := math.Abs(sum) - 1e-9*total // sums that differ by rounding are equal
	if len(sizes) <= exactFlips {
		return flipAll(sizes, extreme)
	}
	return flipSome(sizes, extreme, resamples, rand.New(rand.NewPCG(seed, 0)))
}

// flipAll counts all signs. Each is one of the first half of the sizes with one of the second half, whose sums are
// looked up in order: 2^(n/2) searches in the place of 2^n sums. As many sums lie below zero as above.
func flipAll(sizes []float64, extreme float64) float64 {
	if extreme <= 0 {
		return 1
	}
	some, others := signedSums(sizes[:len(sizes)/2]), signedSums(sizes[len(sizes)/2:])
	slices.Sort(others)
	hits := 0
	for _, sum := range some {
		hits += len(others) - sort.SearchFloat64s(others, extreme-sum)
	}
	return float64(2*hits) / float64(len(some)*len(others))
}

// signedSums are the sums by all signs, 2^n of n sizes.
func signedSums(sizes []float64) []float64 {
	sums := append(make([]float64, 0, 1<<len(sizes)), 0)
	for _, size := range sizes {
		for i, sum := range sums {
			sums[i] = sum - size
			sums = append(sums, sum+size)
		}
	}
	return sums
}

func flipSome(sizes []float64, extreme float64, resamples int, random *rand.Rand) float64 {
	hits := 1
	for range resamples {
		sum := 0.0
		for _, size := range sizes {
			if random.Uint64()&1 == 0 {
				size = -size
			}
			sum += size
		}
		if math.Abs(sum) >= extreme {
			hits++
		}
	}
	return float64(hits) / float64(resamples+1)
}

func differences(first, second []float64) []float64 {
	if len(first) != len(second) {
		panic(fmt.Sprintf("%d numbers cannot be paired with %d", len(first), len(second)))
	}
	d := make([]float64, len(first))
	for i := range first {
		d[i] = number(first[i] - second[i])
	}
	return d
}
