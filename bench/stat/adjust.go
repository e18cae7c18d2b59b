package stat

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm adjusts p-values of several tests, in their order: if those at most alpha are called different, the chance that
// any of them is called so wrongly is at most alpha (Holm, Scandinavian Journal of Statistics 6, 1979, 65-70). The
// tests may depend on each other in any way. Without p-values there is no result; equal p-values stay equal.
func Holm(p []float64) []float64 {
	order, adjusted := ascending(p), make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, float64(len(p)-rank)*p[i])
		adjusted[i] = min(1, largest)
	}
	return adjusted
}

// BenjaminiHochberg adjusts p-values of several tests, in their order: of those at most alpha, a share of alpha is
// expected to be called different wrongly (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995,
// 289-300). That holds for tests that are independent or depend positively on each other. None gives none; equal
// p-values stay equal.
func BenjaminiHochberg(p []float64) []float64 {
	order, adjusted := ascending(p), make([]float64, len(p))
	smallest := 1.0
	for rank := len(p); rank > 0; rank-- {
		i := order[rank-1]
		smallest = min(smallest, float64(len(p))*p[i]/float64(rank))
		adjusted[i] = max(smallest, p[i]) // n*p/n may round below p
	}
	return adjusted
}

// ascending has the places of the p-values from the smallest to the largest.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i, x := range p {
		if !(x >= 0 && x <= 1) {
			panic(fmt.Sprintf("p-value %g", x))
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
