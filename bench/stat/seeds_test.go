package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSeeds has the sleep gained by Student's ten patients with one drug over the other (Biometrika 6, 1908, 1-25):
// mean 1.58, deviation 1.230, and 0.700 to 2.460 as R's t.test gives it.
func TestSeeds(t *testing.T) {
	got := Seeds([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.95)
	for _, c := range []struct{ got, want float64 }{
		{got.Mean, 1.58}, {got.Deviation, 1.229995}, {got.Error, 0.388958}, {got.Interval.Low, 0.7001142},
		{got.Interval.High, 2.4598858},
	} {
		t.Run(fmt.Sprint(c.got), func(t *testing.T) {
			if !near(c.got, c.want, 1e-6) {
				t.Errorf("%+v: %g, want %g", got, c.got, c.want)
			}
		})
	}
	unknown := Interval{math.Inf(-1), math.Inf(1)}
	if got := Seeds(nil, 0.95); got != (Spread{Interval: unknown}) {
		t.Errorf("no runs have an unknown interval and no mean: got %+v", got)
	}
	if got := Seeds([]float64{3}, 0.95); got != (Spread{N: 1, Mean: 3, Interval: unknown}) {
		t.Errorf("one run has its mean, 3, and an unknown interval: got %+v", got)
	}
}

// TestBounded: the t interval within the bounds; where little spreads, the room that the questions leave to others; and
// near a bound, an interval that reaches further away from it.
func TestBounded(t *testing.T) {
	missed := func(n int) float64 { return Wilson(0, n, 0.95).High } // of questions that are unlike these
	spread, ceiling := slices.Repeat([]float64{0.2, 0.8}, 50), slices.Repeat([]float64{1, 1, 1, 1, 0.5}, 40)
	around := func(mean, reach float64) Interval { return Interval{mean - reach, mean + reach} }
	for name, c := range map[string]struct {
		values    []float64
		low, high float64
		want      Interval
	}{
		"a spread":        {spread, 0, 1, Seeds(spread, 0.95).Interval},
		"little of it":    {[]float64{0.4, 0.5, 0.6}, 0, 1, around(0.5, missed(3)/2)},
		"beyond":          {[]float64{0, 1}, 0, 1, Interval{0, 1}},
		"none, at 0":      {[]float64{0, 0, 0}, -1, 1, around(0, missed(3))},
		"none, at an end": {[]float64{1, 1, 1}, -1, 1, Interval{1 - 2*missed(3), 1}},
		"one":             {[]float64{0.5}, -1, 1, Interval{-1, 1}},
		// the upper end is that of t; the effective number is 0.9 * 0.1 / (0.04 / 199) / 1.012, where the last is the
		// squared ratio of both quantiles
		"near an end": {ceiling, 0, 1, Interval{wilson(0.9, 0.9*0.1/(0.04/199)/1.0124, 0.95).Low,
			Seeds(ceiling, 0.95).Interval.High}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Bounded(c.values, c.low, c.high, 0.95); !near(got.Low, c.want.Low, 1e-5) ||
				!near(got.High, c.want.High, 1e-5) {
				t.Errorf("the bounded interval of %v is %+v: got %+v", c.values, c.want, got)
			}
		})
	}
}

// TestBoundedCoverage: the mean of numbers of which most are at a bound, and the others anywhere, is held in 94 % of
// samples or more, as few as the questions may be; t holds it in 57 % of some.
func TestBoundedCoverage(t *testing.T) {
	const samples = 500
	random := rand.New(rand.NewPCG(7, 1))
	for _, at1 := range []float64{0.5, 0.9, 0.97, 0.99} {
		t.Run(fmt.Sprint(at1), func(t *testing.T) {
			for _, n := range []int{5, 12, 20, 50, 100, 200} {
				for _, rest := range []float64{0, 1} { // what is not at the bound is below
					held, mean := 0, at1+(1-at1)*rest/2
					for range samples {
						values := make([]float64, n)
						for i := range values {
							if values[i] = 1; random.Float64() >= at1 {
								values[i] = rest * random.Float64()
							}
						}
						if i := Bounded(values, 0, 1, 0.95); i.Low <= mean && mean <= i.High {
							held++
						}
					}
					if seen := Share(held, samples); tooFew(seen, samples, 0.94) {
						t.Errorf("%d questions, %g of them 1, others below %g: 0.94 or more of intervals hold "+
							"the mean: got %.3f", n, at1, rest, seen)
					}
				}
			}
		})
	}
}

// TestDegreesAt: of two conditions with equal means at most 6 % of samples are called different, whether one is
// steadier or both are near a bound, by question or by cluster; and a difference that is there is found.
func TestDegreesAt(t *testing.T) {
	const samples = 300
	c := newCrowd(3)
	ceiling := func(at1 float64) float64 {
		if c.random.Float64() < at1 {
			return 1
		}
		return c.random.Float64()
	}
	for name, draw := range map[string]func() (first, second float64){
		"steady .85": func() (float64, float64) { return c.chance(0.85, 1), c.ask(0.85, 20).share() },
		"steady .95": func() (float64, float64) { return c.chance(0.95, 1), c.ask(0.95, 20).share() },
		"near 1":     func() (float64, float64) { return ceiling(0.9), ceiling(0.9) },
		"constant":   func() (float64, float64) { return ceiling(0.9), 0.95 },
		"between": func() (float64, float64) {
			question := c.chance(0.6, 0.3)
			return 0.2*c.chance(0.6, 0.3) + 0.8*question, question
		},
		"unequal": func() (float64, float64) { return c.chance(0.9, 0.2), c.chance(0.6, 0.2) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{6, 12, 20, 40, 50} {
				for _, size := range []int{1, 2} { // of clusters
					found := 0
					for range samples {
						first, second, clusters := make([]float64, n), make([]float64, n), make([]string, n)
						for i := range first {
							if clusters[i] = fmt.Sprint(i / size); i%size > 0 {
								first[i], second[i] = first[i-1], second[i-1]
								continue
							}
							first[i], second[i] = draw()
						}
						if i := DegreesAt(first, second, clusters)(0.95); i.Low > 0 || i.High < 0 {
							found++
						}
					}
					seen := Share(found, samples)
					if name != "unequal" && tooMany(seen, samples, 0.06) ||
						name == "unequal" && n/size >= 20 && seen < 0.8 {
						t.Errorf("%d questions in clusters of %d (%s): a difference is found in 0.8 or more, one "+
							"that is none in 0.06 or fewer: got %.3f", n, size, name, seen)
					}
				}
			}
		})
	}
}
