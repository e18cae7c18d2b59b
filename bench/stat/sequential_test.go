package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestSequential is worked by hand: n wins of n have a likelihood of 1/(n+1) if all shares are alike and of 1/2^n if
// they are equally likely. A share p is believed while p^n is at least 0.05/(n+1).
func TestSequential(t *testing.T) {
	var s Sequential
	for n := 1; n <= 30; n++ {
		s.Observe(true, true)
		s.Observe(true, false)
		if want := float64(n+1) / math.Pow(2, float64(n)); !near(s.P(), math.Min(1, want), 1e-12) {
			t.Errorf("%d wins: %g, want %g", n, s.P(), want)
		}
		want := Interval{math.Pow(0.05/float64(n+1), 1/float64(n)), 1}
		if got := s.Share(0.95); !near(got.Low, want.Low, 1e-9) || got.High != want.High {
			t.Errorf("%d wins: %+v, want %+v", n, got, want)
		}
	}
}

// TestSequentialProperties: P never grows, has no side, and the interval holds what was seen.
func TestSequentialProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, mirrored Sequential
		last, wins, differing := s.P(), 0, 0
		for _, first := range rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(t, "wins") {
			s.Observe(first, !first)
			mirrored.Observe(!first, first)
			if differing++; first {
				wins++
			}
			share, i := float64(wins)/float64(differing), s.Share(0.95)
			if s.P() > last || s.P() <= 0 || s.P() != mirrored.P() || i.Low > share || i.High < share || i.Low < 0 ||
				i.High > 1 {
				t.Fatalf("%d of %d: p %g after %g, %+v", wins, differing, s.P(), last, i)
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
			s.Observe(first, !first)
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
		t.Errorf("of %d runs %d found a difference and %d missed the share", runs, wrong, missed)
	}
}
