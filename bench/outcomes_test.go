package bench

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/bench/task"
	"parley/debate"
	"parley/inference"
)

// recordRun holds a comparison of so many questions in a new directory. The engine may be anything; what it says goes into the journals.
func recordRun(t *testing.T, questions task.Task, conditions []Condition, engine inference.Engine) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(NewHeader(engine.Model(), questions, conditions[3].Debate.(debate.Society), conditions, 1)); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	result, err := Compare(t.Context(), Options{Task: questions, Conditions: conditions, Engine: engine, Observe: func(o Outcome) error {
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if seen[turn.Reply.Key] || turn.Error != "" {
					continue
				}
				seen[turn.Reply.Key] = true
				sampling := conditions[3].Debate.(debate.Society).Sampling
				sampling.Seed = conditions[3].Debate.(debate.Society).Seeds.Of(o.Question, turn.Agent, turn.Round, turn.Sample)
				if err := d.Generation(inference.Generation{Name: o.Question, Agent: turn.Agent, Messages: turn.Messages, Sampling: sampling, Reply: turn.Reply}); err != nil {
					return err
				}
			}
		}
		return d.Outcome(o)
	}})
	if err := errors.Join(err, d.Finish(result), d.Close()); err != nil {
		t.Fatal(err)
	}
	return path
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
