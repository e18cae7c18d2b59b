package stat

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestFisher has the lady who tastes tea (3 of 4 against 1 of 4: 34 of 70), and one answer against fifty.
func TestFisher(t *testing.T) {
	for i, c := range []struct {
		first, second Asked
		want          float64
	}{
		{Asked{3, 4}, Asked{1, 4}, 34.0 / 70}, {Asked{4, 4}, Asked{0, 4}, 2.0 / 70}, {Asked{0, 50}, Asked{1, 1},
			1.0 / 51}, {Asked{1, 1}, Asked{50, 50}, 1}, {Asked{0, 3}, Asked{0, 1}, 1},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if got := Fisher(c.first, c.second); !near(got, c.want, 1e-9) {
				t.Errorf("%+v: %g, want %g", c, got, c.want)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		q := questions(t, 2, "times")
		p := Fisher(q[0], q[1])
		if !(p > 0 && p <= 1) || !near(p, Fisher(q[1], q[0]), 1e-9) {
			t.Fatalf("%+v: %g, the other way round %g", q, p, Fisher(q[1], q[0]))
		}
	})
}
