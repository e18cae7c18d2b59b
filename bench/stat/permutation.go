package stat

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// exactFlips is the most differences, zeros left out, of which Flip visits all 2^n signs.
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
	extreme := math.Abs(sum) - 1e-9*total // sums that differ by the rounding of 2^20 steps are equal
	if len(sizes) <= exactFlips {
		return flipAll(sizes, total, extreme)
	}
	return flipSome(sizes, extreme, resamples, rand.New(rand.NewPCG(seed, 0)))
}

// flipAll starts with all signs positive and changes one sign a step, in the order of the Gray code.
func flipAll(sizes []float64, sum, extreme float64) float64 {
	ways, hits := 1<<len(sizes), 0
	negative := make([]bool, len(sizes))
	for step := 1; ; step++ {
		if math.Abs(sum) >= extreme {
			hits++
		}
		if step == ways {
			return float64(hits) / float64(ways)
		}
		i := bits.TrailingZeros(uint(step))
		if negative[i] = !negative[i]; negative[i] {
			sum -= 2 * sizes[i]
		} else {
			sum += 2 * sizes[i]
		}
	}
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
