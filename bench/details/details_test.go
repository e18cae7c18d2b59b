package details

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/pairs"
)

// TestTablesOfNothing: a metric of nothing is a dash and no 0, and what no condition has is not explained.
func TestTablesOfNothing(t *testing.T) {
	half := 0.5
	c := analysis.Comparison{Rows: []analysis.Row{{Condition: "mad", Dynamics: &analysis.Dynamics{}},
		{Condition: "vote", N: 1, Dynamics: &analysis.Dynamics{}, Measures: relation.Values{
			"agreement": {State: relation.Known, Number: &half}, "entropy": {State: relation.Known, Number: &half}}}}}
	text := Debating(c, true).String()
	if line := strings.Split(text, "\n")[3]; strings.Contains(line, "0.000") || strings.Count(line, "–") < 2 {
		t.Errorf("values of nothing are shown as dashes, two or more: got %s", line)
	}
	for word, want := range map[string]bool{"For entropies": true, "Likelihood": false, "Right, then not": false,
		"Coverage area": false} {
		if caption := Debating(c, true).Caption; strings.Contains(caption, word) != want {
			t.Errorf("the caption explains %q: %v, want %v: %s", word, !want, want, caption)
		}
	}
}

// TestVariances: only conditions whose questions were repeated have a line, with the root of (1/6 + 1/6) / 3 as the
// error at one repeat.
func TestVariances(t *testing.T) {
	c := analysis.Comparison{Rows: []analysis.Row{{Condition: "mad", Dynamics: &analysis.Dynamics{},
		Variances: &pairs.Variances{Questions: 3, Within: 1. / 6, Between: 1. / 6}},
		{Condition: "vote", Dynamics: &analysis.Dynamics{}}}}
	text := Variances(c).String()
	if !strings.Contains(text, "mad") || strings.Contains(text, "vote") || !strings.Contains(text, "0.333") {
		t.Errorf("the table has a line of mad with an error of 0.333, and none of vote: got\n%s", text)
	}
	if c.Rows = c.Rows[1:]; len(Variances(c).Lines) > 0 {
		t.Errorf("without repeats there is no table of variances: got %s", Variances(c))
	}
}
