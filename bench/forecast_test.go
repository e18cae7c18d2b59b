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

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/modeltest"
)

// tiny is an engine of one thread on the embedded model.
func tiny(t *testing.T, options ...inference.Option) *inference.Local {
	t.Helper()
	path := modeltest.Embedded(t)
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
	set := debatetest.Load(t, "tiny")
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

// near reports whether two numbers differ by no more than a share of the second.
func near(got, want int, off float64) bool { return math.Abs(float64(got-want)) <= off*float64(want) }

// TestDryRunAll asks every question, a few at a time: of the whole run, which batches them otherwise, every step is
// foreseen, and its journals are as large, but for what records have of times.
func TestDryRunAll(t *testing.T) {
	options := []inference.Option{inference.StepCost(4), inference.Speculate(true)}
	o := arguments(t, 3, 1)
	o.Conditions = slices.DeleteFunc(o.Conditions, func(c trial.Condition) bool {
		return c.Name == "shuffled" || c.Name == "noise" // which hear of the question that is drawn next
	})
	meter, err := record.NewMeter()
	if err != nil {
		t.Fatal(err)
	}
	journals := rundir.Measure{Meter: meter}
	o.Engine = tiny(t, append(options, inference.OnGeneration(journals.Generation))...)
	f, err := DryRun(t.Context(), o, Calibration{Limit: time.Hour, Journals: journals})
	if err != nil {
		t.Fatal(err)
	}
	if f.Calibrated.Questions != 3 || f.AtMost || len(f.Failed) != 0 {
		t.Errorf("a forecast has asked 3 questions, of which none failed: got %+v", f)
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
	s := held(t, o, append(options, inference.OnGeneration(d.Generation))...)
	if diff := cmp.Diff(s, f.Stats, cmpopts.IgnoreFields(s, "PrefillDuration", "DecodeDuration")); diff != "" {
		t.Errorf("the forecast counts what the scheduler counts (-run, +forecast):\n%s", diff)
	}
	status, err := rundir.ReadStatus(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	if !near(int(f.Disk), int(status.Bytes), 0.1) {
		t.Errorf("the journals take the %d bytes that were forecast, within a tenth: got %d", f.Disk, status.Bytes)
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
				t.Errorf("what is saved is within what was foreseen, %+v, and as expected at temperature 0: got "+
					"%.4f", f.Saved, saved)
			}
			if !near(f.Stats.PromptComputed, s.PromptComputed, 0.1) {
				t.Errorf("the run computes the %d prompt tokens that were foreseen, within a tenth: got %d",
					f.Stats.PromptComputed, s.PromptComputed)
			}
			if !near(f.Stats.PromptAsked, s.PromptAsked, 0.05) || !near(f.Stats.Decoded, s.Decoded, 0.15) ||
				!near(f.Stats.Generations, s.Generations, 0.05) {
				t.Errorf("prompt tokens, tokens and generations are as foreseen (5, 15 and 5 %% off at most), "+
					"%d, %d and %d: got %d, %d and %d",
					f.Stats.PromptAsked, f.Stats.Decoded, f.Stats.Generations, s.PromptAsked, s.Decoded,
					s.Generations)
			}
		})
	}
}

// TestDryRunCountsPrompts asks one or two questions that are short, or long, among others: the tokens of the others are
// counted.
func TestDryRunCountsPrompts(t *testing.T) {
	for _, questions := range []int{1, 2} {
		for _, long := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, long %t", questions, long), func(t *testing.T) {
				o := arguments(t, 6, 0)
				o.Conditions = slices.DeleteFunc(o.Conditions, func(c trial.Condition) bool {
					return c.Name != "single" && c.Name != "mad"
				})
				drawn := Calibration{Seed: 3}.draw(o.Task.Questions)[:questions]
				for i, q := range o.Task.Questions {
					if slices.ContainsFunc(drawn, func(d task.Question) bool { return d.ID == q.ID }) == long {
						o.Task.Questions[i].Text = strings.Repeat("It rained on that day. ", 20+10*i) + q.Text
					}
				}
				o.Engine = tiny(t)
				f, err := DryRun(t.Context(), o, Calibration{Questions: questions, Seed: 3, Limit: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				if s := held(t, o); !near(f.Stats.PromptAsked, s.PromptAsked, 0.05) {
					t.Errorf("the run asks for the %d prompt tokens that were foreseen, 5 %% off at most: got %d",
						f.Stats.PromptAsked, s.PromptAsked)
				}
			})
		}
	}
}

// TestDryRunForgets: what few cells forget of the prompts of many debates is foreseen from a few questions. How much
// differs by these: other seeds foresee 0.87 to 1.30 of it.
func TestDryRunForgets(t *testing.T) {
	o := arguments(t, 12, 1)
	o.Conditions = slices.DeleteFunc(o.Conditions, func(c trial.Condition) bool { return c.Name != "mad" })
	foresee := func(options ...inference.Option) inference.Stats {
		o.Engine = tiny(t, options...)
		f, err := DryRun(t.Context(), o, Calibration{Questions: 4, Limit: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return f.Stats
	}
	few := []inference.Option{inference.Context(1280), inference.Parallel(8)}
	f, s := foresee(few...), held(t, o, few...)
	if all := foresee(inference.Parallel(8)); 10*s.PromptComputed < 11*all.PromptComputed {
		t.Errorf("%d prompt tokens are computed, want a tenth more than the %d with room for all", s.PromptComputed,
			all.PromptComputed)
	}
	if !near(f.PromptComputed, s.PromptComputed, 0.1) || !near(f.Steps, s.Steps, 0.2) {
		t.Errorf("a run that forgets computes the foreseen %d prompt tokens in %d steps, 10 and 20 %% off at "+
			"most: got %d in %d", f.PromptComputed, f.Steps, s.PromptComputed, s.Steps)
	}
}

// TestAbout: a debate on another question has that question's text in its prompts, or at least other prompts, but for
// those about a question from which it borrows; one on the same question stays.
func TestAbout(t *testing.T) {
	request := func(id string, texts ...string) inference.Request {
		r := inference.Request{Case: id}
		for _, text := range texts {
			r.Messages = append(r.Messages, inference.Message{Content: text})
		}
		return r
	}
	call := func(requests ...inference.Request) (call []inference.Exchange) {
		for _, r := range requests {
			call = append(call, inference.Exchange{Request: r, Reply: inference.Reply{Text: "Yes, it is."}})
		}
		return call
	}
	was, is := task.Question{ID: "a/1", Text: "Is it?"}, task.Question{ID: "a/12", Text: "Was it?"}
	h := heard{"a/1 #2", [][]inference.Exchange{
		call(request("a/1 #2", "Reply.", "Is it? Say so.", "Is it?"), request("a/12 #2", "Reply.", "So?")),
		call(request("a/1 #2", "Reply.", "Are you sure?"))}}
	want := [][]inference.Exchange{
		call(request("a/1 #2", "Reply.", "Was it? Say so.", "Was it?"), request("a/12 #2", "Reply.", "So?")),
		call(request("a/1 #2", "Reply.", "a/12 Are you sure?"))}
	if diff := cmp.Diff(want, h.about(was, is)); diff != "" {
		t.Errorf("on another question (-want, +got):\n%s", diff)
	}
	if diff := cmp.Diff(h.calls, h.about(was, was)); diff != "" {
		t.Errorf("on the same question (-want, +got):\n%s", diff)
	}
	if got := h.calls[0][0].Request.Messages[1].Content; got != "Is it? Say so." {
		t.Errorf("the debate that is heard now is asked \"Is it? Say so.\": got %q", got)
	}
}

// TestSome: questions come evenly from a task, and no more of them than have enough calls.
func TestSome(t *testing.T) {
	var all []task.Question
	for i := range 10_000 {
		all = append(all, task.Question{ID: fmt.Sprint(i)})
	}
	s := &sample{asked: []asked{{cost: outcome.Cost{Replies: 4}}, {cost: outcome.Cost{Replies: 12}}}}
	if got := s.some(all); len(got) != rehearsed/8 || got[1].ID != "19" || got[len(got)-1].ID != "9980" {
		t.Errorf("of 10,000 questions 512 are some, the second 19 and the last 9980: got %d of them, %v", len(got), got)
	}
	if got := s.some(all[:7]); len(got) != 7 || got[0].ID != "0" || got[6].ID != "6" {
		t.Errorf("of 7 questions all 7 are some, in their order: got %v", got)
	}
}

// TestRehearsal: debates come stage by stage, question by question, and each that was asked stands for as many others.
func TestRehearsal(t *testing.T) {
	call := func(text string) [][]inference.Exchange {
		return [][]inference.Exchange{{{Request: inference.Request{Case: text,
			Messages: []inference.Message{{Content: text}}}}}}
	}
	var s sample
	var all []task.Question
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		all = append(all, task.Question{ID: id, Text: id})
	}
	for _, q := range []task.Question{all[1], all[4]} {
		s.asked = append(s.asked, asked{question: q, debates: [2][]heard{
			{{q.ID, call(q.ID)}, {q.ID, call("another")}}, {{q.ID, call(q.ID)}}}})
	}
	var got []string
	for _, d := range s.rehearsal(all) {
		r := d[0][0].Request
		if got = append(got, r.Messages[0].Content); r.Case != "another" {
			got[len(got)-1] = r.Case + got[len(got)-1]
		}
	}
	want := strings.Fields("ba another bb another ec another bd another ee another ef another ba bb ec bd ee ef")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("debates come in this order, each standing for so many (-want +got):\n%s", diff)
	}
}

// TestDryRunNothing has no time to hear anybody: it tells the most that there can be, if that is known.
func TestDryRunNothing(t *testing.T) {
	o := arguments(t, 3, 1)
	o.Conditions = o.Conditions[:2]
	o.Engine = tiny(t)
	var said []string
	c := Calibration{Limit: 1, Says: func(what string) { said = append(said, what) }}
	if f, err := DryRun(t.Context(), o, c); err == nil || !strings.Contains(err.Error(), "raise --calibrate") {
		t.Errorf("a forecast that asked nothing says to raise --calibrate: got %+v, %v", f, err)
	}
	if diff := cmp.Diff([]string{"calibrating: question 1 of 3, for at most 10ns"}, said); diff != "" {
		t.Errorf("a dry run without time says this (-want +got):\n%s", diff)
	}
	c.Recorded = 3
	c.Foreseen = Foreseen{Replies: 12, Calls: 15, Prompt: 1200, Tokens: 400, Most: 8 * time.Second}
	f, err := DryRun(t.Context(), o, c)
	if err != nil {
		t.Fatal(err)
	}
	if want := (inference.Stats{Restored: 3, Generations: 9, Joined: 3, PromptAsked: 900, PromptComputed: 900,
		Decoded: 300}); !f.AtMost || f.Calls != 15 || f.Time != (Range{0, 6000, 6000}) || !cmp.Equal(f.Stats, want) {
		t.Errorf("a forecast of what is recorded is at most 15 calls and 6 seconds, with %+v: got %+v", want, f)
	}
	if out := f.Document().String(); !strings.Contains(out, "raise --calibrate") {
		t.Errorf("the forecast says to raise --calibrate: got\n%s", out)
	}
}

// TestLeft: what is recorded is not foreseen again, as far as it belongs to the run.
func TestLeft(t *testing.T) {
	// one has the keys of four replies to each of its questions, so many of which are recorded
	one := func(recorded ...int) *sample {
		s := &sample{}
		for _, n := range recorded {
			a := asked{known: make(map[string]bool)}
			for i := range 4 {
				a.known[fmt.Sprint(i)] = i < n
			}
			s.asked = append(s.asked, a)
		}
		return s
	}
	for _, test := range []struct {
		name     string
		sample   *sample
		grown    float64
		recorded int
		factor   float64
		reused   int
		ok       bool
	}{
		{"nothing is recorded", one(0, 0), 5, 0, 1, 0, true},
		{"other work is recorded", one(0, 0), 5, 30, 1, 0, true},
		{"every fourth of 40", one(1, 1), 5, 10, 1, 10, true},
		{"less than the sample has", one(4, 0), 5, 10, 1.5, 10, true},
		{"more than the sample has", one(1, 1), 5, 30, 1. / 3, 30, true},
		{"more than there can be", one(1, 1), 5, 90, 0, 40, true},
		{"all of the sample, but not of the others", one(4, 4), 5, 20, 4, 20, false},
		{"all", one(4, 4), 5, 40, 0, 40, true},
		{"all questions were asked", one(4, 1), 1, 99, 1, 5, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			factor, reused, ok := test.sample.left(test.grown, test.recorded)
			if math.Abs(factor-test.factor) > 1e-9 || reused != test.reused || ok != test.ok {
				t.Errorf("what is left has the factor %g, %d reused, known %t: got %g, %d, %t",
					test.factor, test.reused, test.ok, factor, reused, ok)
			}
		})
	}
}

// TestOff holds the half width of an interval to one worked by hand: 2, 4, 6 have mean 4 and deviation 2; Student's t
// with two degrees of freedom is 4.303 at 97.5 %; three of twelve questions leave three quarters.
func TestOff(t *testing.T) {
	if got := off([]float64{2, 4, 6}, 12); got < 4.302 || got > 4.304 { // 4.303 x 2 / sqrt(3) x sqrt(3/4)
		t.Errorf("the half width of an interval of 2, 4 and 6, three of 12 questions, is 4.303: got %v", got)
	}
	if got := off([]float64{2, 4, 6}, 3); got != 0 {
		t.Errorf("three of three questions leave no width, want 0: got %v", got)
	}
}

func TestDryRunErrors(t *testing.T) {
	o := arguments(t, 3, 1)
	o.Engine = inference.NewScript(func(inference.Request) string { return "" })
	if _, err := DryRun(t.Context(), o, Calibration{}); err == nil ||
		!strings.Contains(err.Error(), "a dry run needs a local model") {
		t.Errorf("a forecast with a server is refused, as \"a dry run needs a local model\": got %v", err)
	}
	o.Engine = tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := DryRun(ctx, o, Calibration{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a forecast that is cancelled ends with %v: got %v", context.Canceled, err)
	}
	o.Conditions = nil
	if _, err := DryRun(t.Context(), o, Calibration{}); err == nil ||
		!strings.Contains(err.Error(), "no conditions") {
		t.Errorf("a forecast without conditions is refused, as \"no conditions\": got %v", err)
	}
}
