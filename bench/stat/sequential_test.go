package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/soak"
)

// TestSequential is worked by hand: n wins of n have a likelihood of 1/(n+1) if all shares are alike and of 1/2^n if
// they are equally likely. A share p is believed while p^n is at least 0.05/(n+1).
func TestSequential(t *testing.T) {
	var s Sequential
	for n := 1; n <= 30; n++ {
		s.Observe(0)
		s.Observe(1)
		if want := float64(n+1) / math.Pow(2, float64(n)); !near(s.P(), math.Min(1, want), 1e-12) {
			t.Errorf("%d wins: %g, want %g", n, s.P(), want)
		}
		want := Interval{math.Pow(0.05/float64(n+1), 1/float64(n)), 1}
		if got := s.Share(0.95); !near(got.Low, want.Low, 1e-9) || got.High != want.High {
			t.Errorf("%d wins: %+v, want %+v", n, got, want)
		}
	}
}

func sign(first bool) float64 {
	if first {
		return 1
	}
	return -1
}

// TestSequentialParts is worked by hand: the mean over all bets b of (1 + b/2)(1 - b) is 1 - 1/2 · 1/3. Differences
// that are nearly whole are worth as much as whole ones, and the quadrature as much as the closed form.
func TestSequentialParts(t *testing.T) {
	var s, nearly, whole Sequential
	s.Observe(0.5)
	s.Observe(-1)
	if got, want := s.capital(), math.Log(5.0/6); !near(got, want, 1e-12) || s.P() != 1 {
		t.Errorf("capital %g, want %g, p %g", got, want, s.P())
	}
	for i := range 3000 {
		d := sign(i%3 > 0)
		nearly.Observe(d * (1 - 1e-12))
		whole.Observe(d)
	}
	if got, want := nearly.capital(), whole.capital(); !near(got, want, 1e-6) {
		t.Errorf("capital %g, in closed form %g", got, want)
	}
	of, share := nearly.Mean(0.95), whole.Share(0.95)
	if want := (Interval{2*share.Low - 1, 2*share.High - 1}); !near(of.Low, want.Low, 1e-6) ||
		!near(of.High, want.High, 1e-6) {
		t.Errorf("mean %+v, from shares %+v", of, want)
	}
	var none Sequential
	if got := none.Mean(0.95); got != (Interval{-1, 1}) {
		t.Errorf("before any question the interval is -1 to 1: got %+v", got)
	}
}

// TestSequentialProperties: P never grows, has no side, and the interval holds what was seen.
func TestSequentialProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, mirrored Sequential
		last, wins, differing := s.P(), 0, 0
		for _, first := range rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(t, "wins") {
			s.Observe(sign(first))
			mirrored.Observe(-sign(first))
			if differing++; first {
				wins++
			}
			share, i := float64(wins)/float64(differing), s.Share(0.95)
			if s.P() > last || s.P() <= 0 || s.P() != mirrored.P() || i.Low > share || i.High < share || i.Low < 0 ||
				i.High > 1 {
				t.Fatalf("after %d of %d p never grows (from %g), is above 0 and has no side, and the interval "+
					"has the share in it: got p %g, mirrored %g, %+v", wins, differing, last, s.P(), mirrored.P(), i)
			}
			last = s.P()
		}
	})
}

// TestSequentialLooks looks after each of 400 questions: equal conditions are called different in few runs, and the
// interval leaves out the true share in few.
func TestSequentialLooks(t *testing.T) {
	random, wrong, missed := rand.New(rand.NewPCG(1, 2)), 0, 0
	const runs = 1000
	for range runs {
		var s Sequential
		miss := false
		for q := range 400 {
			first := random.IntN(2) == 0
			s.Observe(sign(first))
			if q%20 == 0 {
				i := s.Share(0.95)
				miss = miss || i.Low > 0.5 || i.High < 0.5
			}
		}
		if s.P() <= 0.05 {
			wrong++
		}
		if miss {
			missed++
		}
	}
	if wrong > 50 || missed > 50 || wrong == 0 {
		t.Errorf("of %d runs 1 to 50 find a difference that is none, and 50 or fewer miss the share: got %d and "+
			"%d", runs, wrong, missed)
	}
}

// TestSequentialUnequal looks after each of 300 questions, of which one condition gets each right in all repeats or in
// none and the other in some, as often: both are called different in few runs. Counts of the questions that each got
// right more often would tell them apart in nearly all runs.
func TestSequentialUnequal(t *testing.T) {
	runs := 100
	if soak.On() {
		runs = 20_000
	}
	for _, mean := range []float64{0.5, 0.85} {
		t.Run(fmt.Sprint(mean), func(t *testing.T) {
			for _, repeats := range []int{3, 10} {
				for _, unequal := range [][2]float64{{1, 0}, {0.5, 0.05}} {
					c, wrong := newCrowd(repeats, int(100*mean)), 0
					for range runs {
						var s Sequential
						for range 300 {
							first := c.ask(c.chance(mean, unequal[0]), repeats)
							s.Observe(first.share() - c.ask(c.chance(mean, unequal[1]), repeats).share())
						}
						if s.P() <= 0.05 {
							wrong++
						}
					}
					if tooMany(Share(wrong, runs), runs, 0.05) {
						t.Errorf("mean %g, %d repeats, spreads %v: of %d runs 0.05 or fewer find a difference "+
							"that is none: got %d", mean, repeats, unequal, runs, wrong)
					}
					t.Logf("mean %g, %d repeats, spreads %v: %.3f", mean, repeats, unequal, Share(wrong, runs))
				}
			}
		})
	}
}

// TestSequentialFinds: a difference of 0.15 is found in most runs of 300 questions, and the interval holds it.
func TestSequentialFinds(t *testing.T) {
	c, found, missed := newCrowd(3), 0, 0
	const runs = 60
	for range runs {
		var s Sequential
		for range 300 {
			s.Observe(c.ask(c.chance(0.7, 1), 3).share() - c.ask(c.chance(0.55, 0.1), 3).share())
		}
		if s.P() <= 0.05 {
			found++
		}
		if i := s.Mean(0.95); i.Low > 0.15 || i.High < 0.15 {
			missed++
		}
	}
	if found < runs*3/4 || missed > runs/10 {
		t.Errorf("of %d runs 3/4 or more find the difference, and 1/10 or fewer miss it with the interval: got "+
			"%d and %d", runs, found, missed)
	}
}
