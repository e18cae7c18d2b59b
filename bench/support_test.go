package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"parley/bench/analysis"
	"parley/bench/record"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/prompts"
	"parley/inference"
)

// crowd is an engine whose agents answer rightly by chance, and rightly whenever they hear somebody who does.
func crowd(t task.Task) *inference.Script {
	return inference.NewScript(func(r inference.Request) string {
		for _, q := range t.Questions {
			if !strings.Contains(r.Messages[0].Content, q.Text) {
				continue
			}
			last := r.Messages[len(r.Messages)-1].Content
			if r.Sampling.Seed%3 == 0 || (len(r.Messages) > 1 && strings.Contains(last, "is "+q.Target)) {
				return "The answer is " + q.Target
			}
			return []string{"The answer is (Z)", "I do not know"}[r.Sampling.Seed%2]
		}
		return "what?"
	})
}

func setup(t *testing.T, agents, rounds int) (task.Task, []trial.Condition) {
	t.Helper()
	questions, err := task.Generate(3, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	conditions, err := trial.Conditions(debate.Society{Agents: agents, Rounds: rounds, Prompts: set,
		Asking:   debate.Asking{Seeds: debate.Seeds{Run: 1}},
		Exchange: debate.Exchange{Order: debate.Order{Name: "fixed", Reading: "code"}}})
	if err != nil {
		t.Fatal(err)
	}
	return questions, conditions
}

func row(t *testing.T, c analysis.Comparison, name string) analysis.Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Condition == name {
			return r
		}
	}
	t.Fatalf("no row %q", name)
	return analysis.Row{}
}

// mute fails all requests with one question.
type mute struct {
	inference.Engine
	question string
}

func (m *mute) Join(order int) inference.Participant { return muted{m.Engine.Join(order), m} }

type muted struct {
	inference.Participant
	mute *mute
}

func (m muted) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := m.Participant.Generate(ctx, requests)
	for i, r := range requests {
		if strings.Contains(r.Messages[0].Content, m.mute.question) {
			replies[i] = inference.Reply{Err: errors.New("too long")}
		}
	}
	return replies, err
}

// recordRun holds a comparison of so many questions in a new directory. The engine may be anything; what it says goes
// into the journals.
func recordRun(t *testing.T, questions task.Task, conditions []trial.Condition, engine inference.Engine) string {
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
	society := options.Conditions[0].Debate.(debate.Society)
	for _, c := range options.Conditions {
		if c.Name == trial.Reference {
			society = c.Debate.(debate.Society)
		}
	}
	header := NewHeader(options, society)
	if err := d.Begin(header); err != nil {
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
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if seen[turn.Reply.Key] || turn.Error != "" {
					continue
				}
				seen[turn.Reply.Key] = true
				sampling := society.Sampling
				sampling.Seed = society.Seeds.Of(o.Case(), turn.Agent, turn.Round, turn.Sample)
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

// bytesOf are the files of a directory.
func bytesOf(t *testing.T, directory string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	content := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(directory, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name()] = string(text)
	}
	return content
}

// writeFrames writes lines as a forger does: whole frames, without hashes.
func writeFrames(t testing.TB, path string, lines ...[]byte) {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	var content []byte
	for _, line := range lines {
		content = encoder.EncodeAll(append(bytes.Clone(line), '\n'), content)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeJournals makes a run directory as a forger does: with hashes.
func writeJournals(t testing.TB, directory string, generations, debates []any) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, records := range map[string][]any{generationsFile: generations, debatesFile: debates} {
		j, err := record.Create(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
