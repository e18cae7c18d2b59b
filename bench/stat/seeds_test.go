package stat

import (
	"fmt"
	"math"
	"testing"
)

// TestSeeds has the sleep gained by Student's ten patients with one drug over the other (Biometrika 6, 1908, 1-25):
// mean 1.58, deviation 1.230, and 0.700 to 2.460 as R's t.test gives it.
func TestSeeds(t *testing.T) {
	got := Seeds([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.95)
	for i, c := range []struct{ got, want float64 }{
		{got.Mean, 1.58}, {got.Deviation, 1.229995}, {got.Error, 0.388958}, {got.Interval.Low, 0.7001142},
		{got.Interval.High, 2.4598858},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if !near(c.got, c.want, 1e-6) {
				t.Errorf("%+v: %g, want %g", got, c.got, c.want)
			}
		})
	}
	unknown := Interval{math.Inf(-1), math.Inf(1)}
	if got := Seeds(nil, 0.95); got != (Spread{Interval: unknown}) {
		t.Errorf("no runs: %+v", got)
	}
	if got := Seeds([]float64{3}, 0.95); got != (Spread{N: 1, Mean: 3, Interval: unknown}) {
		t.Errorf("one run: %+v", got)
	}
}

// TestBounded: the t interval within the bounds, and where nothing spreads, the room that three questions leave to
// others.
func TestBounded(t *testing.T) {
	missed := Wilson(0, 3, 0.95).High // of questions that are unlike these
	for name, c := range map[string]struct {
		values    []float64
		low, high float64
		want      Interval
	}{
		"a spread":        {[]float64{0.4, 0.5, 0.6}, 0, 1, Seeds([]float64{0.4, 0.5, 0.6}, 0.95).Interval},
		"beyond":          {[]float64{0, 1}, 0, 1, Interval{0, 1}},
		"none, at 0":      {[]float64{0, 0, 0}, -1, 1, Interval{-missed, missed}},
		"none, at an end": {[]float64{1, 1, 1}, -1, 1, Interval{1 - 2*missed, 1}},
		"one":             {[]float64{0.5}, -1, 1, Interval{-1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Bounded(c.values, c.low, c.high, 0.95); !near(got.Low, c.want.Low, 1e-12) || !near(got.High,
				c.want.High, 1e-12) {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		})
	}
}
