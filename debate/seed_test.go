package debate

import "testing"

// TestSeeds is a golden test: changing the encoding would change every experiment.
func TestSeeds(t *testing.T) {
	if got, want := (Seeds{Run: 1}).Of("q1", 2, 3, 4), uint64(0x4113ffe898b5d5a0); got != want {
		t.Errorf("seed %#x, want %#x", got, want)
	}
	seen := map[uint64]bool{}
	for run := range uint64(3) {
		for agent := range 3 {
			for round := range 3 {
				for sample := range 3 {
					seen[Seeds{run}.Of("q", agent, round, sample)] = true
				}
			}
		}
	}
	if len(seen) != 81 {
		t.Errorf("81 names gave %d seeds, want 81", len(seen))
	}
}
