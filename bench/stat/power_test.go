package stat

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestPower is worked by hand: at 0.05 six questions are a difference only if one condition wins all of them.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		n    int
		want float64
	}{
		{Plan{1, 0, 0.05}, 5, 0},
		{Plan{1, 0, 0.05}, 6, 1},
		{Plan{0.9, 0, 0.05}, 6, math.Pow(0.9, 6)},
		{Plan{0.5, 0.3, 0.05}, 6, math.Pow(0.5, 6) + math.Pow(0.3, 6)},
		{Plan{0, 0, 0.05}, 50, 0},
		{Plan{0.2, 0.1, 0.05}, 0, 0},
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			if got := c.plan.Power(c.n); !near(got, c.want, 1e-12) {
				t.Errorf("%+v of %d: %g, want %g", c.plan, c.n, got, c.want)
			}
		})
	}
}

// TestPowerSum compares it with the sum over all tables of three counts.
func TestPowerSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := rapid.Float64Range(0.01, 0.6).Draw(t, "first"),
			rapid.Float64Range(0.01, 0.39).Draw(t, "second")
		p := Plan{first, second, rapid.Float64Range(0.001, 0.3).Draw(t, "alpha")}
		n, want := rapid.IntRange(0, 30).Draw(t, "n"), 0.0
		gamma := func(k int) float64 { g, _ := math.Lgamma(float64(k + 1)); return g }
		for b := range n + 1 {
			for c := range n - b + 1 {
				if McNemar(b, c) <= p.Alpha {
					rest := n - b - c
					chance := gamma(n) - gamma(b) - gamma(c) - gamma(rest) + float64(b)*math.Log(p.OnlyFirst) +
						float64(c)*math.Log(p.OnlySecond)
					want += math.Exp(chance + float64(rest)*math.Log(1-p.OnlyFirst-p.OnlySecond))
				}
			}
		}
		if got := p.Power(n); !near(got, want, 1e-9) {
			t.Fatalf("%+v of %d: %g, want %g", p, n, got, want)
		}
	})
}

// TestPowerProperties: twice the questions find more, a strict level finds less, the conditions may be swapped, and
// equal conditions are called different no more often than the level.
func TestPowerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		second := rapid.Float64Range(0.01, 0.2).Draw(t, "second")
		p := Plan{3 * second, second, 0.05}
		n := rapid.IntRange(1, 150).Draw(t, "n")
		power := p.Power(n)
		strict, swapped := Plan{3 * second, second, 0.01}, Plan{second, 3 * second, 0.05}
		if p.Power(2*n) < power || strict.Power(n) > power || !near(swapped.Power(n), power, 1e-9) {
			t.Fatalf("power grows with questions and level, and knows no side: got %+v of %d with %g, twice as "+
				"many %g, stricter %g, swapped %g", p, n, power, p.Power(2*n), strict.Power(n), swapped.Power(n))
		}
		if size := (Plan{second, second, 0.05}).Power(n); size > 0.05 {
			t.Fatalf("%g of equal conditions are called different, want at most 0.05", size)
		}
	})
}

// TestNeeded: as many questions are needed as first reach the power, and no fewer do.
func TestNeeded(t *testing.T) {
	p := Plan{0.2, 0.1, 0.05}
	n, reached := p.Needed(0.8)
	if !reached || p.Power(n) < 0.8 || p.Power(n-1) >= 0.8 {
		t.Errorf("%d questions (reached: %t) are not the fewest with a power of 0.8: %g, and %g with one less", n,
			reached, p.Power(n), p.Power(n-1))
	}
	// The usual approximation (Connor, Biometrics 43, 1987, 207-211) is near.
	sum, difference := 0.3, 0.1
	approximate := math.Pow(1.959964*math.Sqrt(sum)+0.841621*math.Sqrt(sum-difference*difference),
		2) / (difference * difference)
	if math.Abs(float64(n)-approximate) > 0.08*approximate {
		t.Errorf("the number of questions is within 8 %% of the approximation, %.0f: got %d", approximate, n)
	}
	if n, reached := (Plan{1, 0, 0.05}).Needed(0.8); n != 6 || !reached {
		t.Errorf("always the first: %d, %v; want 6 and true", n, reached)
	}
	if n, reached := (Plan{0.001, 0.001, 0.05}).Needed(0.8); reached {
		t.Errorf("equal conditions are never told apart: got %d questions, want none", n)
	}
}

// TestDetectable: six questions that all fall to one side are a difference, and 0.9635 to the sixth is 0.8; five are
// none.
func TestDetectable(t *testing.T) {
	for _, c := range []struct {
		n          int
		discordant float64
		want       float64
		reached    bool
	}{{6, 0, 0.964, true}, {6, 1, 0.927, true}, {5, 1, 0, false}, {0, 0.2, 0, false}} {
		if got, reached := Detectable(c.n, c.discordant, 0.05, 0.8); reached != c.reached || reached && got != c.want {
			t.Errorf("%+v: detectable %g, reached %t, want %g, %t", c, got, reached, c.want, c.reached)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n, discordant := rapid.IntRange(6, 200).Draw(t, "n"), rapid.Float64Range(0, 0.6).Draw(t, "discordant")
		d, reached := Detectable(n, discordant, 0.05, 0.8)
		plan := Plan{OnlyFirst: (max(d, discordant) + d) / 2, OnlySecond: (max(d, discordant) - d) / 2, Alpha: 0.05}
		if !reached || plan.Power(n) < 0.8-1e-9 {
			t.Fatalf("%g is detectable with power 0.8 or more: got %g, reached %t", d, plan.Power(n), reached)
		}
	})
}
