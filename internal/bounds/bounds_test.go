package bounds

import (
	"math"
	"testing"
)

// TestRange: a range has the numbers between its bounds, says so, and refuses others.
func TestRange(t *testing.T) {
	for _, c := range []struct {
		in   Range
		text string
		has  []float64
		not  []float64
	}{
		{From(0, 1), "from 0 to 1", []float64{0, 0.5, 1}, []float64{-0.1, 1.1, math.NaN(), math.Inf(1), math.Inf(-1)}},
		{From(1, 1000), "from 1 to 1000", []float64{1, 1000}, []float64{0, -1, 1e9}},
		{From(0.01, 100).OrZero(), "0, or from 0.01 to 100", []float64{0, 0.01, 100}, []float64{0.001, -1, math.NaN()}},
		{From(-1, 10).OrZero(), "from -1 to 10", []float64{-1, 0}, []float64{-2}},
		{Only(3, 5, 7), "3, 5 or 7", []float64{3, 5, 7}, []float64{0, 4, 9, math.NaN()}},
		{From(0, 1<<64), "from 0 to 18446744073709551615", []float64{0, 1 << 63}, []float64{-1}},
	} {
		t.Run(c.text, func(t *testing.T) {
			if c.in.String() != c.text {
				t.Errorf("got %q, want %q", c.in, c.text)
			}
			for _, n := range c.has {
				if err := Check("x", n, c.in); err != nil {
					t.Error(err)
				}
			}
			for _, n := range c.not {
				if err := Check("x", n, c.in); err == nil {
					t.Errorf("%g is accepted as %s, want an error", n, c.in)
				}
			}
		})
	}
	if got, want := Check("top-p", 2.5, From(0, 1)).Error(), "top-p 2.5: must be from 0 to 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
