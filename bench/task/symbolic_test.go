package task

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/symbolic"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestSymbolic: beside the string rule, a MATH answer is right in part where it has the target's value; never where the
// string rule has it right and this not.
func TestSymbolic(t *testing.T) {
	m := Task{Measure: "math"}
	q := Question{Truth: answer.Of(answer.NormalizeMath("56"))}
	for reply, want := range map[string]struct {
		score   Score
		partial float64
	}{
		`\boxed{56}`: {Right, 1}, `\boxed{56.0}`: {Wrong, 1}, `\boxed{56\text{inches}}`: {Wrong, 1},
		`\boxed{xyz=56}`: {Wrong, 1}, `\boxed{\frac{112}{2}}`: {Wrong, 1},
		`\boxed{57}`: {Wrong, 0}, "56": {Unparsed, 0},
	} {
		t.Run(reply, func(t *testing.T) {
			given := answer.Math(reply)
			if score, partial := m.Score(q, given), m.Partial(q, given); score != want.score || partial == nil ||
				*partial != want.partial {
				t.Errorf("%s: want %v and a part of %g, got %v, %v", reply, want.score, want.partial, score, partial)
			}
		})
	}
}

// TestSymbolicOnMATH: of all pairs of MATH-500's answers that differ as texts, those that are found the same have been
// read one by one.
func TestSymbolicOnMATH(t *testing.T) {
	report, err := Load(datatest.Public(t, "math500", "test.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var all []string
	for _, q := range report.Questions {
		if !seen[q.Truth.Text] {
			all, seen[q.Truth.Text] = append(all, q.Truth.Text), true
		}
	}
	var same []string
	for i, a := range all {
		for _, b := range all[i+1:] {
			if symbolic.Same(a, b) {
				same = append(same, a+" and "+b)
			}
		}
	}
	if diff := cmp.Diff([]string{"1,-2 and -2,1", "10,080 and 10080", `15 and 15\mbox{cm}^2`}, same); diff != "" {
		t.Errorf("of %d texts three pairs are the same (-want +got):\n%s", len(all), diff)
	}
}
