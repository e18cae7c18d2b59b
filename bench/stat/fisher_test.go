package stat

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestFisher has the lady who tastes tea (3 of 4 against 1 of 4: 34 of 70), and one answer against fifty.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		first, second Asked
		want          float64
	}{
		{Asked{3, 4}, Asked{1, 4}, 34.0 / 70}, {Asked{4, 4}, Asked{0, 4}, 2.0 / 70}, {Asked{0, 50}, Asked{1, 1},
			1.0 / 51}, {Asked{1, 1}, Asked{50, 50}, 1}, {Asked{0, 3}, Asked{0, 1}, 1},
	} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			if got := Fisher(c.first, c.second); !near(got, c.want, 1e-9) {
				t.Errorf("%+v: %g, want %g", c, got, c.want)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		q := questions(t, 2, "times")
		p := Fisher(q[0], q[1])
		if !(p > 0 && p <= 1) || !near(p, Fisher(q[1], q[0]), 1e-9) {
			t.Fatalf("%+v: p is above 0, at most 1, and the same the other way round: got %g and %g",
				q, p, Fisher(q[1], q[0]))
		}
	})
}

// TestFisherIsExact compares with whole numbers: ways that are exactly as likely as the observed one count.
func TestFisherIsExact(t *testing.T) {
	ways := func(n, k int) *big.Int { return new(big.Int).Binomial(int64(n), int64(k)) }
	equal := 0
	for n := 1; n <= 14; n++ {
		for m := 1; m <= n; m++ {
			for right := range n + m + 1 {
				for seen := max(0, right-m); seen <= min(n, right); seen++ {
					at := func(k int) *big.Int { return new(big.Int).Mul(ways(n, k), ways(m, right-k)) }
					sum := new(big.Int)
					for k := max(0, right-m); k <= min(n, right); k++ {
						if c := at(k).Cmp(at(seen)); c <= 0 {
							sum.Add(sum, at(k))
							equal += 1 - c*c
						}
					}
					want, _ := new(big.Rat).SetFrac(sum, ways(n+m, right)).Float64()
					if got := Fisher(Asked{seen, n}, Asked{right - seen, m}); !near(got, want, 1e-9) {
						t.Fatalf("%d of %d against %d of %d: %g, want %g", seen, n, right-seen, m, got, want)
					}
				}
			}
		}
	}
	if equal < 1000 {
		t.Errorf("%d equally likely ways: hardly anything was tested, want at least 1000", equal)
	}
}
