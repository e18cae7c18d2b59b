package bench

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// lacks are models and servers, by what they cannot do.
var lacks = map[string]func(inference.Request) bool{
	"nothing":         func(inference.Request) bool { return false },
	"grammars":        func(r inference.Request) bool { return r.Grammar != "" },
	"given answers":   func(r inference.Request) bool { return len(r.Continuations) > 0 },
	"a bound":         func(r inference.Request) bool { return r.Sampling.ReasoningTokens != 0 && !r.UsualBound },
	"waits":           func(r inference.Request) bool { return r.Sampling.ReasoningWaits > 0 },
	"system messages": func(r inference.Request) bool { return r.Messages[0].Role == "system" },
}

// refusing is an engine whose model lacks something, and whose agents all say the same.
type refusing struct {
	*inference.Script
	lacks func(inference.Request) bool
	met   *bool
}

func (r refusing) Join(order int) inference.Participant {
	return refused{r.Script.Join(order), r}
}

type refused struct {
	inference.Participant
	by refusing
}

func (r refused) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := r.Participant.Generate(ctx, requests)
	for i := range replies {
		if r.by.lacks(requests[i]) {
			*r.by.met, replies[i] = true, inference.Reply{Err: inference.ErrCannot}
		}
	}
	return replies, err
}

// TestUnable: of the experiments that we ship, a condition in which a model is asked for what it cannot do, whatever is
// said, is found to be one that it cannot hold, and so is what builds on it. Nothing is found where nothing lacks.
func TestUnable(t *testing.T) {
	puzzles, err := task.Generate(3, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]int)
	for _, e := range experiment.List() {
		if len(e.Unfilled()) > 0 {
			continue
		}
		puzzles.Name = e.Tasks[0].Name
		run, err := e.Prepare(puzzles, inference.ModelInfo{Name: "m"})
		if err != nil {
			t.Fatalf("%s is prepared: got %v, want no error", e.Name, err)
		}
		small := slices.DeleteFunc(run.Conditions, func(c trial.Condition) bool { return c.Agents > 6 || c.Rounds > 3 })
		for what, lacks := range lacks {
			why := Unable(t.Context(), Options{Task: puzzles, Conditions: small}, func(r inference.Request) error {
				if lacks(r) {
					return inference.Cannot{Err: errors.New(what)}
				}
				return nil
			})
			found[what] += len(why)
			for _, c := range small {
				switch {
				case why[c.Name] != nil:
				case why[c.DependsOn] != nil:
					t.Errorf("%s: what builds on a condition that cannot be held is not held: got %s without %s",
						e.Name, c.Name, c.DependsOn)
				case asksFor(t, c, puzzles, lacks):
					t.Errorf("%s: %s is refused for lack of %s, which was not found", e.Name, c.Name, what)
				}
			}
		}
	}
	for what := range lacks {
		if (found[what] == 0) != (what == "nothing") {
			t.Errorf("some conditions are not held for lack of %s, none for lack of nothing: got %d", what, found[what])
		}
	}
}

// asksFor reports whether a model is asked for what it lacks where all agents say the same.
func asksFor(t *testing.T, c trial.Condition, puzzles task.Task, lacks func(inference.Request) bool) bool {
	met := false
	says := inference.NewScript(func(inference.Request) string { return "The answer is (B)." })
	_, _ = c.Debate.Run(t.Context(), refusing{says, lacks, &met}.Join(0), caseOf(puzzles, puzzles.Questions[0]))
	return met
}

// TestUnableToBelieve: beliefs are refused before the first question where answers have no form, and where scores are
// lacking.
func TestUnableToBelieve(t *testing.T) {
	puzzles, err := task.Generate(3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	translations := puzzles
	translations.Rule, translations.Measure = answer.KindText.Reader(), "chrf"
	believing := trial.Condition{Name: "c", Debate: society.Society{Asking: debate.Asking{Beliefs: true}, Agents: 2,
		Rounds: 1, Prompts: debatetest.Load(t, "tiny")}}
	for name, c := range map[string]struct {
		task  task.Task
		lacks string
		want  error
	}{
		"scores":     {puzzles, "nothing", nil},
		"no scores":  {puzzles, "given answers", inference.ErrCannot},
		"whole text": {translations, "nothing", debate.ErrNoBeliefs},
	} {
		t.Run(name, func(t *testing.T) {
			why := Unable(t.Context(), Options{Task: c.task, Conditions: []trial.Condition{believing}},
				func(r inference.Request) error {
					if lacks[c.lacks](r) {
						return inference.ErrCannot
					}
					return nil
				})
			if !errors.Is(why["c"], c.want) {
				t.Errorf("the condition cannot be held: %v, want %v", why["c"], c.want)
			}
		})
	}
}
