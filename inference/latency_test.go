package inference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestLatency recovers the terms that made up the times of steps, within a tenth where every step takes up to a fifth
// more or less.
func TestLatency(t *testing.T) {
	want := Latency{2e6, 5e4, 3e5, 40}
	for number, noise := range []float64{0, 0.2} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			random, f := rand.New(rand.NewPCG(1, 2)), fit{}
			for range 5000 {
				prefill, rows := 0, 1+random.IntN(64)
				if random.IntN(4) == 0 {
					prefill = random.IntN(400)
				}
				w := work(1, prefill, rows+prefill, (rows+prefill)*(50+random.IntN(800)))
				took := 0.0
				for i := range w {
					took += w[i] * want[i]
				}
				f.add(w, time.Duration(took*(1+noise*(2*random.Float64()-1))))
			}
			for i, got := range f.solve() {
				if off := math.Abs(got/want[i] - 1); off > 0.001+noise/2 {
					t.Errorf("noise %g, term %d: %g, want %g", noise, i, got, want[i])
				}
			}
		})
	}
}

// TestLatencyOfNothing, and of steps that cannot be told apart: nothing takes less than no time, and the sum is right.
func TestLatencyOfNothing(t *testing.T) {
	f := fit{}
	if p := f.solve(); p != (Latency{}) {
		t.Errorf("%v, want %v", p, (Latency{}))
	}
	for range 3 {
		f.add(work(1, 0, 1, 100), time.Millisecond)
	}
	p := f.solve()
	if got := p.Time(Stats{Steps: 10, Rows: 10, Attended: 1000}); got < 9999*time.Microsecond ||
		got > 10001*time.Microsecond || min(p[0], p[1], p[2], p[3]) < 0 {
		t.Errorf("%v by %v", got, p)
	}
}
