package relation_test

import (
	"math"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// repeated is a debate of a question whose agents answer these letters at first, and that is decided so.
func repeated(question string, repeat int, first string, score task.Score, heard ...int) trial.Outcome {
	turns := debatetest.TurnsOf(first)
	for i := range turns {
		if i > 0 {
			turns[i].Heard = heard
		}
	}
	return trial.Outcome{Question: question, Repeat: repeat, Truth: answer.Of("A"), Score: score,
		Transcript: debate.Transcript{Rounds: [][]debate.Turn{turns}}}
}

// TestPasses is worked by hand. Question q is right in 2 of 3 repeats, p in none of 2 that were held; r was held once,
// which is no several tries. First answers of q differ in one repeat, those of p never.
func TestPasses(t *testing.T) {
	values := relation.ValuesOf(relation.Rows(outcome.NewTable([]trial.Outcome{
		repeated("q", 0, "AAB", task.Right), repeated("q", 1, "BBB", task.Wrong),
		repeated("q", 2, "AAA", task.Right), repeated("p", 0, "BBB", task.Wrong),
		repeated("p", 1, "BBB", task.Unparsed), repeated("p", 2, "AAA", task.Failed),
		repeated("r", 0, "AB", task.Right, 0),
	}).Under("").Held().All), "", 0.95)
	for name, want := range map[string]float64{
		"pass-at-2": (1.0 + 0) / 2, "pass-hat-2": (1.0/3 + 0) / 2, "pass-at-all": 0.5, "pass-hat-all": 0,
		"contested-pass-at-2": 1, "contested-pass-hat-2": 1.0 / 3, "contested-pass-at-all": 1,
		// q: 2 of 3, 0 of 3 and 3 of 3; p: 0 of 3 twice; of r the second agent heard the first, so that one is left
		"first-pass-at-2": (2.0/3 + 0) / 2, "first-pass-hat-2": ((1.0/3 + 0 + 1) / 3) / 2,
		"first-pass-at-all": (2.0 / 3) / 2, "first-pass-hat-all": (1.0 / 3) / 2,
	} {
		if got, known := values.Number(name); !known || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g (%t), not %g", name, got, known, want)
		}
	}
	if i := values["pass-at-2"].Interval; i == nil || i.Low < 0 || i.High > 1 || i.Low >= i.High {
		t.Errorf("the interval over two questions has a width and lies in 0 to 1: got %+v", i)
	}
	for _, name := range []string{"pass-at-4", "pass-hat-8", "contested-pass-at-4", "first-pass-at-4"} {
		if v := values[name]; v.State != relation.Undefined || v.Number != nil || v.Why == "" {
			t.Errorf("%s of three tries is undefined, with a reason: got %+v", name, v)
		}
	}
	once := relation.ValuesOf(relation.Rows(outcome.NewTable([]trial.Outcome{repeated("q", 0, "A", task.Right)}).
		Debates()), "", 0.95)
	passes := 0
	for _, m := range relation.Measures() {
		if !m.OverRepeats {
			continue
		}
		if passes++; once[m.Name].State != relation.Undefined {
			t.Errorf("%s of one try is undefined: got %+v", m.Name, once[m.Name])
		}
	}
	if passes != 24 {
		t.Errorf("there are 24 measures of several tries: got %d", passes)
	}
}
