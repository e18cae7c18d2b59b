package agreement

import (
	"math"
	"testing"
)

// TestBugsPanic: NaN, lists that do not pair and answers that nothing can have do not become a result.
func TestBugsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"-1 answers":         func() { entropy([]int{-1}) },
		"answer -2":          func() { PairAgreement([]int{-2}) },
		"right answer -1":    func() { LogLikelihood([]Debate{{Key: Key{Unparsed}}}, ByCode) },
		"reading 2":          func() { MeanEntropy([]Debate{{Rounds: [][]int{{0}}}}, 2) },
		"marked by no truth": func() { correctnessOf(0, Unparsed) },
		"unequal standings":  func() { new(Shifts).Count(nil, []Standing{ChaosRight}) },
		"unequal roles":      func() { Smooth([]int{0}, nil) },
		"round NaN":          func() { RoundArea([]float64{math.NaN()}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an error of the caller, and panics: it did not", name)
				}
			}()
			f()
		})
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
