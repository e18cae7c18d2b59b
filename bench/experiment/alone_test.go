package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestOneQuestion: on a single question each experiment that we ship leaves out what needs another one, with a line,
// and what is left has all that its contrasts name. On two questions nothing is left out.
func TestOneQuestion(t *testing.T) {
	dropped := 0
	for _, e := range List() {
		if len(e.Unfilled()) > 0 {
			continue
		}
		for _, own := range e.Tasks {
			run := func(questions int) TaskRun {
				one := task.Task{Name: own.Name, Rule: own.Rule, Questions: make([]task.Question, questions)}
				s, err := e.Prepare(one, inference.ModelInfo{Name: "m"})
				if err != nil {
					t.Fatalf("%s can ask one question: got %v, want no error", e.Name, err)
				}
				return s
			}
			alone, two := run(1), run(2)
			for _, c := range alone.Conditions {
				if debate.BorrowsOf(c.Debate) {
					t.Errorf("%s: with one question no condition hears about another, but %s does", e.Name, c.Name)
				}
			}
			gone := 0
			for _, line := range alone.Notes {
				name, _, _ := strings.Cut(line, " ")
				if slices.Contains(trial.Names(two.Conditions), name) && strings.Contains(line, "there is only one") {
					gone++
				}
			}
			if len(alone.Conditions)+gone != len(two.Conditions) {
				t.Errorf("%s: every condition is left or has a line that says why it is not: got %d left and %d "+
					"lines, want %d", e.Name, len(alone.Conditions), gone, len(two.Conditions))
			}
			if _, err := contrast.Read(alone.Contrasts, trial.Names(alone.Conditions)); err != nil {
				t.Errorf("%s: the contrasts that are left are of conditions that are left: got %v, want no error",
					e.Name, err)
			}
			dropped += len(two.Contrasts) - len(alone.Contrasts)
		}
	}
	if dropped != 4 { // on each of the tasks of consensus-cost
		t.Errorf("4 contrasts are left out, those of debate - noise on each task of consensus-cost: got %d", dropped)
	}
}
