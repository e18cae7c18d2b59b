package bench_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
)

// TestDuplicates: a condition that is another one under its own name shares its row and its test, and a bound has none,
// so that p is corrected for the comparisons that there are. What their rows say of themselves stays.
func TestDuplicates(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	some, err := trial.Select(conditions, []string{"single", "vote", "oracle"})
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{"cot": "single", "cot-sc": "vote"} {
		copied := some[slices.IndexFunc(some, func(c trial.Condition) bool { return c.Name == of })]
		copied.Name = name
		some = append(some, copied)
	}
	slices.SortFunc(some, func(a, b trial.Condition) int { return strings.Compare(b.Name, a.Name) }) // cot-sc, then cot
	got, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Reference: trial.Reference},
		Task: questions, Conditions: some, Engine: benchtest.Crowd(questions)})
	if err != nil {
		t.Fatal(err)
	}
	single, cot, vote := benchtest.Row(t, got, "single"), benchtest.Row(t, got, "cot"), benchtest.Row(t, got, "vote")
	if cot.DuplicateOf != "single" || single.DuplicateOf != "" || cot.Paired != single.Paired ||
		cot.Right != single.Right || benchtest.Row(t, got, "cot-sc").DuplicateOf != "vote" {
		t.Errorf("cot is a duplicate of single, and cot-sc of vote, with the results of the first: got cot %+v, "+
			"single %+v", cot, single)
	}
	least := min(single.Paired.P, vote.Paired.P)
	if h := min(single.Paired.Holm, vote.Paired.Holm); math.Abs(h-min(1, 2*least)) > 1e-12 {
		t.Errorf("two comparisons that are tested once are corrected for two, the least p to %g: got %g",
			min(1, 2*least), h)
	}
	oracle := benchtest.Row(t, got, "oracle")
	if oracle.Paired != nil || oracle.Above == nil || oracle.Above.Questions != 40 ||
		math.Abs(oracle.Above.Difference-(oracle.Accuracy-benchtest.Row(t, got, "mad").Accuracy)) > 1e-12 {
		t.Errorf("the oracle has no test, and its gain over mad is of 40 questions: got %+v", oracle)
	}
	out := got.Document().String()
	for _, want := range []string{"Holm-corrected for 2 comparisons", "single = cot", "vote = cot-sc", "not tested"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		})
	}
	if text, err := json.Marshal(got); err != nil || !strings.Contains(string(text), `"twin_of":"vote"`) {
		t.Errorf("the JSON names the twin of a condition, vote: %v, got %s", err, text)
	}
	stop := &spec.Stopping{Condition: "oracle"}
	if _, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Stop: stop},
		Task: questions, Conditions: some,
		Engine: benchtest.Crowd(questions)}); err == nil || !strings.Contains(err.Error(), "a bound is no method") {
		t.Errorf("a run that stops when a bound is clear is refused, as \"a bound is no method\": got %v", err)
	}
}
