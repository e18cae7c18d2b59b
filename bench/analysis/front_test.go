package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// method is a scripted condition: it is right at a rate, and generates so many tokens for a question.
type method struct {
	name   string
	rate   float64
	tokens int
}

// studied are the outcomes of methods on the same questions, some of which are easier than others for all of them.
func studied(methods []method, questions int, random *rand.Rand) (outcomes []trial.Outcome) {
	for q := range questions {
		ease := 0.2 * (2*random.Float64() - 1)
		for _, m := range methods {
			o := trial.Outcome{Question: fmt.Sprint(q), Condition: m.name, Score: task.Wrong}
			if random.Float64() < m.rate+ease {
				o.Score = task.Right
			}
			o.Transcript.Rounds = [][]debate.Turn{{{Reply: inference.Reply{Tokens: m.tokens}}}}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// frontOf is what a comparison says of outcomes; of methods with budgets, each has one of its tokens in hundreds.
func frontOf(t *testing.T, methods []method, outcomes []trial.Outcome, budgets bool) *Front {
	t.Helper()
	var conditions []trial.Condition
	c := Comparison{Run: spec.Run{Reference: methods[0].name, Budgets: make(map[string]int)}}
	for _, m := range methods {
		conditions = append(conditions, trial.Condition{Name: m.name})
		if budgets {
			c.Budgets[m.name] = m.tokens / 100
		}
	}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if c.Front == nil || len(c.Faults) > 0 {
		t.Fatalf("a comparison of %d methods has no front: faults %q", len(methods), c.Faults)
	}
	return c.Front
}

// TestFrontNamesTheBest: where a method is better than cheaper ones by more than can be missed, the verdict names it,
// within each budget that it fits, and never a costlier one that is as good; where none differs, the cheapest is named.
// What is called worse is so, in as many studies as promised.
func TestFrontNamesTheBest(t *testing.T) {
	studies := 200
	if testing.Short() {
		studies = 40
	}
	for _, c := range []struct {
		name    string
		methods []method
		best    string
		within  map[int]string // by budget
		least   float64        // share of studies
	}{
		{"a vote is worth it, a debate is not", []method{{"single", 0.45, 100}, {"vote", 0.7, 300},
			{"debate", 0.7, 900}, {"council", 0.6, 2700}}, "vote",
			map[int]string{1: "single", 3: "vote", 9: "vote", 27: "vote"}, 0.95},
		{"a debate is worth it", []method{{"single", 0.3, 100}, {"vote", 0.4, 300}, {"debate", 0.75, 900}}, "debate",
			map[int]string{1: "single", 9: "debate"}, 0.95},
		{"nothing is worth more than one answer", []method{{"single", 0.5, 100}, {"vote", 0.5, 300},
			{"debate", 0.5, 900}, {"council", 0.5, 2700}, {"mixture", 0.5, 8100}}, "single",
			map[int]string{1: "single", 3: "single", 9: "single", 27: "single", 81: "single"}, 0.95},
	} {
		t.Run(c.name, func(t *testing.T) {
			random, named := rand.New(rand.NewPCG(7, 0)), make(map[string]int)
			within, wrong := make(map[int]int), 0
			for range studies {
				f := frontOf(t, c.methods, studied(c.methods, 200, random), true)
				named[f.Use]++
				if f.countBest(c.within, within); f.maligns(c.methods) {
					wrong++
				}
			}
			for budget, best := range c.within {
				if share := float64(within[budget]) / float64(studies); share < c.least {
					t.Errorf("within %d answers %s is named in %.3f of %d studies, not in %.2f", budget, best, share,
						studies, c.least)
				}
			}
			if share := float64(wrong) / float64(studies); share > 1-c.least {
				t.Errorf("a method is called worse that is not, in %.3f of %d studies", share, studies)
			}
			if share := float64(named[c.best]) / float64(studies); share < c.least {
				t.Errorf("the verdict names %s in %.3f of %d studies, not in %.2f: %v", c.best, share, studies, c.least,
					named)
			}
		})
	}
}

// countBest counts the budgets within which the best method is named.
func (f *Front) countBest(best map[int]string, counts map[int]int) {
	for _, w := range f.Budgets {
		if w.Use == best[w.Budget] {
			counts[w.Budget]++
		}
	}
}

// maligns reports whether a method is called worse than one that is not better.
func (f *Front) maligns(methods []method) bool {
	rates := make(map[string]float64)
	for _, m := range methods {
		rates[m.name] = m.rate
	}
	for _, w := range f.Budgets {
		for _, r := range w.Worse {
			if rates[r.Condition] >= rates[r.Against] {
				return true
			}
		}
	}
	return false
}

// TestFrontVerdict is the sentence of a study in which one thing is sure, and another is not.
func TestFrontVerdict(t *testing.T) {
	methods := []method{{"single", 0.35, 100}, {"vote", 0.75, 300}, {"debate", 0.76, 630}}
	f := frontOf(t, methods, studied(methods, 300, rand.New(rand.NewPCG(1, 0))), false)
	const want = "Use vote (300 tokens a question): with all pairs compared at once, nothing is shown to be " +
		"better. Not told apart from it: debate costs 2.1 times as much for -5.9 to +9.3 points. Beaten by some " +
		"other condition: single. On 300 questions, all intervals holding at once with 95 %, a difference of about " +
		"11.4 points can be seen."
	if got := f.Verdict(); got != want {
		t.Errorf("the verdict is\n%s\nnot\n%s", got, want)
	}
}

// TestBudgetsVerdict is what such a study says of each budget.
func TestBudgetsVerdict(t *testing.T) {
	methods := []method{{"single", 0.35, 100}, {"vote-3", 0.6, 300}, {"reflect-3", 0.35, 310}, {"vote-9", 0.75, 900},
		{"debate-9", 0.74, 930}}
	f := frontOf(t, methods, studied(methods, 300, rand.New(rand.NewPCG(1, 0))), true)
	const want = "Use vote-9 (900 tokens a question): with all pairs compared at once, nothing is shown to be " +
		"better. Within 3 answers use vote-3. Worse: reflect-3, at least 17.7 points below vote-3. Within 9 answers " +
		"use vote-9. Not told apart from it: debate-9 costs about as much for -7.2 to +10.5 points. On 300 " +
		"questions, all intervals holding at once with 95 %, a difference of about 12.8 points can be seen."
	if got := f.Verdict(); got != want {
		t.Errorf("the verdict is\n%s\nnot\n%s", got, want)
	}
	if got, want := f.spent(f.Points[len(f.Points)-1]), "9.3 of 9"; got != want {
		t.Errorf("debate-9 used %s answers, want %s", got, want)
	}
}
