package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// darwin has the differences in height, in eighths of an inch, of Darwin's 15 pairs of maize plants (Fisher, The Design
// of Experiments, 1935, table 3).
var darwin = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}

// TestFlipDarwin: 863 of 32,768 ways have a sum of at least 314 (Fisher, The Design of Experiments, 1935, section 21).
func TestFlipDarwin(t *testing.T) {
	zero := make([]float64, len(darwin))
	if got := Flip(darwin, zero, 1, 1); got != 2*863.0/32768 {
		t.Errorf("Darwin's plants have the exact p %g: got %g", 2*863.0/32768, got)
	}
	if got, want := McNemar(13, 2), 2*(1+15+105.0)/32768; !near(got, want, 1e-15) { // the signs alone, by hand
		t.Errorf("sign test: %g, want %g", got, want)
	}
}

// TestFlipDraws: the test that draws is near to the one that visits all, on the same numbers.
func TestFlipDraws(t *testing.T) {
	long := append(append([]float64{}, darwin...), 5, -9, 12, -3, 7, 20, -31)
	zero := make([]float64, len(long))
	want := flipSlowly(long)
	if got := Flip(long, zero, 40_000, 7); !near(got, want, 4*math.Sqrt(want*(1-want)/40_000)) {
		t.Errorf("p of drawn signs: %g, want about %g, that of all signs", got, want)
	}
	sure := make([]float64, 60)
	for i := range sure {
		sure[i] = 1
	}
	if got := Flip(sure, make([]float64, 60), 99, 7); got != 0.01 {
		t.Errorf("nothing drawn is as extreme: %g, want 0.01", got)
	}
	if Flip(long, zero, 100, 7) != Flip(long, zero, 100, 7) {
		t.Errorf("the same seed gives the same p: got %g and %g", Flip(long, zero, 100, 7), Flip(long, zero, 100, 7))
	}
}

// flipSlowly adds up all signs, every sum from the start, for whole numbers.
func flipSlowly(d []float64) float64 {
	observed := 0.0
	for _, x := range d {
		observed += x
	}
	hits := 0
	for ways := range 1 << len(d) {
		sum := 0.0
		for i, x := range d {
			if ways>>i&1 == 1 {
				x = -x
			}
			sum += x
		}
		if math.Abs(sum) >= math.Abs(observed) {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<len(d))
}

// TestFlipProperties: it is the slow sum, the order of the conditions and their unit do not matter, and differences of
// 1 and -1 make it McNemar.
func TestFlipProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := make([]float64, rapid.IntRange(0, 10).Draw(t, "n"))
		second, scaled, units := make([]float64, len(first)), make([]float64, len(first)), make([]float64, len(first))
		wins, losses := 0, 0
		for i := range first {
			first[i] = float64(rapid.IntRange(-4, 4).Draw(t, "d"))
			scaled[i] = first[i] * 0.1
			switch {
			case first[i] > 0:
				units[i], wins = 1, wins+1
			case first[i] < 0:
				units[i], losses = -1, losses+1
			}
		}
		p := Flip(first, second, 1, 0)
		if want := flipSlowly(first); p != want || p != Flip(second, first, 1, 0) || p != Flip(scaled, second, 1, 0) {
			t.Fatalf("%v: %g, want %g", first, p, want)
		}
		if got := Flip(units, second, 1, 0); !near(got, McNemar(wins, losses), 1e-12) {
			t.Fatalf("signs of %d against %d: p %g, want %g, as by McNemar", wins, losses, got, McNemar(wins, losses))
		}
	})
}
