package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// tiny is an engine of one thread on the embedded model.
func tiny(t *testing.T, options ...inference.Option) *inference.Local {
	t.Helper()
	path, err := models.Embedded(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	engine, err := inference.Open(path, append(options, inference.Threads(1))...)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// arguments are standard conditions of three agents on so many puzzles: all but debates that differ from others in
// nothing but the order in which replies are heard.
func arguments(t *testing.T, questions int, temperature float32) Options {
	t.Helper()
	puzzles, err := task.Generate(3, questions, 1)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	conditions, err := trial.Conditions(society.Society{
		Agents: 3, Rounds: 2, Prompts: set, Exchange: society.Exchange{Order: society.Order{Name: "fixed",
			Reading: "code"}},
		Asking: debate.Asking{Sampling: inference.Sampling{Temperature: temperature}, MaxTokens: 256,
			Seeds: debate.Seeds{Run: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	left := []string{"mad-random", "truth-first", "truth-last", "likelihood", "likelihood-norm"}
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool { return slices.Contains(left, c.Name) })
	return Options{Task: puzzles, Conditions: conditions}
}

// held is what the scheduler counts when a run is held for real.
func held(t *testing.T, o Options, options ...inference.Option) inference.Stats {
	t.Helper()
	o.Engine = tiny(t, options...)
	c, err := Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c.Stats
}

var counts = cmpopts.IgnoreFields(inference.Stats{}, "PrefillDuration", "DecodeDuration")

// TestDryRunAll asks every question, a few at a time: the whole run, which batches them otherwise, counts what the
// dryRun counted, to the last step, row and cell. The journals are as large, but for what records have of times.
func TestDryRunAll(t *testing.T) {
	options := []inference.Option{inference.StepCost(4), inference.Speculate(true)}
	o := arguments(t, 3, 1)
	o.Engine = tiny(t, options...)
	f, err := DryRun(t.Context(), o, Calibration{Limit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if f.Saved.Least != f.Saved.Expected || f.Saved.Most != f.Saved.Expected || f.Calibrated.Questions != 3 ||
		f.Guessed != 0 || len(f.Failed) != 0 {
		t.Errorf("%+v, want f.Saved.Least == f.Saved.Expected && f.Saved.Most == f.Saved.Expected && "+
			"f.Calibrated.Questions == 3 && f.Guessed == 0 && len(f.Failed) == 0",
			f)
	}
	d, err := rundir.OpenDirectory(t.TempDir() + "/run")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	names := make([]string, len(o.Conditions))
	for i, c := range o.Conditions {
		names[i] = c.Name
	}
	if err := d.Begin(rundir.Header{Run: spec.Run{Questions: 3, Conditions: names}}); err != nil {
		t.Fatal(err)
	}
	o.Observe = d.Outcome
	if diff := cmp.Diff(held(t, o, append(options, inference.OnGeneration(d.Generation))...), f.Stats,
		counts); diff != "" {
		t.Errorf("the run counted otherwise: %s", diff)
	}
	s, err := rundir.ReadStatus(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	if off := float64(f.Disk)/float64(s.Bytes) - 1; math.Abs(off) > 0.1 {
		t.Errorf("%d bytes of journals were forecast, there are %d", f.Disk, s.Bytes)
	}
}

// TestDryRunSome asks 4 questions under the usual conditions. Where the agents of one mostly agree, the share of 12
// questions' prompts that is saved is foreseen within 0.01; where they argue, questions differ by more than that, and
// the range has it.
func TestDryRunSome(t *testing.T) {
	for _, test := range []struct {
		name        string
		temperature float32
		questions   int
	}{{"agreed", 0, 12}, {"argued", 1, 8}} {
		t.Run(test.name, func(t *testing.T) {
			o := arguments(t, test.questions, test.temperature)
			o.Conditions = slices.DeleteFunc(o.Conditions, func(c trial.Condition) bool { return c.OnDemand })
			o.Engine = tiny(t)
			f, err := DryRun(t.Context(), o, Calibration{Questions: 4, Seed: 2, Limit: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			s := held(t, o)
			saved := stat.Share(s.PromptSaved(), s.PromptAsked)
			if saved < f.Saved.Least-0.001 || saved > f.Saved.Most+0.001 ||
				test.temperature == 0 && math.Abs(saved-f.Saved.Expected) > 0.01 {
				t.Errorf("%.4f are saved, %+v were foreseen", saved, f.Saved)
			}
			if off := stat.Share(s.PromptAsked, f.Stats.PromptAsked) - 1; math.Abs(off) > 0.05 {
				t.Errorf("%d prompt tokens are asked, %d were foreseen", s.PromptAsked, f.Stats.PromptAsked)
			}
			if off := stat.Share(s.Decoded, f.Stats.Decoded) - 1; math.Abs(off) > 0.15 {
				t.Errorf("%d tokens are generated, %d were foreseen", s.Decoded, f.Stats.Decoded)
			}
		})
	}
}

// TestDryRunNothing has no time to hear anybody: it says so, and takes replies to be as long as they may be. It can
// be repeated to the last count.
func TestDryRunNothing(t *testing.T) {
	o := arguments(t, 3, 1)
	o.Conditions = o.Conditions[:2]
	o.Engine = tiny(t)
	var said []string
	f, err := DryRun(t.Context(), o, Calibration{Limit: 1, Says: func(what string) { said = append(said, what) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"calibrating: question 1 of 3, for at most 10ns", "simulating the run on 3 questions"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	again, err := DryRun(t.Context(), o, Calibration{Limit: 1})
	if diff := cmp.Diff(f.Stats, again.Stats, counts); err != nil || diff != "" {
		t.Errorf(`%v, %s, want err == nil && diff == ""`, err, diff)
	}
	if f.Guessed != 9 || f.Stats.Decoded != 9*256 || f.Saved.Least != 0 || f.Saved.Most != 1 ||
		f.Time.Most != 3*f.Time.Expected || f.Calibrated.Generations != 0 {
		t.Errorf("%+v, want f.Guessed == 9 && f.Stats.Decoded == 9*256 && f.Saved.Least == 0 && f.Saved.Most == "+
			"1 && f.Time.Most == 3*f.Time.Expected && f.Calibrated.Generations == 0",
			f)
	}
	out := f.Document().String()
	if !strings.Contains(out,
		"9 replies are assumed to have their maximum length") {
		t.Errorf("%s\nwant strings.Contains(out, \"9 replies are assumed to have "+
			`their maximum length")`,
			out)
	}
}

func TestDryRunErrors(t *testing.T) {
	o := arguments(t, 3, 1)
	o.Engine = inference.NewScript(func(inference.Request) string { return "" })
	if _, err := DryRun(t.Context(), o, Calibration{}); err == nil ||
		!strings.Contains(err.Error(), "a dry run needs a local model") {
		t.Errorf(`%v, want an error with "a dry run needs a local model"`, err)
	}
	o.Engine = tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := DryRun(ctx, o, Calibration{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	o.Conditions = nil
	if _, err := DryRun(t.Context(), o, Calibration{}); err == nil ||
		!strings.Contains(err.Error(), "no conditions") {
		t.Errorf(`%v, want an error with "no conditions"`, err)
	}
}

// TestStandIns: neighbours have different stand-ins where there is a choice, also beside questions that were asked.
func TestStandIns(t *testing.T) {
	o := arguments(t, 12, 0)
	at := func(list ...int) (s sample) {
		for _, i := range list {
			s.questions = append(s.questions, o.Task.Questions[i])
		}
		return s
	}
	for number, asked := range [][]int{{1, 2, 3, 4}, {6, 0, 11}, {5, 7, 9, 2}} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			s := at(asked...)
			played, standIns := s.standIn(o.Task)
			for i, q := range o.Task.Questions {
				next := o.Task.Questions[(i+1)%12]
				if standIns[q.ID] == standIns[next.ID] || played.Questions[i].ID != q.ID {
					t.Errorf("%v: %s and %s: %s", asked, q.ID, next.ID, standIns[q.ID])
				}
			}
		})
	}
	one := at(3)
	if _, standIns := one.standIn(o.Task); len(standIns) != 12 || standIns[o.Task.Questions[0].ID] !=
		o.Task.Questions[3].ID {
		t.Errorf("%v, want len(standIns) == 12 && standIns[o.Task.Questions[0].ID] == o.Task.Questions[3].ID", standIns)
	}
}

// TestEachIsDrawn: questions that were heard only as donors are not among those that tell how questions differ.
func TestEachIsDrawn(t *testing.T) {
	heard := func(question, key string, cached, asked, tokens int) exchange {
		return exchange{inference.Request{Case: question}, inference.Reply{Key: key, CachedTokens: cached,
			PromptTokens: asked, Tokens: tokens}}
	}
	s := sample{questions: []task.Question{{ID: "a"}, {ID: "b"}}, works: make([]inference.Stats, 1),
		asks: map[string]string{"a": "a", "b": "b", "c": "c"},
		heard: []exchange{heard("a", "1", 5, 10, 7), heard("a", "2", 10, 10, 3), heard("b", "3", 1, 4, 2),
			heard("c", "4", 9, 10, 9)}}
	shares, tokens := s.each()
	if diff := cmp.Diff([]float64{0.75, 0.25}, shares); diff != "" || !slices.Equal(tokens, []float64{10, 2}) {
		t.Errorf(`%v %v, want diff == "" && slices.Equal(tokens, []float64{10, 2})`, diff, tokens)
	}
}
