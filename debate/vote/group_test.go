package vote

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestGroupConfidence: what calculate_tail_confidence and calculate_bottom_window_confidence of DeepConf's program
// (facebookresearch/deepconf, utils.py) give for these tokens.
func TestGroupConfidence(t *testing.T) {
	nine := []float64{9.551, 13.814, 18.237, 17.693, 12.579, 13.835, 5.518, 8.641, 16.961, 11.215, 7.595, 13.232,
		15.546, 15.117, 10.621, 11.584, 12.626, 16.677, 12.814, 10.899, 12.345, 5.444, 5.652, 15.551, 19.748}
	for _, c := range []struct {
		tokens               []float64
		window               int
		tail, bottom, lowest float64
	}{
		{nil, 4, 0, 0, 0},
		{[]float64{7.015}, 4, 7.015, 7.015, 7.015},
		{[]float64{17.712, 16.457, 8.826}, 4, 14.331666667, 14.331666667, 14.331666667},
		{[]float64{12.432, 11.742, 14.774, 16.831}, 4, 13.94475, 13.94475, 13.94475},
		{[]float64{6.408, 5.425, 17.536, 11.492, 16.434}, 4, 12.72175, 10.21525, 10.21525},
		{nine, 3, 13.650333333, 8.348, 7.813666667},
	} {
		for name, want := range map[string]float64{TailConfidence: c.tail, BottomGroups: c.bottom,
			LowestGroup: c.lowest} {
			if got := GroupConfidence(name, c.tokens, c.window); math.Abs(got-want) > 1e-8 {
				t.Errorf("%s of %v in groups of %d: %g, want %g", name, c.tokens, c.window, got, want)
			}
		}
	}
}

// TestGroupConfidenceBounds: the lowest group is no higher than the lowest tenth, nor that than the mean of the groups;
// the tail is one of the groups; and in one group all three are the mean.
func TestGroupConfidenceBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.Float64Range(0, 30), 1, 60).Draw(t, "tokens")
		window := rapid.IntRange(1, 70).Draw(t, "window")
		of := func(name string) float64 { return GroupConfidence(name, tokens, window) }
		lowest, bottom, tail := of(LowestGroup), of(BottomGroups), of(TailConfidence)
		low, high := slices.Min(tokens), slices.Max(tokens)
		if lowest > bottom+1e-6 || lowest > tail+1e-6 || lowest < low-1e-6 || bottom > high+1e-6 || tail > high+1e-6 {
			t.Fatalf("the lowest is %g, the bottom %g and the tail %g, want the lowest least, and all from %g to %g, "+
				"as the tokens", lowest, bottom, tail, low, high)
		}
		if window >= len(tokens) && (lowest != bottom || lowest != tail) {
			t.Fatalf("one group has the lowest %g, bottom %g and tail %g, want them equal", lowest, bottom, tail)
		}
	})
}
