package stat_test

import (
	"math"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/stat"
)

// TestPass goes over all ways to take k of n answers, for all n, all numbers of right ones and all k.
func TestPass(t *testing.T) {
	tried := 0
	for n := range 9 {
		for right := range n + 1 {
			for k := 1; k <= 10; k++ {
				some, all, ways := 0.0, 0.0, 0.0
				for taken := range uint(1 << n) {
					if bits.OnesCount(taken) != k {
						continue
					}
					of := bits.OnesCount(taken & (1<<right - 1))
					ways++
					if of > 0 {
						some++
					}
					if of == k {
						all++
					}
				}
				q := stat.Asked{Right: right, Times: n}
				one, known := stat.PassAny(q, k)
				each, both := stat.PassAll(q, k)
				if known != (k <= n) || both != known ||
					known && (math.Abs(one-some/ways) > 1e-12 || math.Abs(each-all/ways) > 1e-12) {
					t.Errorf("%d of %d right, k %d: %g (%t) and %g (%t), want %g and %g of %g", right, n, k, one, known,
						each, both, some, all, ways)
				}
				tried++
			}
		}
	}
	if tried != 450 {
		t.Errorf("%d cases were tried, want 450", tried)
	}
}

// TestPassHasNoBias: over all numbers of right answers, as likely as a binomial has them, the mean is the chance of k
// new answers, where the share of the answers at hand in place of the estimate would be off.
func TestPassHasNoBias(t *testing.T) {
	for _, n := range []int{2, 5, 20, 200} {
		for _, k := range []int{1, 2, 5, 20} {
			for _, p := range []float64{0, 0.01, 0.3, 0.5, 0.97, 1} {
				var some, all, plain float64
				for right := range n + 1 {
					weight := binomial(n, right, p)
					one, known := stat.PassAny(stat.Asked{Right: right, Times: n}, k)
					each, _ := stat.PassAll(stat.Asked{Right: right, Times: n}, k)
					if known != (k <= n) {
						t.Fatalf("pass@%d of %d tries is known where there are as many tries: got known %t",
							k, n, known)
					}
					some, all = some+weight*one, all+weight*each
					plain += weight * math.Pow(float64(right)/float64(n), float64(k))
				}
				if k > n {
					continue
				}
				wantAny, wantAll := 1-math.Pow(1-p, float64(k)), math.Pow(p, float64(k))
				if math.Abs(some-wantAny) > 1e-9 || math.Abs(all-wantAll) > 1e-9 {
					t.Errorf("n %d, k %d, p %g: %g and %g, want %g and %g", n, k, p, some, all, wantAny, wantAll)
				}
				if biased := plain - math.Pow(p, float64(k)); n == 5 && k == 2 && p == 0.5 && biased < 0.04 {
					t.Errorf("the plain power is off by %g alone, so that this test shows nothing", biased)
				}
			}
		}
	}
}

func binomial(n, right int, p float64) float64 {
	if p == 0 || p == 1 {
		if float64(right) == p*float64(n) {
			return 1
		}
		return 0
	}
	return distuv.Binomial{N: float64(n), P: p}.Prob(float64(right))
}
