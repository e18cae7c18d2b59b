package stat

import (
	"testing"

	"pgregory.net/rapid"
)

// TestHolm is worked by hand from the definition (Holm 1979): the smallest of four p-values times 4, the next times 3
// and so on, none below the one before.
func TestHolm(t *testing.T) {
	want := []float64{0.03, 0.06, 0.06, 0.02}
	for i, got := range Holm([]float64{0.01, 0.04, 0.03, 0.005}) {
		if !near(got, want[i], 1e-12) {
			t.Errorf("%d: %g, want %g", i, got, want[i])
		}
	}
}

// TestBenjaminiHochberg has the 15 p-values of Benjamini and Hochberg (Journal of the Royal Statistical Society B 57,
// 1995, 289-300, section 4.1): their procedure calls the first four different at 0.05, correction for any error only
// three.
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
		0.6528, 0.7590, 1}
	called := func(adjusted []float64) (n int) {
		for _, x := range adjusted {
			if x <= 0.05 {
				n++
			}
		}
		return n
	}
	adjusted := BenjaminiHochberg(p)
	if got := called(adjusted); got != 4 || !near(adjusted[3], 0.0095*15/4, 1e-12) {
		t.Errorf("of 15 tests 4 are called different, the fourth at %g: got %d, at %g", 0.0095*15/4, got, adjusted[3])
	}
	if got := called(Holm(p)); got != 3 {
		t.Errorf("Holm calls %d different, want 3", got)
	}
}

// TestAdjustProperties: nothing becomes smaller, order stays, Holm is at least as strict, and one test needs no
// correction.
func TestAdjustProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 12).Draw(t, "p")
		holm, bh := Holm(p), BenjaminiHochberg(p)
		for i := range p {
			if holm[i] < bh[i]-1e-15 || bh[i] < p[i] || holm[i] > 1 || len(p) == 1 && holm[i] != p[i] {
				t.Fatalf("an adjusted p is no smaller than p, and Holm's no smaller than Benjamini-Hochberg's, "+
					"at most 1: got of %v Holm %v, Benjamini-Hochberg %v", p, holm, bh)
			}
			for j := range p {
				if p[i] <= p[j] && (holm[i] > holm[j] || bh[i] > bh[j]) {
					t.Fatalf("an adjustment keeps the order of p: got of %v Holm %v, Benjamini-Hochberg %v",
						p, holm, bh)
				}
			}
		}
	})
}

// TestAgreesWithStatsmodels compares Holm, Benjamini and Hochberg, and exact McNemar with tools/fixtures/statistics.py.
func TestAgreesWithStatsmodels(t *testing.T) {
	var reference struct {
		Adjusted []struct{ P, Holm, BH []float64 }
		Exact    []struct {
			First, Second int
			P             float64
		}
	}
	readReference(t, "reference.json", &reference)
	compared := 0
	for _, c := range reference.Adjusted {
		for name, of := range map[string][2][]float64{"Holm": {Holm(c.P), c.Holm},
			"Benjamini and Hochberg": {BenjaminiHochberg(c.P), c.BH}} {
			for i, got := range of[0] {
				if compared++; !near(got, of[1][i], 1e-12) {
					t.Errorf("%s of %d tests: p %g becomes %g in statsmodels: got %g",
						name, len(c.P), c.P[i], of[1][i], got)
				}
			}
		}
	}
	for _, c := range reference.Exact {
		if compared++; !near(McNemar(c.First, c.Second), c.P, 1e-12) {
			t.Errorf("McNemar's p of %d and %d is %g in statsmodels: got %g",
				c.First, c.Second, c.P, McNemar(c.First, c.Second))
		}
	}
	if compared < 80 {
		t.Errorf("%d numbers were compared, want 80", compared)
	}
}
