package bench_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// echo decides for what the debate before it came to.
type echo struct{}

func (echo) Run(_ context.Context, _ debate.Speaker, c debate.Case) (debate.Transcript, error) {
	if c.Prior == nil {
		return debate.Transcript{}, errors.New("no prior")
	}
	t := *c.Prior
	t.Protocol, t.Case = fmt.Sprintf("echo of %s", c.Prior.Case), c.ID
	return t, nil
}

// TestRepeats asks each question three times: the first time as if there were no others, each time with other seeds,
// and what builds on a condition after it.
func TestRepeats(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Subset(6, 1)
	pool := conditions[1]
	pool.Name, pool.Once = "pool", true
	run := func(repeats int, conditions ...trial.Condition) (list []trial.Outcome) {
		t.Helper()
		_, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Repeats: repeats},
			Task: questions, Conditions: conditions, Engine: benchtest.Crowd(questions),
			Observe: func(o trial.Outcome) error {
				list = append(list, o)
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	mad := conditions[3]
	got := run(3, trial.Condition{Name: "echo", Debate: echo{}, DependsOn: "pool"}, mad, pool)
	if want := 6*3 + 6 + 6*3; len(got) != want {
		t.Fatalf("%d debates, want %d", len(got), want)
	}
	once, seeds := run(1, mad), make(map[uint64]bool)
	for _, o := range got[:24] {
		if o.Condition == "pool" {
			continue
		}
		if o.Repeat == 0 {
			same := slices.IndexFunc(once, func(other trial.Outcome) bool { return other.Question == o.Question })
			if once[same].Transcript.Rounds[0][0].Reply.Text != o.Transcript.Rounds[0][0].Reply.Text {
				t.Errorf("question %s: the first repeat is not the run without repeats", o.Question)
			}
		}
		seeds[debate.Seeds{Run: 1}.Of(o.Transcript.Case, 0, 0, 0)] = true
	}
	if len(seeds) != 18 {
		t.Errorf("%d seeds of 18 debates, want 18", len(seeds))
	}
	for _, o := range got[24:] {
		if o.Condition != "echo" || o.Transcript.Protocol != "echo of "+o.Question {
			t.Errorf("%s, repeat %d: the condition echo builds on its own question and repeat: got %s on %s",
				o.Question, o.Repeat, o.Condition, o.Transcript.Protocol)
		}
	}
}

// TestCandidates goes on only with questions on which two answers are frequent.
func TestCandidates(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 4, 1)
	questions = questions.Subset(2, 1)
	split := questions.Questions[1].Text
	engine := inference.NewScript(func(r inference.Request) string {
		if strings.Contains(r.Messages[0].Content, split) && r.Agent%2 == 0 {
			return "(A)"
		}
		return "(B)"
	})
	pool := conditions[1]
	pool.Once = true
	held := make(map[string]int)
	c, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Repeats: 2},
		Task: questions, Engine: engine, Conditions: []trial.Condition{pool,
			{Name: "echo", Debate: echo{}, DependsOn: pool.Name, Candidates: 0.3}},
		Observe: func(o trial.Outcome) error {
			if o.Condition == "echo" {
				held[o.Question]++
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(held) != 1 || held[questions.Questions[1].ID] != 2 || benchtest.Row(t, c, "echo").N != 2 {
		t.Errorf("only question %s is a candidate, with 2 debates, which the table has: got %v, %d in the table",
			questions.Questions[1].ID, held, benchtest.Row(t, c, "echo").N)
	}
}

func TestWrongPriors(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 1)
	for want, list := range map[string][]trial.Condition{
		"builds on nobody, which is not in the run": {{Name: "a", Debate: echo{}, DependsOn: "nobody"}},
		"builds on a, which itself builds on single": {conditions[0], {Name: "a", Debate: echo{}, DependsOn: "single"},
			{Name: "b", Debate: echo{}, DependsOn: "a"}},
		"candidates 0.6":     {conditions[0], {Name: "a", Debate: echo{}, DependsOn: "single", Candidates: 0.6}},
		"name it with after": {conditions[0], {Name: "a", Debate: echo{}, Candidates: 0.3}},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: list,
				Engine: benchtest.Crowd(questions)})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a prior that cannot be is refused with %q: got %v", want, err)
			}
		})
	}
}

// TestBlocks asks few questions at a time, and gets what it gets from all at once.
func TestBlocks(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Subset(7, 1)
	pool := conditions[1]
	pool.Name, pool.Once = "pool", true
	held := func(atOnce int) (rows []analysis.Row, order []string) {
		t.Helper()
		c, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Repeats: 2, Reference: "pool"},
			Task: questions, Conditions: []trial.Condition{{Name: "echo", Debate: echo{}, DependsOn: "pool"},
				conditions[3],
				pool}, Engine: benchtest.Crowd(questions), AtOnce: atOnce, Observe: func(o trial.Outcome) error {
				order = append(order, o.Condition)
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		return c.Rows, order
	}
	whole, first := held(0)
	parts, second := held(12) // two questions of five debates each
	for i := range whole {
		whole[i].Milliseconds, parts[i].Milliseconds = 0, 0
	}
	if diff := cmp.Diff(whole, parts); diff != "" {
		t.Errorf("asking in blocks gives what asking at once gives (-want +got):\n%s", diff)
	}
	if len(first) != 35 || len(second) != 35 || second[9] != "echo" || first[9] == "echo" {
		t.Errorf("35 debates are held in one block and in several, and in several alone the tenth is of echo: "+
			"got\n%v\nand\n%v", first, second)
	}
}
