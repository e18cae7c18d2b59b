package rundir

import (
	"fmt"
	"testing"
	"time"
)

// TestLeft works times by hand. Ten debates with three generations each are expected.
func TestLeft(t *testing.T) {
	ten := func(debates, held, generations int) Count {
		return Count{Debates: debates, Expected: 10, Conditions: 2, Held: held, Generations: generations}
	}
	for _, test := range []struct {
		name      string
		is        Count
		before    Count
		took      time.Duration
		left      time.Duration
		stopsText string
	}{
		{"nothing", ten(0, 0, 0), Count{}, time.Second, -1, ""},
		{"no debate yet", ten(0, 0, 5), Count{}, time.Second, -1, ""},
		{"none of one condition", ten(1, 3, 5), Count{}, time.Second, -1, ""},
		{"one at a time", ten(2, 6, 6), Count{}, 12 * time.Second, 48 * time.Second, "at most about 48s left"},
		{"nine more are under way", ten(2, 6, 15), Count{}, 15 * time.Second, 15 * time.Second,
			"at most about 15s left"},
		{"debates share what they generate", ten(4, 4, 4), Count{}, 4 * time.Second, 6 * time.Second,
			"at most about 6s left"},
		{"resumed", ten(4, 12, 18), ten(2, 6, 12), 6 * time.Second, 12 * time.Second, "at most about 12s left"},
		{"resumed, and nothing is new", ten(4, 12, 18), ten(4, 12, 18), 6 * time.Second, -1, ""},
		{"no time", ten(2, 6, 6), Count{}, 0, -1, ""},
		{"more generations than expected", ten(5, 10, 24), Count{}, time.Second, -1, ""},
		{"all recorded", ten(10, 30, 30), ten(10, 30, 30), time.Second, 0, "at most about 0s left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			left := test.is.Left(test.before, test.took)
			if text := TimeLeft(left, true); left != test.left || text != test.stopsText {
				t.Errorf("%v, %q, want %v, %q", left, text, test.left, test.stopsText)
			}
		})
	}
}

// TestCountTexts says what is counted.
func TestCountTexts(t *testing.T) {
	c := Count{Debates: 1234, Failed: 2, Expected: 5000, Generations: 1, Tokens: 54_321, PromptTokens: 200_000,
		CachedTokens: 150_999}
	want := "1,234 of 5,000 debates (2 failed) [54,321 tokens (1,234/s) 1 generation 75 % of prompt tokens saved]"
	if got := fmt.Sprint(c.Done(), " ", c.Work(1234.5)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "0 of 0 debates [0 tokens 0 generations]"
	if got := fmt.Sprint(Count{}.Done(), " ", Count{}.Work(-1)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
