package benchtest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"parley/bench"
	"parley/bench/analysis"
	"parley/bench/record"
	"parley/bench/rundir"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/prompts"
	"parley/debate/society"
	"parley/inference"
)

// Crowd is an engine whose agents answer rightly by chance, and rightly whenever they hear somebody who does.
func Crowd(t task.Task) *inference.Script {
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
	return questions, conditions
}

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

// Mute fails all requests with one question.
type Mute struct {
	inference.Engine
	Question string
}

func (m *Mute) Join(order int) inference.Participant { return muted{m.Engine.Join(order), m} }

type muted struct {
	inference.Participant
	Mute *Mute
}

func (m muted) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := m.Participant.Generate(ctx, requests)
	for i, r := range requests {
		if strings.Contains(r.Messages[0].Content, m.Mute.Question) {
			replies[i] = inference.Reply{Err: errors.New("too long")}
		}
	}
	return replies, err
}

// RecordRun holds a comparison of so many questions in a new directory. The engine may be anything; what it says goes
// into the journals.
func RecordRun(t *testing.T, questions task.Task, conditions []trial.Condition, engine inference.Engine) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	if err := RecordIn(t, path, bench.Options{Task: questions, Conditions: conditions, Engine: engine}); err != nil {
		t.Fatal(err)
	}
	return path
}

// RecordIn holds a comparison in a directory, or goes on with it. Its first condition is a society.
func RecordIn(t *testing.T, path string, options bench.Options) error {
	t.Helper()
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := options.Validate(); err != nil {
		t.Fatal(err)
	}
	base := options.Conditions[0].Debate.(society.Society)
	for _, c := range options.Conditions {
		if c.Name == trial.Reference {
			base = c.Debate.(society.Society)
		}
	}
	header := bench.NewHeader(options, base)
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
	result, err := bench.Compare(t.Context(), options)
	if err == nil {
		err = d.Finish(result)
	}
	return errors.Join(err, d.Close())
}

// Finished is a run of ten questions on the scripted engine.
func Finished(t *testing.T) (path string, run rundir.Run) {
	t.Helper()
	questions, conditions := Setup(t, 3, 2)
	questions.Questions = questions.Questions[:10]
	path = RecordRun(t, questions, conditions, Crowd(questions))
	run, err := rundir.ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, run
}

// BytesOf are the files of a directory.
func BytesOf(t *testing.T, directory string) map[string]string {
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

// WriteFrames writes lines as a forger does: whole frames, without hashes.
func WriteFrames(t testing.TB, path string, lines ...[]byte) {
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

// WriteJournals makes a run directory as a forger does: with hashes.
func WriteJournals(t testing.TB, directory string, generations, debates []any) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, records := range map[string][]any{"generations.jsonl.zst": generations,
		"debates.jsonl.zst": debates} {
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
