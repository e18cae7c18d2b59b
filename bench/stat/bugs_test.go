package stat

import (
	"math"
	"testing"
)

// TestMoreBugsPanic: NaN, lists that do not pair and numbers that nothing can have do not become a result.
func TestMoreBugsPanic(t *testing.T) {
	nan := math.NaN()
	one := []float64{1}
	for name, f := range map[string]func(){
		"2 right of 1":         func() { Accuracy([]Asked{{2, 1}}, 0.95) },
		"question not asked":   func() { Accuracy([]Asked{{}}, 0.95) },
		"level of an accuracy": func() { Accuracy(nil, 95) },
		"unequal questions":    func() { Difference([]Asked{{1, 1}}, nil, 0.95) },
		"bounded by NaN":       func() { Bounded([]float64{0, nan}, 0, 1, 0.95) },
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
		"agent 2 of 2":         func() { Position([][]Placed{{{2, 0, 1}}}, 2, 1, 0.95) },
		"outcome NaN":          func() { Position([][]Placed{{{0, 0, nan}}}, 1, 1, 0.95) },
		"votes NaN":            func() { Coverage([]float64{nan}, []bool{true}) },
		"unequal votes":        func() { Coverage(one, nil) },
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
