package agreement

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestAlpha has the four observers and twelve units, with missing data, for which Krippendorff (Computing
// Krippendorff's Alpha-Reliability, 2011, section C) works out 0.743.
func TestAlpha(t *testing.T) {
	const o = Unparsed
	observers := [4][12]int{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, o, o, o},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, o, 3},
		{o, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, o},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, o},
	}
	questions := make([][]int, 12)
	for q := range questions {
		for _, answers := range observers {
			questions[q] = append(questions[q], answers[q])
		}
	}
	if got, known := Alpha(questions); !known || !near(got, 0.743, 5e-4) {
		t.Errorf("alpha of the published example is 0.743: got %g, known %v", got, known)
	}
	for _, nothing := range [][][]int{nil, {{1, o}, {2}}, {{1, 1}, {1, 1, o}}} {
		t.Run(fmt.Sprint(nothing), func(t *testing.T) {
			if got, known := Alpha(nothing); known {
				t.Errorf("%v: %g, want !known", nothing, got)
			}
		})
	}
}

// TestPairAgreement has the ten subjects that 14 raters put into five categories in the worked example of the
// encyclopedia article on Fleiss' kappa (Psychological Bulletin 76, 1971, 378-382): agreement of pairs 1.000, 0.253 and
// so on, mean 0.378.
func TestPairAgreement(t *testing.T) {
	sum := 0.0
	for i, c := range []struct {
		counts []int
		want   float64
	}{
		{[]int{0, 0, 0, 0, 14}, 1}, {[]int{0, 2, 6, 4, 2}, 0.253}, {[]int{0, 0, 3, 5, 6}, 0.308},
		{[]int{0, 3, 9, 2, 0}, 0.440},
		{[]int{2, 2, 8, 1, 1}, 0.330}, {[]int{7, 7, 0, 0, 0}, 0.462}, {[]int{3, 2, 6, 3, 0}, 0.242},
		{[]int{2, 5, 3, 2, 2}, 0.176},
		{[]int{6, 5, 2, 1, 0}, 0.286}, {[]int{0, 2, 2, 3, 7}, 0.286},
	} {
		got, known := PairAgreement(append(votes(c.counts...), Unparsed))
		if !known || !near(got, c.want, 5e-4) {
			t.Errorf("%d: %g, want %g", i, got, c.want)
		}
		sum += got
	}
	if !near(sum/10, 0.378, 5e-4) {
		t.Errorf("mean of ten: %g, want 0.378 to 0.0005", sum/10)
	}
	if got, known := PairAgreement([]int{3, Unparsed}); known {
		t.Errorf("one answer agrees with nobody, want it unknown: got %g", got)
	}
}

// TestAlphaProperties: it is at most 1, and 1 only where all pairs agree; names of answers and order of agents do not
// matter.
func TestAlphaProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		questions := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(-1, 3), 0, 6), 0, 8).Draw(t, "answers")
		renamed, agreed := make([][]int, len(questions)), true
		for i, answers := range questions {
			for j := range answers {
				a := answers[len(answers)-1-j]
				if a != Unparsed {
					a = 10 - a
				}
				renamed[i] = append(renamed[i], a)
			}
			share, known := PairAgreement(answers)
			agreed = agreed && (!known || share == 1)
		}
		alpha, known := Alpha(questions)
		again, knownAgain := Alpha(renamed)
		if known != knownAgain || !near(alpha, again, 1e-9) || alpha > 1 || known && (alpha > 1-1e-9) != agreed {
			t.Fatalf("alpha is the same under other names, at most 1, and 1 just where all agree (%t): got %g, "+
				"renamed %g", agreed, alpha, again)
		}
	})
}
