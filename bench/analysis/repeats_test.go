package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
)

// heldTwice are debates of one round by condition, question and repeat.
func heldTwice(rounds map[string][2][2]string) (outcomes []trial.Outcome) {
	for _, condition := range []string{"mad", "other", "lost", "alone"} {
		for q, repeats := range rounds[condition] {
			for r, answers := range repeats {
				o := decidedBy([]string{"q1", "q2"}[q], "A", said(strings.Split(answers, "")...))
				o.Condition, o.Repeat = condition, r
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

func comparedOver(outcomes []trial.Outcome) Comparison {
	c := Comparison{Run: spec.Run{Questions: 2, Reference: "mad"}}
	c.Tabulate([]trial.Condition{{Name: "mad"}, {Name: "other"}, {Name: "lost"}, {Name: "alone"}},
		outcome.NewTable(outcomes),
		nil)
	return c
}

// TestRepeated is worked by hand. A half that is right costs one bit, a quarter two. The likelihoods of mad are -1 in
// both repeats, those of other -1 and -3. Both questions differ by one bit on average, which scaled to the sum over
// questions is -1; of the four ways to turn two signs, two are as extreme. Where nobody is right, the paper's value is
// minus infinity. An agent alone has neither metric.
func TestRepeated(t *testing.T) {
	outcomes := heldTwice(map[string][2][2]string{
		"mad":   {{"AABB", "AAAA"}, {"AAAA", "AABB"}},
		"other": {{"AABB", "AABB"}, {"AAAA", "ABBB"}},
		"lost":  {{"BBBB", "AAAA"}, {"AAAA", "AABB"}},
		"alone": {{"A", "A"}, {"A", "B"}},
	})
	quarter := 2 - 0.75*math.Log2(3) // entropy of 1 against 3
	want := map[string][]float64{
		"likelihood, paper of mad": {-1, -1}, "likelihood, paper of other": {-1, -3}, "likelihood, paper of lost": nil,
		"likelihood, code of mad": {-1, -1}, "likelihood, code of other": {-1, -3}, "likelihood, code of lost": {0, -1},
		"entropy, paper of mad": {0.5, 0.5}, "entropy, paper of other": {0.5, (1 + quarter) / 2},
		"entropy, paper of lost": {0, 0.5},
		"entropy, code of mad":   {0.5, 0.5}, "entropy, code of other": {0.5, (1 + quarter) / 2},
		"entropy, code of lost": {0, 0.5},
	}
	c, got := comparedOver(outcomes), make(map[string][]float64)
	for _, k := range testRepeated(c.Repeated) {
		got[k.Metric+" of "+k.Condition] = k.Values
		switch k.Metric + " of " + k.Condition {
		case "likelihood, code of other":
			if s := k.Spread(); s.Mean != -2 || math.Abs(s.Deviation-math.Sqrt2) > 1e-9 {
				t.Errorf("the spread of repeats has the mean -2 and the deviation %g: got %+v", math.Sqrt2, s)
			}
			if p := k.paired; p == nil || p.Difference != -1 || p.P < 0.5 || k.holm != 1 ||
				k.Within != (stat.Bounds{Low: -4, High: 4}) || !(p.Interval.Low < -1 && p.Interval.High > 0) {
				t.Errorf("a test of repeats has the difference -1 within its interval, a p from 0.5, and stays "+
					"within -4 to 4: got %+v, adjusted %g", p, k.holm)
			}
		case "likelihood, paper of lost", "likelihood, code of mad":
			if k.paired != nil {
				t.Errorf("%s cannot be compared, want no test: got %+v", k.Condition, k.paired)
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("the repeats are those that were worked by hand (-want +got):\n%s", diff)
	}
	text := c.RepeatsTable().Markdown()
	for _, line := range []string{
		"| likelihood, code | other | 2 | 2 | -2.000 | 1.414 | mad | -1.000 | -2.973 to +2.288 | 1.000 |",
		"| likelihood, paper | lost | 2 | 2 | – | – | mad |  |  |  |"} {
		t.Run(fmt.Sprintf("%.60s", line), func(t *testing.T) {
			if !strings.Contains(text, line) {
				t.Errorf("the table has the line %q: got\n%s", line, text)
			}
		})
	}
}

// TestRepeatedPartly: a question of which a repeat failed is in neither the spread nor the test, and without repeats
// there is no table.
func TestRepeatedPartly(t *testing.T) {
	outcomes := heldTwice(map[string][2][2]string{"mad": {{"AABB", "AAAA"}, {"AAAA", "AABB"}},
		"other": {{"AABB", "AABB"}, {"AAAA", "ABBB"}}})
	outcomes[0].Score, outcomes[0].Transcript = task.Failed, debate.Transcript{}
	for _, r := range comparedOver(outcomes).Repeated {
		want := map[string]int{"mad": 1, "other": 2}[r.Condition]
		if r.Questions != want || len(r.Pairs[0]) > 1 {
			t.Errorf("%s of %s is compared on %d questions, once each: got %d questions, %d compared",
				r.Metric, r.Condition, want, r.Questions, len(r.Pairs[0]))
		}
	}
	if once := comparedOver(outcomes[1:2]); len(once.RepeatsTable().Lines) > 0 {
		t.Errorf("debates that are held once have no table of repeats: got %+v", once.Repeated)
	}
}
