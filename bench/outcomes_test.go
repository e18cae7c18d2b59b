package bench

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/bench/task"
	"parley/debate/society"
	"parley/inference"
)

// recordRun holds a comparison of so many questions in a new directory. The engine may be anything; what it says goes
// into the journals.
func recordRun(t *testing.T, questions task.Task, conditions []Condition, engine inference.Engine) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	if err := recordIn(t, path, Options{Task: questions, Conditions: conditions, Engine: engine}); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordIn holds a comparison in a directory, or goes on with it. Its first condition is a society.
func recordIn(t *testing.T, path string, options Options) error {
	t.Helper()
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := options.Validate(); err != nil {
		t.Fatal(err)
	}
	base := options.Conditions[0].Debate.(society.Society)
	for _, c := range options.Conditions {
		if c.Name == Reference {
			base = c.Debate.(society.Society)
		}
	}
	header := NewHeader(options, base)
	if err := d.Begin(header); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	before := options.Observe
	options.Observe = func(o Outcome) error {
		if before != nil {
			if err := before(o); err != nil {
				return err
			}
		}
		for _, round := range o.Transcript.Rounds {
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
	result, err := Compare(t.Context(), options)
	if err == nil {
		err = d.Finish(result)
	}
	return errors.Join(err, d.Close())
}

// finished is a run of ten questions on the scripted engine.
func finished(t *testing.T) (path string, run Run) {
	t.Helper()
	questions, conditions := setup(t, 3, 2)
	questions.Questions = questions.Questions[:10]
	path = recordRun(t, questions, conditions, crowd(questions))
	run, err := ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, run
}

func TestReadRunTakesTheLastHeader(t *testing.T) {
	path, run := finished(t)
	if len(run.Outcomes) != 10*len(run.Header.Conditions) {
		t.Errorf("%d outcomes", len(run.Outcomes))
	}
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	wider := run.Header
	wider.Rounds++
	if err := errors.Join(d.Begin(wider), d.Close()); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadRun(path); err != nil || again.Header.Rounds != 3 || again.Outcomes != nil {
		t.Errorf("%d rounds, %d outcomes, %v", again.Header.Rounds, len(again.Outcomes), err)
	}
	if _, err := ReadRun(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no run directory") {
		t.Error(err)
	}
}
