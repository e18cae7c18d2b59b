package stat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCoverageCurve is worked by hand: four answers, two of them with the same votes.
func TestCoverageCurve(t *testing.T) {
	curve := Coverage([]float64{0.4, 1, 0.6, 0.6}, []bool{false, true, true, false})
	want := []Covered{{1, 0.25, 1}, {0.6, 0.75, 2.0 / 3}, {0.4, 1, 0.5}}
	if diff := cmp.Diff(want, curve); diff != "" {
		t.Errorf("the curve is the one that was worked by hand (-want +got):\n%s", diff)
	}
	if got, want := CoverageArea(curve), 0.25*1+0.5*(1+2.0/3)/2+0.25*(2.0/3+0.5)/2; !near(got, want, 1e-12) {
		t.Errorf("area %g, want %g", got, want)
	}
	if got := Coverage(nil, nil); got != nil || CoverageArea(got) != 0 {
		t.Errorf("without answers there is no curve, and an area of 0: got %v", got)
	}
}

// TestCoverageProperties: the curve ends at all questions, coverage grows as votes fall, and votes that put right
// answers first have an area of at least the accuracy of all.
func TestCoverageProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		right := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(t, "right")
		votes, perfect, nRight := make([]float64, len(right)), make([]float64, len(right)), 0
		for i, r := range right {
			votes[i] = float64(rapid.IntRange(0, 10).Draw(t, "votes")) / 10
			if r {
				perfect[i], nRight = 1, nRight+1
			}
		}
		curve, accuracy := Coverage(votes, right), float64(nRight)/float64(len(right))
		if last := curve[len(curve)-1]; last.Coverage != 1 || !near(last.Accuracy, accuracy, 1e-12) {
			t.Fatalf("the curve ends at all questions with the accuracy %g: got %v", accuracy, curve)
		}
		for i := 1; i < len(curve); i++ {
			if curve[i].Votes >= curve[i-1].Votes || curve[i].Coverage <= curve[i-1].Coverage {
				t.Fatalf("fewer votes cover more questions, step by step: got %v", curve)
			}
		}
		if area := CoverageArea(curve); area < 0 || area > 1 ||
			CoverageArea(Coverage(perfect, right)) < accuracy-1e-12 {
			t.Fatalf("an area lies in 0 to 1, and that of perfect votes is %g or more: got %g of %v",
				accuracy, area, curve)
		}
	})
}
