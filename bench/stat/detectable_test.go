package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/internal/soak"
)

// TestDetectableMean: of sixteen differences of one standard deviation the standard error is a quarter. Where the
// interval is that of t, its end and the quantile of t are nearly the mean of noncentral t, 2.996 standard errors; with
// the spread unknown it is more. A wider interval asks for as much more.
func TestDetectableMean(t *testing.T) {
	differences := make([]float64, 16)
	for i := range differences {
		differences[i] = math.Sqrt(15.0/16) * float64(1-2*(i%2)) / 4
	}
	s := Seeds(differences, 0.95)
	got, known := DetectableMean(differences, s.Interval, 0.05, 0.8)
	if !known || !near(got, 3.17/16, 0.002) || got < 2.996/16 {
		t.Errorf("16 pairs detect a mean of 3.17/16, more than the z test's 2.996/16: got %g, known %v", got, known)
	}
	wide := Interval{s.Interval.Low - 0.1, s.Interval.High + 0.1}
	if got, known = DetectableMean(differences, wide, 0.05, 0.8); !known ||
		!near(got, 0.1+(2.1314+0.8662)/16, 1e-4) {
		t.Errorf("with a wider interval the detectable mean is %g: got %g, known %t",
			0.1+(2.1314+0.8662)/16, got, known)
	}
	for _, none := range [][]float64{nil, {1}, {0.5, 0.5}, differences[:9], make([]float64, 20)} {
		t.Run(fmt.Sprint(none), func(t *testing.T) {
			if got, known := DetectableMean(none, Interval{-1, 1}, 0.05, 0.8); known {
				t.Errorf("%v: %g, want !known", none, got)
			}
		})
	}
}

// TestTDetects: of many runs of normal differences, each of which names a mean, other runs find it in four of five.
func TestTDetects(t *testing.T) {
	for number, n := range []int{10, 30, 100} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(n), 5))
			mean, found := tDetects(n, 0.05, 0.8), 0
			const runs = 4000
			draw := func() Spread {
				sample := make([]float64, n)
				for i := range sample {
					sample[i] = random.NormFloat64()
				}
				return Seeds(sample, 0.95)
			}
			for range runs {
				said, again := mean*draw().Error, draw()
				if again.Interval.Low+said > 0 {
					found++
				}
			}
			if power := Share(found, runs); !near(power, 0.8, 0.02) {
				t.Errorf("%d pairs: what is called detectable is found in 0.8 of runs: got %.3f", n, power)
			}
		})
	}
}

// TestDetectablePower: where two conditions differ by as much as a run says that it detects with power 0.8, three
// quarters of runs or more find it, at any spread of the questions; if it said too much, all would.
func TestDetectablePower(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	samples, all, designs := 150, 0.0, 0.0
	if soak.On() {
		samples = 2000
	}
	for _, n := range []int{10, 30, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, m := range []int{3, 20} {
				for _, spreads := range [][2]float64{{0.05, 0.05}, {0.3, 0.3}, {1, 0.05}} {
					c := newCrowd(n, m, int(100*spreads[0]), int(100*spreads[1]))
					power := c.power(n, m, samples, spreads)
					all, designs = all+power, designs+1
					if tooFew(power, samples, 0.72) {
						t.Errorf("%d questions, %d repeats, spreads %v: what is called detectable is found in "+
							"0.72 of runs or more: got %.3f", n, m, spreads, power)
					}
				}
			}
		})
	}
	t.Logf("mean power %.3f", all/designs)
	if all /= designs; all < 0.78 || all > 0.92 {
		t.Errorf("mean power %.3f, want at least 0.78 and at most 0.92", all)
	}
}

// power is how often a difference is found that is as large as runs with it say, in the mean, that they would detect.
func (c *crowd) power(questions, repeats, samples int, spreads [2]float64) float64 {
	const low = 0.3
	runs := func(difference float64, samples int) (said, found float64) {
		known := 0
		for range samples {
			first, second := make([]Asked, questions), make([]Asked, questions)
			for i := range first {
				first[i] = c.ask(c.chance(low+difference, spreads[0]), repeats)
				second[i] = c.ask(c.chance(low, spreads[1]), repeats)
			}
			p := compareRepeated(first, second, 0.95, 200, 1, c.posterior)
			d, ok := DetectableMean(differences(sharesOf(first), sharesOf(second)), p.Interval, 0.05, 0.8)
			if ok {
				said, known = said+d, known+1
			}
			if p.P <= 0.05 {
				found += 1 / float64(samples)
			}
		}
		return said / float64(max(1, known)), found
	}
	inside, outside := 0.0, 1-low
	for range 6 {
		middle := (inside + outside) / 2
		if said, _ := runs(middle, 40); said > middle {
			inside = middle
		} else {
			outside = middle
		}
	}
	_, found := runs(outside, samples)
	return found
}
