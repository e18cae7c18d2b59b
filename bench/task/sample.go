package task

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// SampleSize returns how many questions of a population to draw so that an accuracy is known to within a margin at a
// level of confidence, such as 0.05 and 0.95. It is Cochran's formula for the worst case, an accuracy of one half, with
// the correction for a finite population. Source 4 uses it; the sizes in its Table 3 follow to within one. If margin or
// level is not between 0 and 1, all questions are needed.
func SampleSize(population int, margin, level float64) int {
	if population <= 0 {
		return 0
	}
	if !(margin > 0 && margin < 1 && level > 0 && level < 1) {
		return population
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	infinite := z * z / 4 / (margin * margin)
	return min(population, int(math.Ceil(infinite/(1+(infinite-1)/float64(population)))))
}
