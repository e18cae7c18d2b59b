package task

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// SampleSize is how many questions of a population have to be drawn so that an accuracy is known to the margin at the
// level of confidence, such as 0.05 and 0.95, whatever it is: Cochran's formula for the worst case of one half, with
// the correction for a finite population that source 4 uses (its Table 3, whose sizes it gives to within one). With a
// margin or a level outside of 0 to 1 all have to be asked.
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
