package stat

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestIntervalsAtAnyLevel: at every level that LeavingOut may ask for, intervals of all kinds are numbers, hold the
// estimate, and grow with the level.
func TestIntervalsAtAnyLevel(t *testing.T) {
	levels := []float64{leastLevel, 1e-9, 1e-3, 0.5, 0.95, 1 - 1e-9, 1 - leastLevel}
	rapid.Check(t, func(t *rapid.T) {
		n, times := rapid.IntRange(1, 24).Draw(t, "questions"), rapid.IntRange(1, 6).Draw(t, "repeats")
		draw := func(name string) (asked []Asked, shares []float64) {
			for i := range n {
				q := Asked{rapid.IntRange(0, times).Draw(t, fmt.Sprint(name, i)), times}
				asked, shares = append(asked, q), append(shares, q.share())
			}
			return asked, shares
		}
		first, one := draw("first")
		second, other := draw("second")
		var clusters []string
		for i := range n {
			clusters = append(clusters, fmt.Sprint(i/2))
		}
		difference, repeated := DifferenceAt(first, second)
		_, clustered := ClustersAt(one, other, clusters)
		for name, at := range map[string]func(float64) Interval{"repeated": repeated, "clustered": clustered,
			"bounded": BoundedAt(differences(one, other), clusters, -1, 1),
			"degrees": DegreesAt(one, other, clusters)} {
			last := Interval{difference, difference}
			for _, level := range levels {
				i := at(level)
				if !(i.Low <= last.Low+1e-6 && last.High-1e-6 <= i.High && i.Low >= -1 && i.High <= 1) {
					t.Errorf("%s: the interval at level %g is in -1 to 1, with that of the level before in it: got "+
						"%+v behind %+v", name, level, i, last)
				}
				last = i
			}
			p := LeavingOut(at, func(i Interval) bool { return i.Low > difference-1e-15 }, 0.95, 1-1e-9)
			if !(p >= 1-1e-9 && p <= 1) || math.IsNaN(p) {
				t.Errorf("%s: where nothing differs p is 1: got %g", name, p)
			}
		}
	})
}
