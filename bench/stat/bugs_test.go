package stat

import (
	"math"
	"testing"
)

// TestMoreBugsPanic: NaN, lists that do not pair and numbers that nothing can have do not become a result.
func TestMoreBugsPanic(t *testing.T) {
	nan, b := math.NaN(), Bootstrap{Resamples: 10, Level: 0.95}
	one := []float64{1}
	for name, f := range map[string]func(){
		"mean of NaN":          func() { b.Mean([][]float64{{nan}, {1}}) },
		"question of nothing":  func() { b.Mean([][]float64{{}, {1}}) },
		"no resamples":         func() { Bootstrap{Level: 0.95}.Mean(nil) },
		"level of a bootstrap": func() { Bootstrap{Resamples: 1, Level: 95}.Mean(nil) },
		"unequal questions":    func() { b.Difference([][]float64{{1}}, nil) },
		"sign of NaN":          func() { Sign(one, []float64{nan}) },
		"unequal numbers":      func() { Flip(one, nil, 1, 1) },
		"flip without draws":   func() { Flip(one, one, 0, 1) },
		"p-value NaN":          func() { Holm([]float64{nan}) },
		"p-value 1.1":          func() { BenjaminiHochberg([]float64{1.1}) },
		"shares above 1":       func() { Plan{0.6, 0.6, 0.05}.Power(10) },
		"share NaN":            func() { Plan{nan, 0.6, 0.05}.Power(10) },
		"alpha 5":              func() { Plan{0.2, 0.1, 5}.Power(10) },
		"-1 questions planned": func() { Plan{0.2, 0.1, 0.05}.Power(-1) },
		"power 1":              func() { Plan{0.2, 0.1, 0.05}.Needed(1) },
		"level of a share":     func() { new(Sequential).Share(nan) },
		"seeds with NaN":       func() { Seeds([]float64{1, nan}, 0.95) },
		"level of seeds":       func() { Seeds(nil, 0) },
		"order -1":             func() { Latin(-1) },
		"agent 2 of 2":         func() { Position([][]Placed{{{2, 0, 1}}}, 2, 1, b) },
		"outcome NaN":          func() { Position([][]Placed{{{0, 0, nan}}}, 1, 1, b) },
		"-1 answers":           func() { Entropy([]int{-1}) },
		"answer -2":            func() { PairAgreement([]int{-2}) },
		"right answer -1":      func() { LogLikelihood([]Debate{{Truth: Unparsed}}, ByCode) },
		"reading 2":            func() { MeanEntropy([]Debate{{Rounds: [][]int{{0}}}}, 2) },
		"marked by no truth":   func() { MarkOf(0, Unparsed) },
		"unequal marks":        func() { new(Transitions).Count([]Mark{Right}, nil) },
		"unequal standings":    func() { new(Shifts).Count(nil, []Standing{ChaosRight}) },
		"unequal roles":        func() { Smooth([]int{0}, nil) },
		"round NaN":            func() { RoundArea([]float64{nan}) },
		"votes NaN":            func() { Coverage([]float64{nan}, []bool{true}) },
		"unequal votes":        func() { Coverage(one, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
