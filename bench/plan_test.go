package bench_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/society"
)

// planning are the options of a run of ten questions under two conditions.
func planning(t *testing.T) bench.Options {
	t.Helper()
	questions, conditions := benchtest.Setup(t, 3, 2)
	pair, err := trial.Select(conditions, []string{"single"})
	if err != nil {
		t.Fatal(err)
	}
	return first(bench.Options{Task: questions, Conditions: pair, Engine: benchtest.Crowd(questions)}, 10)
}

// first are options of the first questions alone.
func first(o bench.Options, questions int) bench.Options {
	o.Task.Questions = append([]task.Question(nil), o.Task.Questions[:questions]...)
	return o
}

var errBroken = errors.New("broken")

// until ends a run after so many debates.
func until(o bench.Options, debates int) bench.Options {
	o.Observe = func(trial.Outcome) error {
		if debates--; debates < 0 {
			return errBroken
		}
		return nil
	}
	return o
}

// TestFollowed: a run says whether it followed the plan that its first record has, and else in what it departs from it.
func TestFollowed(t *testing.T) {
	const followed = "The run followed its plan."
	departs := func(what string) string { return "The run departs from its plan: " + what + "." }
	for name, c := range map[string]struct {
		runs func(o bench.Options) []bench.Options // one after the other in the directory
		says string
	}{
		"as planned": {func(o bench.Options) []bench.Options { return []bench.Options{o, o} }, followed},
		"interrupted, and to its end": {func(o bench.Options) []bench.Options {
			return []bench.Options{until(o, 5), o}
		}, followed},
		"stopped early, as planned": {func(o bench.Options) []bench.Options {
			questions, _ := benchtest.Setup(t, 3, 2)
			o.Task, o.Run.Stop = questions, &spec.Stopping{Condition: "single", Every: 4}
			return []bench.Options{o}
		}, followed},
		"a budget": {func(o bench.Options) []bench.Options {
			o.Run.Budget = &spec.Budget{Time: time.Hour}
			return []bench.Options{until(o, 5)}
		}, departs("5 of 20 debates held, with --for 1h0m0s")},
		"more questions": {func(o bench.Options) []bench.Options {
			return []bench.Options{first(o, 6), o}
		}, departs("questions: 6, then 10, after 12 debates")},
		"more questions before any": {func(o bench.Options) []bench.Options {
			return []bench.Options{until(first(o, 6), 0), o}
		}, departs("questions: 6, then 10, after 0 debates")},
		"more repeats and a contrast": {func(o bench.Options) []bench.Options {
			more := o
			more.Run.Repeats, more.Run.Contrasts = 2, []string{"single - mad"}
			return []bench.Options{o, more}
		}, departs("repeats: 1, then 2; contrasts: , then single - mad, after 20 debates")},
		"another reference": {func(o bench.Options) []bench.Options {
			other := o
			other.Run.Reference = "single"
			return []bench.Options{o, other}
		}, departs("reference: mad, then single, after 20 debates")},
		"another margin": {func(o bench.Options) []bench.Options {
			more := o
			more.Run.Equivalence = 0.1
			return []bench.Options{o, more}
		}, departs("equivalence: 0, then 0.1, after 20 debates")},
		"all questions in the place of a stop": {func(o bench.Options) []bench.Options {
			all := o
			o.Run.Stop = &spec.Stopping{Condition: spec.Decided, Every: 4}
			return []bench.Options{until(o, 9), all}
		}, departs("stop: when it is decided what is worth its tokens, looked at after every 4 questions, then after " +
			"all questions, after 9 debates")},
		"failed debates": {func(o bench.Options) []bench.Options {
			o.Engine = &benchtest.Mute{Engine: o.Engine, Question: o.Task.Questions[3].Text}
			return []bench.Options{o}
		}, departs("2 debates failed")},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run")
			for _, o := range c.runs(planning(t)) {
				if err := benchtest.RecordIn(t, path, o); err != nil && !errors.Is(err, errBroken) {
					t.Fatal(err)
				}
			}
			run := benchtest.ReadRun(t, path)
			if got := run.Followed(); got != c.says || len(run.PlanHash()) != 64 {
				t.Errorf("the run of plan %q says of it\n%s\nwant\n%s", run.PlanHash(), got, c.says)
			}
		})
	}
}

// TestNoPlan: a run whose first record does not say how it is tested, as those of older programs, has no plan; where
// the program tests otherwise than planned, or another version computed a part, the run says so.
func TestNoPlan(t *testing.T) {
	for name, c := range map[string]struct{ tested, version, says string }{
		"older":           {"", "", "No plan was recorded before the first question: the program was an older one."},
		"tests otherwise": {"one-sided", "", "departs from its plan: tests: one-sided, here " + analysis.Tested},
		"another version": {analysis.Tested, "2.0", "departs from its plan: parley: 1.0, then 2.0."},
		"the same":        {analysis.Tested, "1.0", "followed its plan"},
	} {
		t.Run(name, func(t *testing.T) {
			o := planning(t)
			path := filepath.Join(t.TempDir(), "run")
			h := benchtest.Header(o, o.Conditions[0].Debate.(society.Society))
			h.Tested, h.Parley = c.tested, "1.0"
			d := benchtest.OpenDirectory(t, path)
			d.Line.Parley = c.version
			if err := errors.Join(d.Begin(h), d.Start()); err != nil {
				t.Fatal(err)
			}
			o.Observe = d.Outcome
			result, err := bench.Compare(t.Context(), o)
			if err := errors.Join(err, d.End(result, o.Engine.Stats(), nil), d.Close()); err != nil {
				t.Fatal(err)
			}
			run := benchtest.ReadRun(t, path)
			if got := run.Followed(); !strings.Contains(got, c.says) || (run.PlanHash() == "") != (c.tested == "") {
				t.Errorf("the run of plan %q says of it\n%s\nwant a text with\n%s", run.PlanHash(), got, c.says)
			}
		})
	}
}

// TestDrawnAgain: a second draw of the reference is held once on each question, at the seeds of the next repeat, and is
// no part of what is compared. With repeats in its place the run goes on, and no reply that was drawn is drawn again.
func TestDrawnAgain(t *testing.T) {
	o := planning(t)
	path := filepath.Join(t.TempDir(), "run")
	again := o
	i := slices.IndexFunc(o.Conditions, func(c trial.Condition) bool { return c.Name == trial.Reference })
	again.Conditions = append(slices.Clone(o.Conditions), trial.DrawnAgain(o.Conditions[i]))
	if err := benchtest.RecordIn(t, path, again); err != nil {
		t.Fatal(err)
	}
	run, err := rundir.ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	name, second := "mad-again", make(map[string]string) // the replies, by question
	keys := func(o trial.Outcome) (list string) {
		for call := range o.Transcript.Calls() {
			list += call.Reply.Key + " "
		}
		return list
	}
	for _, o := range run.Outcomes {
		if o.Condition == name {
			second[o.Question] = keys(o)
		}
		if o.Repeat != stat.One[int](o.Condition == name) {
			t.Errorf("debates of %s are of repeat 1, all others of repeat 0: got %d in %s",
				name, o.Repeat, o.Condition)
		}
	}
	row := benchtest.Row(t, run.Comparison, name)
	if n := run.Comparison.Noise; run.Header.Again != name || len(run.Outcomes) != 30 || run.Header.Debates != 30 ||
		row.Paired != nil || n == nil || n.Again != name || !run.Finished {
		t.Errorf("30 debates, with a second draw of %s, have its noise and no test of the draw: got %d of %s, "+
			"row %+v, noise %+v", name, len(run.Outcomes), run.Header.Again, row, n)
	}
	o.Run.Repeats = 2
	if err := benchtest.RecordIn(t, path, o); err != nil {
		t.Fatalf("two repeats in the place of a second draw can be recorded: got %v, want no error", err)
	}
	if run, err = rundir.ReadRun(path); err != nil || len(run.Outcomes) != 40 || run.Comparison.Noise.Again != "" {
		t.Fatalf("with two repeats there are 40 debates, and the noise is not of a second draw: got %d, noise "+
			"%+v, %v", len(run.Outcomes), run.Comparison.Noise, err)
	}
	for _, o := range run.Outcomes {
		if o.Condition == trial.Reference && o.Repeat == 1 && keys(o) != second[o.Question] {
			t.Errorf("the second repeat of question %s has the replies of the second draw: it has others", o.Question)
		}
	}
}
