package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
)

// TestSequentialSamples: where one question is planned, what is looked at are its repeats; of several, each counts
// once.
func TestSequentialSamples(t *testing.T) {
	first, second := asked("rrrrrrrrrr"), asked("wwwwwwwwww")
	samples, _ := sequential(debatesOf(first), debatesOf(second), 1)
	questions, _ := sequential(debatesOf(first), debatesOf(second), 2)
	if want := 11 / math.Pow(2, 10); math.Abs(samples.P()-want) > 1e-12 || questions.P() != 1 {
		t.Errorf("ten samples: %g, want %g; one question: %g, want 1", samples.P(), want, questions.P())
	}
	second[3].Score, first[4].Score = task.Failed, task.Failed
	if got, _ := sequential(debatesOf(first), debatesOf(second), 1); math.Abs(got.P()-9/math.Pow(2, 8)) > 1e-12 {
		t.Errorf("eight samples that both could hold have p %g: got %g", 9/math.Pow(2, 8), got.P())
	}
}

// TestSequentialSteadier: both conditions are right in 51 of 60 questions' repeats. One is certain of each question,
// the other of none; though nearly all signs are alike, the run does not stop, and its table says what it says
// without a stop.
func TestSequentialSteadier(t *testing.T) {
	var first, second []string
	for q := range 60 {
		first = append(first, strings.Repeat("r", 20))
		if q%20 >= 17 {
			first[q] = strings.Repeat("w", 20)
		}
		second = append(second, strings.Repeat("r", 17)+"www")
	}
	test, repeats := sequential(debatesOf(asked(first...)), debatesOf(asked(second...)), 60)
	if test.P() < 0.2 || !repeats {
		t.Errorf("a steadier condition has no difference, p 0.2 or more, and repeats are seen: got p %g, "+
			"repeats: %t", test.P(), repeats)
	}
	if p := pairedTest(asked(first...), asked(second...)); p.Difference > 1e-9 || p.P < 0.5 {
		t.Errorf("at a fixed number a steadier condition has no difference and p 0.5 or more: got %+v", p)
	}
	if i := test.Mean(0.95); i.Low >= 0 || i.High <= 0 || i.Low < -0.5 || i.High > 0.5 {
		t.Errorf("the interval of a steady test has 0 in it, and is within 0.5 of it: got %+v", i)
	}
}

// TestStoppingEqualQuestions: of questions that ask the same, the sequential test looks at the first.
func TestStoppingEqualQuestions(t *testing.T) {
	stands := func(clustered bool) Stopped {
		var outcomes []trial.Outcome
		for q := range 40 {
			for _, condition := range []string{"mad", "vote"} {
				o := trial.Outcome{Question: fmt.Sprint(q), Condition: condition, Score: task.Wrong}
				if clustered {
					o.Cluster = fmt.Sprint(q % 2)
				}
				if condition == "mad" && q%2 == 0 {
					o.Score = task.Right
				}
				outcomes = append(outcomes, o)
			}
		}
		return look(spec.Stopping{Condition: "mad", Reference: "vote", Alpha: 0.05, Every: 5},
			outcome.NewTable(outcomes), 40)
	}
	if rows, questions := stands(false), stands(true); !rows.Clear || questions.Clear || *questions.P < 0.5 {
		t.Errorf("by rows p %g, by questions %g; want a clear difference of 20 rows, and none of 1 question", *rows.P,
			*questions.P)
	}
}
