package offline

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
)

// spans are three questions of SQuAD 2.0's form, and what is answered to them: F1 2/3, 1 and 0.
func spans(t *testing.T) (task.Task, *inference.Script) {
	t.Helper()
	questions, err := task.Rows("spans", "squad2", []byte(`[
		{"context": "The Normans came from the north.", "question": "Who came?", "answers": {"text": ["the old Normans"]}, "is_impossible": false},
		{"context": "Rollo was their leader.", "question": "Who led?", "answers": {"text": ["Rollo"]}, "is_impossible": false},
		{"context": "Rollo was their leader.", "question": "Who followed?", "answers": {"text": []}, "is_impossible": true}]`))
	if err != nil {
		t.Fatal(err)
	}
	return questions, inference.NewScript(func(r inference.Request) string {
		if strings.Contains(r.Messages[len(r.Messages)-1].Content, "Who came?") {
			return "The answer is Normans"
		}
		return "The answer is Rollo"
	})
}

// TestPartialScores: F1 is in the outcomes, the rows, the tables and the exported decisions of a run, also after a
// run of before there was any is scored by its task.
func TestPartialScores(t *testing.T) {
	questions, engine := spans(t)
	_, conditions := benchtest.Setup(t, 2, 1)
	path := benchtest.RecordRun(t, questions, conditions[:2], engine)
	run := benchtest.ReadRun(t, path)
	checkSpans(t, run.Comparison)
	if decisions := slices.Collect(Decisions(run)); decisions[0].Partial == nil ||
		math.Abs(*decisions[0].Partial-2.0/3) > 1e-12 {
		t.Errorf("exported %+v, want two thirds right", decisions[0])
	}
	for i := range run.Outcomes {
		run.Outcomes[i].Partial = nil
	}
	if before, err := rundir.NewRun(run.Header, run.Outcomes); err != nil || before.Comparison.Rows[0].Partial != nil ||
		strings.Contains(before.Comparison.Table(false).String(), "F1") {
		t.Errorf("a run without degrees has no part and no column F1: got %+v, %v",
			before.Comparison.Rows[0].Partial, err)
	}
	again := rescored(t, run, Rescoring{Task: &questions})
	checkSpans(t, again.Comparison)
}

func checkSpans(t *testing.T, c analysis.Comparison) {
	t.Helper()
	for _, r := range c.Rows {
		if p := r.Partial; p == nil || p.Degree != "f1" || math.Abs(p.Mean-(2.0/3+1+0)/3) > 1e-12 ||
			p.Interval == nil || p.Interval.Low >= p.Mean || p.Interval.High <= p.Mean {
			t.Errorf("%s: the mean F1 of 2/3, 1 and 0 is %g, within its interval: got %+v", r.Condition, (2.0/3+1+0)/3,
				r.Partial)
		}
		if r.Right != 1 {
			t.Errorf("%s: %d right, want 1", r.Condition, r.Right)
		}
		if value, known := r.Number("f1"); !known || value != r.Partial.Mean {
			t.Errorf("%s: as a published measure %g, %v; want true and %v", r.Condition, value, known, r.Partial.Mean)
		}
		if _, known := r.Number("smooth"); known {
			t.Error("spans have no players, and a smooth share is known, want it unknown")
		}
	}
	if text := c.Table(false).String(); !strings.Contains(text, "F1") || !strings.Contains(text, "0.556 (") {
		t.Errorf("the table has the column F1 with 0.556: got\n%s", text)
	}
}
