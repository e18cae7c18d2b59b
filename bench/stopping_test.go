package bench_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/datatest"
)

// stopping are the options of a run of 40 questions that may stop when single differs from mad; a third condition
// builds on single.
func stopping(t *testing.T) bench.Options {
	t.Helper()
	questions, conditions := benchtest.Setup(t, 3, 2)
	pair, err := trial.Select(conditions, []string{"single"})
	if err != nil {
		t.Fatal(err)
	}
	echoes := trial.Condition{Name: "echo", Debate: echo{}, DependsOn: "single"}
	return bench.Options{Run: spec.Run{Stop: &spec.Stopping{Condition: "single", Every: 4}},
		Task: questions, Conditions: append(pair, echoes), Engine: benchtest.Errant(questions)}
}

// stopped records the run in a new directory and reads it.
func stopped(t *testing.T, o bench.Options) (path string, run rundir.Run) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "whole")
	if err := benchtest.RecordIn(t, path, o); err != nil {
		t.Fatal(err)
	}
	return path, benchtest.ReadRun(t, path)
}

// TestStopping ends a run after the first block in which the comparison is clear.
func TestStopping(t *testing.T) {
	_, run := stopped(t, stopping(t))
	s := run.Comparison.Stopped
	if !run.Finished || s == nil || !s.Clear || s.Planned != 40 || s.Asked%4 != 0 || s.Asked >= 40 || *s.P > 0.05 ||
		s.Wins.High >= 0.5 {
		t.Fatalf("a clear difference ends the run of 40 questions early, after a whole block of 4, with p up to "+
			"0.05: finished %v, %+v", run.Finished, s)
	}
	if run.Comparison.Questions != s.Asked || len(run.Outcomes) != 3*s.Asked || run.Header.Debates != 120 {
		t.Errorf("a stopped run has 3 debates for each of the %d questions that it asked, of 120: got %d "+
			"questions, %d debates of %d", s.Asked, run.Comparison.Questions, len(run.Outcomes), run.Header.Debates)
	}
	for i, o := range run.Outcomes { // block by block, and at the end of each what builds on others
		if want := (i%12 >= 8); want != (o.Condition == "echo") {
			t.Fatalf("in a block of 12 the last 4 debates are of echo: got %s as debate %d", o.Condition, i)
		}
	}
}

// TestStoppingTests: all tests of a run that may stop are sequential ones, and rescoring repeats them. That of echo is
// that of single, whose debates it repeats.
func TestStoppingTests(t *testing.T) {
	_, run := stopped(t, stopping(t))
	single, s := benchtest.Row(t, run.Comparison, "single").Paired, run.Comparison.Stopped
	if single.Test != analysis.TestSequential || single.P != *s.P || single.Holm != *s.P ||
		single.Detectable != nil || benchtest.Row(t, run.Comparison, "echo").Paired != single {
		t.Errorf("a run that may stop early has the sequential test (p %g) and no other: got %+v", *s.P, single)
	}
	again, err := offline.Rescore(run, offline.Rescoring{})
	want, wantErr := json.MarshalIndent(run.Comparison.Result(), "", " ")
	got, gotErr := json.MarshalIndent(again.Result, "", " ")
	if err := errors.Join(err, wantErr, gotErr); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("a run that is rescored gives the same result (-want +got):\n%s", diff)
	}
}

// TestStoppingResumed: a run that is interrupted on the way stops where it would have stopped, with the same result.
func TestStoppingResumed(t *testing.T) {
	options := stopping(t)
	whole, _ := stopped(t, options)
	interrupted := filepath.Join(t.TempDir(), "interrupted")
	broken, seen := errors.New("broken"), 0
	options.Observe = func(trial.Outcome) error {
		if seen++; seen == 15 {
			return broken
		}
		return nil
	}
	if err := benchtest.RecordIn(t, interrupted, options); !errors.Is(err, broken) {
		t.Fatalf("an interrupted run ends with the error of its engine, %v: got %v", broken, err)
	}
	if run, err := rundir.ReadRun(interrupted); err != nil || run.Finished || run.Comparison.Stopped.Clear {
		t.Errorf("an interrupted run is neither finished nor clear: got %+v, %v", run.Comparison.Stopped, err)
	}
	if err := benchtest.RecordIn(t, interrupted, options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read(t, whole), read(t, interrupted)); diff != "" {
		t.Errorf("an interrupted run stops with the result of a whole one (-want +got):\n%s", diff)
	}
}

// read is the result of a run as its directory has it.
func read(t *testing.T, directory string) string {
	t.Helper()
	return string(datatest.Read(t, filepath.Join(directory, "result.json")))
}

// TestNothingToStopFor: two conditions that do the same are asked to the end.
func TestNothingToStopFor(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	pair, err := trial.Select(conditions, []string{"madc"})
	if err != nil {
		t.Fatal(err)
	}
	pair[1].Name, pair[1].Debate = "same", pair[0].Debate
	got, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Stop: &spec.Stopping{Condition: "same",
		Every: 15}},
		Task: questions, Conditions: pair, Engine: benchtest.Crowd(questions)})
	if err != nil || got.Stopped.Clear || got.Stopped.Asked != 40 || *got.Stopped.P != 1 || got.Questions != 40 ||
		got.Guess != questions.Guess {
		t.Fatalf("where nothing differs all 40 questions are asked and p is 1: got %+v of %d questions, guess %g "+
			"(want %g), %v", got.Stopped, got.Questions, got.Guess, questions.Guess, err)
	}
	out := got.Document().String()
	if !strings.Contains(out, "asked all of its 40 questions") ||
		!strings.Contains(out, "nothing is tested") || got.Rows[1].Same == nil {
		t.Errorf("it says that all questions were asked and nothing is tested: twin %v\n%s", got.Rows[1].Same,
			out)
	}
}

func TestWrongStopping(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	for want, stop := range map[string]spec.Stopping{
		"both have to be conditions":              {Condition: "nobody"},
		"name another condition":                  {Condition: trial.Reference},
		"stop-every -1: must be from 1 to 500000": {Condition: "single", Every: -1},
		"alpha 1.5: must be from":                 {Condition: "single", Alpha: 1.5},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Stop: &stop},
				Task: questions, Conditions: conditions,
				Engine: benchtest.Crowd(questions)}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want an error with %v", stop, err, want)
			}
		})
	}
}

// TestOldResult: a result of a program that knew less is read with what can be counted of its debates.
func TestOldResult(t *testing.T) {
	path, run := benchtest.Finished(t)
	old := run.Comparison
	old.Rows = slices.Clone(old.Rows)
	for i := range old.Rows {
		row := &old.Rows[i]
		row.Dynamics = nil
		if row.Paired != nil {
			row.Paired = &analysis.Paired{Paired: row.Paired.Paired}
		}
	}
	text, err := json.Marshal(old)
	if err != nil {
		t.Fatal(err)
	}
	datatest.Write(t, filepath.Join(path, "result.json"), text)
	got, err := rundir.ReadRun(path)
	if err != nil || !got.Finished || len(got.Comparison.Failed) != 0 {
		t.Fatalf("an old result is read as finished, without failures: got finished %t, %v, %v",
			got.Finished, got.Comparison.Failed, err)
	}
	if diff := cmp.Diff(run.Comparison.Rows, got.Comparison.Rows); diff != "" {
		t.Errorf("an old result is read with the counts of its debates (-want +got):\n%s", diff)
	}
}
