package inference

import (
	"math"
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// TestConfidenceAt: as compute_confidence of DeepConf's program, over the k most probable tokens, of which the drawn
// one need not be one; what has probability 0 is none.
func TestConfidenceAt(t *testing.T) {
	never := float32(math.Inf(-1))
	for _, c := range []struct {
		drawn float32
		best  []float32
		k     int
		want  float64
	}{
		{-0.1, []float32{-2.5, -7.3456}, 3, 3.315},
		{-3, []float32{-0.5, -1}, 3, 1.5},
		{-9, []float32{-0.5, -1}, 2, 0.75}, // the drawn one is the third
		{-0.5, []float32{-1, -9}, 2, 0.75},
		{-2, []float32{-0.5, never}, 3, 1.25},
		{0, []float32{never, never}, 2, 0}, // a certain token leaves no other
	} {
		s := step.Sampled{LogProb: c.drawn}
		for _, p := range c.best {
			s.Alternatives = append(s.Alternatives, step.Alternative{LogProb: p})
		}
		if got := confidenceAt(s, c.k); got != c.want {
			t.Errorf("%g beside %g, of %d: %g, want %g", c.drawn, c.best, c.k, got, c.want)
		}
	}
}
