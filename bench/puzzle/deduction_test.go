package puzzle

import (
	"fmt"
	"testing"
)

// TestUnique: statements decide an order if no other one satisfies them all, also where the true one is found first.
func TestUnique(t *testing.T) {
	for _, c := range []struct {
		of   int
		says []relation
		want bool
	}{
		{1, nil, true}, {2, nil, false}, {2, []relation{{0, 1}}, true}, {2, []relation{{1, -1}}, true},
		{3, []relation{{0, 1}, {1, 2}}, true}, {3, []relation{{0, 1}, {0, 2}}, false}, {3, []relation{{2, -1}}, false},
		{3, []relation{{2, -1}, {0, 1}}, true},
	} {
		t.Run(fmt.Sprint(c.says, " of ", c.of), func(t *testing.T) {
			if got := unique(c.says, c.of); got != c.want {
				t.Errorf("%v decide the order of %d: got %t, want %t", c.says, c.of, got, c.want)
			}
		})
	}
}
