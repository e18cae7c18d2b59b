package scheduler

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/step"
)

// TestPacked packs tokens of every kind, and unpacks the same, to the bit.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := []step.Token{0, 1, 15, 16, 127, 128, 151_935, math.MaxInt32, -1}
	id := func() step.Token { return ids[r.IntN(len(ids))] }
	logProb := func() float32 { return []float32{0, -0.125, -1e-7, float32(math.Inf(-1))}[r.IntN(4)] }
	for range 1000 {
		var tokens []step.Sampled
		for range r.IntN(20) {
			s := step.Sampled{Token: id(), LogProb: logProb(), End: r.IntN(4) == 0, Put: r.IntN(4) == 0}
			if r.IntN(3) == 0 {
				s.Stuck = step.Stuck(r.IntN(3))
			}
			for range r.IntN(3) {
				s.Alternatives = append(s.Alternatives, step.Alternative{Token: id(), LogProb: logProb()})
			}
			tokens = append(tokens, s)
		}
		if diff := cmp.Diff(tokens, slices.Collect(pack(tokens).all)); diff != "" {
			t.Fatal(diff)
		}
	}
}
