package bench

import (
	"strings"
	"testing"
)

func TestCompareRuns(t *testing.T) {
	_, run := finished(t)
	d, err := CompareRuns(run, run, nil)
	if err != nil || len(d.Headers) != 0 || len(d.Pairs) != len(run.Header.Conditions) {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, p := range d.Pairs {
		if p.N != 10 || p.Difference != 0 || p.P != 1 || p.Gained+p.Lost+len(p.Changed) != 0 || p.Accuracy[0] != p.Accuracy[1] {
			t.Errorf("a run differs from itself: %+v", p)
		}
	}
	pairs, err := ParsePairs([]string{"mad=single"})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = CompareRuns(run, run, pairs); err != nil {
		t.Fatal(err)
	}
	result, err := run.Score(Rescoring{})
	if err != nil {
		t.Fatal(err)
	}
	p, want := d.Pairs[0], row(t, result.Comparison, "single").Paired
	if p.Difference != want.Difference || p.Interval != want.Interval || p.P != want.P || p.Gained != want.OnlyFirst || p.Lost != want.OnlySecond || p.Lost == 0 || len(p.Changed) != p.Gained+p.Lost {
		t.Errorf("%+v, the table has %+v", p, want)
	}
}

func TestCompareRunsOfDifferentWidth(t *testing.T) {
	_, run := finished(t)
	small := run
	small.Header.Questions, small.Header.Seed, small.Header.Conditions = 4, 2, run.Header.Conditions[:4]
	small.Outcomes = run.Outcomes[:4*(len(run.Header.Conditions)-1)] // one of them comes after all others
	d, err := CompareRuns(run, small, nil)
	if err != nil || len(d.Pairs) != 4 || d.Pairs[0].N != 4 || d.Pairs[0].OnlyIn != [2]int{6, 0} {
		t.Errorf("%+v, %v", d, err)
	}
	var out strings.Builder
	if err := d.Write(&out, true); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"seed: 1 | 2\n", "questions: 10 | 4\n", "DIFFERENCE", "6 debates are in the first run alone"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("lacks %q:\n%s", text, out.String())
		}
	}
	if _, err := CompareRuns(run, small, []Pair{{"single", "oracle"}}); err == nil || !strings.Contains(err.Error(), `second run: no condition "oracle"`) {
		t.Error(err)
	}
	small.Outcomes = append([]Outcome{}, small.Outcomes...)
	small.Outcomes[0].Target = "(Q)"
	if _, err := CompareRuns(run, small, nil); err == nil || !strings.Contains(err.Error(), "not the same questions") {
		t.Error(err)
	}
	small.Outcomes = nil
	if _, err := CompareRuns(run, small, nil); err == nil || !strings.Contains(err.Error(), "no question in common") {
		t.Error(err)
	}
	small.Header.Conditions = []string{"other"}
	if _, err := CompareRuns(run, small, nil); err == nil || !strings.Contains(err.Error(), "pair some with --conditions") {
		t.Error(err)
	}
	for _, bad := range []string{"=", "a=", "=b", ""} {
		if _, err := ParsePairs([]string{bad}); err == nil {
			t.Errorf("%q is a pair", bad)
		}
	}
}
