package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/stores"
)

// asked is a form that no registry has: agents answer alone, and the majority decides.
type asked struct {
	debate.Asking
	agents int
}

// Run implements debate.Debate.
func (a asked) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, turns := debate.Transcript{Case: c.ID}, make([]debate.Turn, a.agents)
	for i := range turns {
		turns[i] = debate.Turn{Agent: i, Messages: []inference.Message{{Role: "user", Content: c.Question}}}
	}
	err := a.For(speaker, c).Ask(ctx, turns)
	t.Rounds = append(t.Rounds, turns)
	t.Decision = vote.Majority(turns)
	return t, err
}

// TestRecordOwnForms: a run with forms of one's own resumes, and is the same in shards; its report has all debates.
func TestRecordOwnForms(t *testing.T) {
	model, err := stores.Resolve("tiny")
	if errors.Is(err, llamacpp.ErrNoCgo) || llamacpp.Build().Llama == "none" {
		t.Skip(llamacpp.ErrNoCgo)
	}
	questions, generateErr := task.Generate(3, 4, 1)
	if err := errors.Join(err, generateErr); err != nil {
		t.Fatal(err)
	}
	asking := debate.Asking{Seeds: debate.Seeds{Run: 1}, MaxTokens: 32}
	options := bench.Options{Task: questions, Run: spec.Run{Reference: "three"}, Conditions: []trial.Condition{
		{Name: "three", Agents: 3, Debate: asked{asking, 3}}, {Name: "one", Agents: 1, Debate: asked{asking, 1}}}}
	directory := t.TempDir()
	record := func(name string, o bench.Options) string {
		t.Helper()
		path := filepath.Join(directory, name)
		if _, err := bench.Record(t.Context(), path, o, func(d *rundir.Directory) (inference.Engine, error) {
			return inference.Open(model, inference.Mode("reproducible"), inference.OnGeneration(d.Generation),
				inference.Known(d.Reply))
		}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	said := func(path string) (all []string) {
		run := benchtest.ReadRun(t, path)
		for _, o := range run.Outcomes {
			for call := range o.Transcript.Calls() {
				all = append(all, fmt.Sprint(o.Question, o.Condition, call.Agent, call.Reply.Text, o.Score))
			}
		}
		return all
	}
	want := said(record("whole", options))
	if len(want) != 16 {
		t.Errorf("%d replies, want 16", len(want))
	}
	if run, err := rundir.ReadRun(filepath.Join(directory, "whole")); err != nil {
		t.Fatal(err)
	} else if h := run.Header; h.Seed != 1 || h.MaxTokens != 32 || h.Time == "" {
		t.Errorf("the header has seed %d, replies of %d tokens, begun %q; the forms ask with seed 1, 32 tokens", h.Seed,
			h.MaxTokens, h.Time)
	}
	if diff := cmp.Diff(want, said(record("whole", options))); diff != "" {
		t.Errorf("a resumed run records what the whole one does (-whole +resumed):\n%s", diff)
	}
	var shards []string
	for i := range 2 {
		part, err := options.Shard(trial.Shard{Index: i + 1, Of: 2})
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, record(fmt.Sprint("shard", i), part))
	}
	merged := filepath.Join(directory, "merged")
	if _, err := rundir.Merge(merged, shards); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, said(record("merged", options))); diff != "" {
		t.Errorf("a run in shards records what the whole one does (-whole +merged):\n%s", diff)
	}
	if w, err := report.Of(merged, "", report.Options{}); err != nil || w.Debates != 8 {
		t.Errorf("%+v, %v, want 8 debates", w, err)
	}
}

// TestRecordWithoutAnEngine: a run whose engine cannot be opened leaves no directory.
func TestRecordWithoutAnEngine(t *testing.T) {
	path, failed := filepath.Join(t.TempDir(), "run"), errors.New("no model")
	_, err := bench.Record(t.Context(), path, bench.Options{}, func(*rundir.Directory) (inference.Engine, error) {
		return nil, failed
	})
	if _, there := os.Stat(path); !errors.Is(err, failed) || !errors.Is(there, os.ErrNotExist) {
		t.Errorf("%v; the directory: %v; want the error %q and the error %q", err, there, failed, os.ErrNotExist)
	}
}
