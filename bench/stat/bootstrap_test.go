package stat

import (
	"math"
	"slices"
	"testing"

	gonum "gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// TestBootstrapLawSchool is the correlation of 15 law schools, whose BCa interval at 90 % is 0.43 to 0.92 (Efron, Journal of
// the American Statistical Association 82, 1987, 171-185).
func TestBootstrapLawSchool(t *testing.T) {
	lsat := []float64{576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594}
	gpa := []float64{3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96}
	pick := func(x []float64, drawn []int) []float64 {
		var y []float64
		for _, i := range drawn {
			y = append(y, x[i])
		}
		return y
	}
	got := Bootstrap{Resamples: 20_000, Level: 0.9, Seed: 1}.Of(15, func(drawn []int) float64 {
		return gonum.Correlation(pick(lsat, drawn), pick(gpa, drawn), nil)
	})
	if !near(got.Estimate, 0.776, 5e-4) || !near(got.BCa.Low, 0.43, 0.015) || !near(got.BCa.High, 0.92, 0.015) {
		t.Errorf("%+v", got)
	}
}

// TestBootstrapSpatial is the variance of 26 spatial tests, dividing by n: at 90 % percentile 100.8 to 233.9 and BCa 115.8 to
// 259.6 (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, Tables 14.1 and 14.2).
func TestBootstrapSpatial(t *testing.T) {
	a := []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}
	got := Bootstrap{Resamples: 20_000, Level: 0.9, Seed: 1}.Of(len(a), func(drawn []int) float64 {
		var sum, squares float64
		for _, i := range drawn {
			sum, squares = sum+a[i], squares+a[i]*a[i]
		}
		n := float64(len(drawn))
		return squares/n - sum/n*sum/n
	})
	for _, c := range []struct{ got, want, tolerance float64 }{
		{got.Estimate, 171.5, 0.05},
		{got.Percentile.Low, 100.8, 3}, {got.Percentile.High, 233.9, 3},
		{got.BCa.Low, 115.8, 4}, {got.BCa.High, 259.6, 4},
	} {
		if !near(c.got, c.want, c.tolerance) {
			t.Errorf("%+v: %g, want %g", got, c.got, c.want)
		}
	}
}

// TestBootstrapClusters: repeats do not count as questions, so saying everything ten times over changes nothing.
func TestBootstrapClusters(t *testing.T) {
	b, once, often := Bootstrap{Resamples: 500, Level: 0.95, Seed: 3}, [][]float64{}, [][]float64{}
	for i := range 20 {
		x := float64(i % 3)
		once, often = append(once, []float64{x}), append(often, slices.Repeat([]float64{x}, 10))
	}
	if a, c := b.Mean(once), b.Mean(often); a != c {
		t.Errorf("%+v, ten times over %+v", a, c)
	}
}

// TestBootstrapTies: with few distinct values many resamples equal the estimate. They count half on each side, so right and
// wrong answers have mirrored intervals.
func TestBootstrapTies(t *testing.T) {
	b := Bootstrap{Resamples: 999, Level: 0.9, Seed: 4}
	right, wrong := b.Mean([][]float64{{1}, {0}, {1}, {0}, {1}, {0}, {0}, {0}}), b.Mean([][]float64{{0}, {1}, {0}, {1}, {0}, {1}, {1}, {1}})
	if right.BCa.Low != 1-wrong.BCa.High || right.BCa.High != 1-wrong.BCa.Low {
		t.Errorf("%+v, mirrored %+v", right, wrong)
	}
}

func TestBootstrapEdges(t *testing.T) {
	b, unknown := Bootstrap{Resamples: 100, Level: 0.95}, Interval{math.Inf(-1), math.Inf(1)}
	if got := b.Mean(nil); got != (Resampled{0, unknown, unknown}) {
		t.Errorf("nothing: %+v", got)
	}
	if got := b.Mean([][]float64{{1, 0}}); got != (Resampled{0.5, unknown, unknown}) {
		t.Errorf("one question: %+v", got)
	}
	if got := b.Mean([][]float64{{1}, {1}, {1}}); got != (Resampled{1, Interval{1, 1}, Interval{1, 1}}) {
		t.Errorf("all alike: %+v", got)
	}
}

// TestBootstrapProperties: intervals hold the estimate and stay within the data, a difference swaps its sign with its
// conditions, and the seed decides.
func TestBootstrapProperties(t *testing.T) {
	question := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(question, 8, 30).Draw(t, "first")
		second := rapid.SliceOfN(question, len(first), len(first)).Draw(t, "second")
		b := Bootstrap{Resamples: 200, Level: 0.95, Seed: rapid.Uint64().Draw(t, "seed")}
		got, again, swapped := b.Difference(first, second), b.Difference(first, second), b.Difference(second, first)
		if got != again || !near(got.Estimate, -swapped.Estimate, 1e-12) {
			t.Fatalf("%+v, again %+v, swapped %+v", got, again, swapped)
		}
		for _, i := range []Interval{got.Percentile, got.BCa} {
			if i.Low < -1 || i.High > 1 || i.Low > got.Estimate+1e-12 || i.High < got.Estimate-1e-12 {
				t.Fatalf("%+v", got)
			}
		}
	})
}
