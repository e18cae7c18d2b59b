package offline

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
)

// TestRepeatsEverywhere holds a run of three repeats and reads it back: the result, its recount, the tables and a run
// against itself agree.
func TestRepeatsEverywhere(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Subset(6, 1)
	conditions, err := trial.Select(conditions, []string{"single", "vote", "madc"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run")
	if err := benchtest.RecordIn(t, path, bench.Options{Run: spec.Run{Repeats: 3},
		Task: questions, Conditions: conditions, Engine: benchtest.Crowd(questions)}); err != nil {
		t.Fatal(err)
	}
	run, err := rundir.ReadRun(path)
	if err != nil || !run.Finished || len(run.Outcomes) != 6*3*4 {
		t.Fatalf("3 repeats of 6 questions under 4 conditions are 72 outcomes, finished: got %d, finished %t, %v",
			len(run.Outcomes), run.Finished, err)
	}
	single := benchtest.Row(t, run.Comparison, "single")
	if single.N != 18 || single.Repeats.N != 3 || single.Paired.Test != analysis.TestFlip ||
		math.Abs(single.Repeats.Mean-single.Accuracy) > 1e-12 {
		t.Errorf("18 debates of single have 3 repeats with its accuracy in the mean, tested by flips: got %+v, "+
			"repeats %+v, test %+v", single, single.Repeats, single.Paired)
	}
	again := rescored(t, run, Rescoring{})
	if diff := cmp.Diff(run.Comparison.Rows, again.Comparison.Rows); diff != "" {
		t.Errorf("a run of repeats that is read back has its rows (-want +got):\n%s", diff)
	}
	d, err := CompareRuns(run, run, []Pair{{"mad", "single"}})
	if p := d.Pairs[0]; err != nil || p.N != 18 || p.Test != analysis.TestFlip || p.P != single.Paired.P ||
		p.Difference != single.Paired.Difference || p.OnlyIn != [2]int{} {
		t.Fatalf("the difference of two runs is tested as the row is, 18 debates by flips: got %+v, %v; the row "+
			"has %+v", p, err, single.Paired)
	}
	changed := make(map[string]bool)
	for _, c := range d.Pairs[0].Changed {
		changed[trial.CaseID(c.Question, c.Repeat)] = true
	}
	if len(changed) != len(d.Pairs[0].Changed) || len(changed) <= d.Pairs[0].Lost {
		t.Errorf("more cases changed than questions are lost (%d), each in its own place: got %d cases, %d places",
			d.Pairs[0].Lost, len(changed), len(d.Pairs[0].Changed))
	}
	decisions := slices.Collect(Decisions(run))
	if decisions[4].Repeat != 1 || decisions[4].Question != decisions[0].Question {
		t.Errorf("the fifth decision is the second repeat of the first's question %s: got %+v",
			decisions[0].Question, decisions[4])
	}
}
