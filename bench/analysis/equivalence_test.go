package analysis

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/trial"
)

// tabulated compares mad with vote on questions whose repeats are r for right and w for wrong.
func tabulated(margin float64, mad, vote []string) Comparison {
	first, second := asked(mad...), asked(vote...)
	for i := range first {
		first[i].Condition = "mad"
	}
	for i := range second {
		second[i].Condition = "vote"
	}
	c := Comparison{Run: spec.Run{Reference: "mad", Questions: len(mad), Tests: spec.Tests{Equivalence: margin}}}
	c.Tabulate([]trial.Condition{{Name: "mad"}, {Name: "vote"}}, outcome.NewTable(append(first, second...)), nil)
	return c
}

// TestEquivalence: the test is Tango's where there are pairs of answers, t where questions have repeats, and none where
// the repeats of one question do not pair.
func TestEquivalence(t *testing.T) {
	repeated := func(n int, text string) (list []string) {
		for range n {
			list = append(list, text)
		}
		return list
	}
	for name, c := range map[string]struct {
		mad, vote []string
		want      string // the verdict, "" of none
		test      string
	}{
		"asked once, alike":   {repeated(60, "r"), repeated(60, "r"), pairs.Equivalent, TestMcNemar},
		"asked once, too few": {repeated(10, "r"), repeated(10, "r"), pairs.NotShown, TestMcNemar},
		"asked once, better":  {repeated(60, "w"), repeated(60, "r"), pairs.NotInferior, TestMcNemar},
		"asked once, worse":   {repeated(60, "r"), repeated(60, "w"), pairs.NotShown, TestMcNemar},
		"one question": {[]string{strings.Repeat("rw", 40)}, []string{strings.Repeat("rw", 40)}, pairs.Equivalent,
			TestSamples},
		"one question, not paired": {[]string{"r"}, []string{"rrr"}, "", TestFisher},
		"repeats": {append(repeated(60, "rrw"), "rww"), append(repeated(60, "rwr"), "rrw"), pairs.Equivalent,
			TestFlip},
		"repeats that never vary": {repeated(40, "rrw"), repeated(40, "rwr"), pairs.Equivalent, TestFlip},
		"few that never vary":     {repeated(4, "rrw"), repeated(4, "rwr"), pairs.NotShown, TestFlip},
	} {
		compared := tabulated(0.1, c.mad, c.vote)
		p := compared.Rows[1].Paired
		got := ""
		if p.Equivalence != nil {
			got = p.Equivalence.Verdict
		}
		if got != c.want || p.Test != c.test {
			t.Errorf("%s: %q by %s, want %q by %s: %+v", name, got, p.Test, c.want, c.test, p.Equivalence)
		}
		text := compared.Table(false).String()
		if legend := compared.Legend(false); !strings.Contains(text, "WITHIN ±0.1") || !strings.Contains(text, got) ||
			strings.Contains(legend, "two one-sided tests") != (got != "") {
			t.Errorf("%s: the table has the column within 0.1 with %q, and a legend only for tests: got\n%s\n%s", name,
				got, text, legend)
		}
	}
}

// TestNoEquivalence: without a margin, all is as if there were no such test.
func TestNoEquivalence(t *testing.T) {
	mad, vote := []string{"rrw", "rww", "rrr"}, []string{"rrr", "rww", "www"}
	without, with := tabulated(0, mad, vote), tabulated(0.1, mad, vote)
	data, err := json.Marshal(without)
	if err != nil {
		t.Fatal(err)
	}
	if text := without.Table(false).String() + without.Legend(false) + string(data); strings.Contains(text, "WITHIN") ||
		strings.Contains(text, "equivalen") {
		t.Errorf("nobody asked for equivalence, and nothing tells of it: got\n%s", text)
	}
	with.Rows[1].Paired.Equivalence = nil
	if diff := cmp.Diff(without.Rows, with.Rows); diff != "" {
		t.Errorf("without a margin the rows are those without the test (-want +got):\n%s", diff)
	}
}

// TestEquivalenceAtTheMargin: differences that are the margin but for rounding have a verdict as others do. All counts
// of right repeats of two questions under two conditions are compared that differ by as much.
func TestEquivalenceAtTheMargin(t *testing.T) {
	const repeats, margin = 5, 0.2
	var counts []stat.Asked
	for right := range repeats + 1 {
		counts = append(counts, stat.Asked{Right: right, Times: repeats})
	}
	tested := 0
	for i := range 36 * 36 {
		a, b := []stat.Asked{counts[i/216], counts[i/36%6]}, []stat.Asked{counts[i/6%6], counts[i%6]}
		if a[0].Right+a[1].Right-b[0].Right-b[1].Right != 2 || a[0].Right < a[1].Right {
			continue
		}
		_, at := stat.DifferenceAt(a, b)
		e := pairs.TOST(differencesOf(a, b), nil, reach(""), within(margin)).Bounded(at)
		if !(e.Low > 0 && e.Low < 0.5 && e.High > 0.49 && e.High <= 1 && e.Verdict != pairs.Equivalent) {
			t.Errorf("%v against %v is at the margin: p below is under 0.5, above from 0.49, and equivalence is "+
				"not shown: got %+v", a, b, e)
		}
		tested++
	}
	if tested < 60 {
		t.Errorf("60 tests or more were made: got %d, want more", tested)
	}
}

// TestPanicCostsOneTest: a comparison, or a step, that panics says why, and all others are there.
func TestPanicCostsOneTest(t *testing.T) {
	p, why := attempt(nil, "", func() (*Paired, string) { panic("a level of 0") })
	if p != nil || !strings.Contains(why, "internal error: a level of 0, at analysis.TestPanicCostsOneTest") {
		t.Errorf("a panic of a test is its reason, with the place: got %+v, %q", p, why)
	}
	whole := steps
	t.Cleanup(func() { steps = whole })
	steps = slices.Insert(slices.Clone(steps), 1, func(*Comparison, planned, *outcome.Table) { panic("no step") })
	c := tabulated(0, []string{"rrw", "rww"}, []string{"rrr", "rww"})
	text := c.Document().String()
	if c.Rows[1].Paired == nil || len(c.Faults) != 1 ||
		!strings.Contains(text, "not computed: internal error: no step") {
		t.Errorf("a panic costs one test, and the others are told: got %+v\n%s", c, text)
	}
	c.Rows[1].Paired, c.Rows[1].Untested = nil, why
	if text := c.Table(false).String(); !strings.Contains(text, "a level of 0") {
		t.Errorf("the table says why there is no test, \"a level of 0\": got\n%s", text)
	}
}
