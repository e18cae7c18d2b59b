package details

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/pairs"
)

// TestTablesOfNothing: a metric of nothing is a dash and no 0, and groups of questions have their table.
func TestTablesOfNothing(t *testing.T) {
	half := 0.5
	c := analysis.Comparison{Rows: []analysis.Row{{Condition: "mad", Dynamics: &analysis.Dynamics{},
		Groups: []analysis.Grouped{{Group: "answerable", N: 4}}},
		{Condition: "vote", N: 1, Dynamics: &analysis.Dynamics{}, Measures: relation.Values{
			"agreement": {State: relation.Known, Number: &half}, "entropy": {State: relation.Known, Number: &half}}}}}
	text := Document(c).String()
	if table := strings.Split(text, "\n")[5]; strings.Contains(table, "0.000") || strings.Count(table, "–") < 2 {
		t.Errorf("values of nothing are shown: %s", table)
	}
	if groups := c.GroupsTable().String(); !strings.Contains(text, groups) {
		t.Errorf("the details lack the groups:\n%s\nwant in them:\n%s", text, groups)
	}
}

// TestVariances: only conditions whose questions were repeated have a line, with the root of (1/6 + 1/6) / 3 as the
// error at one repeat.
func TestVariances(t *testing.T) {
	rows := []analysis.Row{{Condition: "mad",
		Variances: &pairs.Variances{Questions: 3, Within: 1. / 6, Between: 1. / 6}}, {Condition: "vote"}}
	text := variances(rows).String()
	if !strings.Contains(text, "mad") || strings.Contains(text, "vote") || !strings.Contains(text, "0.333") {
		t.Errorf("%s\nwant a line of mad with an error of 0.333, and none of vote", text)
	}
	if text := variances(rows[1:]); text != nil {
		t.Errorf("without repeats there is a table: %s", text)
	}
}
