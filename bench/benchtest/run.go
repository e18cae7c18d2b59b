package benchtest

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// Setup returns 40 generated puzzles and the standard conditions of societies, worded for the embedded model, without
// those that score options.
func Setup(t *testing.T, agents, rounds int) (task.Task, []trial.Condition) {
	t.Helper()
	questions, err := task.Generate(3, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	conditions, err := trial.Conditions(society.Society{Agents: agents, Rounds: rounds, Prompts: set,
		Asking:   debate.Asking{Seeds: debate.Seeds{Run: 1}},
		Exchange: society.Exchange{Order: society.Order{Name: "fixed", Reading: "code"}}})
	if err != nil {
		t.Fatal(err)
	}
	// the puzzles have their options in the text alone, where they cannot be scored
	return questions, slices.DeleteFunc(conditions, func(c trial.Condition) bool {
		return strings.HasPrefix(c.Name, "likelihood")
	})
}

// Row returns the row of a condition.
func Row(t *testing.T, c analysis.Comparison, name string) analysis.Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Condition == name {
			return r
		}
	}
	t.Fatalf("no row %q", name)
	return analysis.Row{}
}

// RecordRun holds a comparison in a new run directory and returns its path.
func RecordRun(t *testing.T, questions task.Task, conditions []trial.Condition, engine inference.Engine) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	if err := RecordIn(t, path, bench.Options{Task: questions, Conditions: conditions, Engine: engine}); err != nil {
		t.Fatal(err)
	}
	return path
}

// RecordIn holds a comparison in a run directory, or resumes it there. The first condition must be a society. Replies
// are journalled when their debate ends, whatever the engine.
func RecordIn(t *testing.T, path string, options bench.Options) error {
	t.Helper()
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := options.Complete(); err != nil {
		t.Fatal(err)
	}
	base := options.Conditions[0].Debate.(society.Society)
	for _, c := range options.Conditions {
		if c.Name == trial.Reference {
			base = c.Debate.(society.Society)
		}
	}
	if err := d.Begin(Header(options, base)); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	before := options.Observe
	options.Observe = func(o trial.Outcome) error {
		if before != nil {
			if err := before(o); err != nil {
				return err
			}
		}
		for _, round := range o.Transcript.Stages() {
			for _, turn := range round {
				if seen[turn.Reply.Key] || turn.Error != "" {
					continue
				}
				seen[turn.Reply.Key] = true
				sampling := base.Sampling
				sampling.Seed = base.Seeds.Of(o.Case(), turn.Agent, turn.Round, turn.Sample)
				if err := d.Generation(inference.Generation{Name: o.Question, Agent: turn.Agent,
					Messages: turn.Messages, Sampling: sampling, Reply: turn.Reply}); err != nil {
					return err
				}
			}
		}
		return d.Outcome(o)
	}
	if options.Earlier, err = d.TotalWork(); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	result, err := bench.Compare(t.Context(), options)
	return errors.Join(d.End(result, options.Engine.Stats(), err), d.Close())
}

// Header describes a run whose debates are asked as one of them, base, is.
func Header(options bench.Options, base society.Society) rundir.Header {
	options.Run.On(options.Task)
	options.Run.Asking(base)
	return bench.NewHeader(options)
}

// Finished holds a run of ten questions on a Crowd, and returns its directory and what ReadRun reads from it.
func Finished(t *testing.T) (path string, run rundir.Run) {
	t.Helper()
	questions, conditions := Setup(t, 3, 2)
	questions.Questions = questions.Questions[:10]
	path = RecordRun(t, questions, conditions, Crowd(questions))
	return path, ReadRun(t, path)
}

// ReadRun is rundir.ReadRun of a run that has to be readable.
func ReadRun(t testing.TB, path string) rundir.Run {
	t.Helper()
	run, err := rundir.ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// OpenDirectory is rundir.OpenDirectory of one that has to open. The caller closes it.
func OpenDirectory(t testing.TB, path string) *rundir.Directory {
	t.Helper()
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
