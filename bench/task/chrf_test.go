package task

import (
	"fmt"
	"math"
	"testing"
)

// TestChrF is worked by hand: of "abc" and "abd", the n-grams of one to three characters have 2 of 3, 1 of 2 and 0 of
// 1 in common, so that precision and recall are both (2/3 + 1/2 + 0) / 3, and so is their F.
func TestChrF(t *testing.T) {
	for _, c := range []struct {
		text, reference string
		want            float64
	}{
		{"", "a", 0}, {"a b c", "abc", 1}, {"abc", "abd", (2.0/3 + 1.0/2) / 3}, {"xyz", "abc", 0},
		{"aab", "ab", 5 * (2.0/3 + 1.0/2) * 2 / (4*(2.0/3+1.0/2) + 2) / 2}, // all of the reference is found
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.text, c.reference), func(t *testing.T) {
			if got := chrF(c.text, c.reference); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%q beside %q: %g, want %g", c.text, c.reference, got, c.want)
			}
		})
	}
	texts := make(gramNumbers)
	a, b := texts.profile("He left at dawn."), texts.profile("She left before dawn.")
	if got := a.chrF(b); got != chrF("He left at dawn.", "She left before dawn.") {
		t.Errorf("profiles that share their n-grams compare as the texts do: got %g", got)
	}
}
