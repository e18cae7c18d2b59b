package rundir

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
)

// TestPower: a run says which difference its questions can show, or that they are too few.
func TestPower(t *testing.T) {
	if got := (Header{Run: spec.Run{Questions: 5}}).Power(); !strings.Contains(got, "5 questions: too few") {
		t.Errorf("5 questions are told to be too few, \"5 questions: too few\": got %s", got)
	}
	if got := (Header{Run: spec.Run{Questions: 60}}).Power(); !strings.Contains(got,
		"of 0.13 or more if all questions that differ favour one condition, of 0.23 or more if 40 % of 60") {
		t.Errorf("60 questions find 0.13 or more if all favour one condition, and 0.23 if 40 %% of them do: got "+
			"%s", got)
	}
	if got := (Header{Run: spec.Run{Questions: 1, Repeats: 40}}).Power(); !strings.Contains(got,
		"if all samples that differ favour one condition") || !strings.Contains(got, "40 % of 40 differ") {
		t.Errorf("one question of 40 samples tells the power in samples, 40 %% of them: got %s", got)
	}
	if got := (Header{Run: spec.Run{Questions: 3, Repeats: 50}}).Power(); !strings.Contains(got,
		"3 questions: too few") {
		t.Errorf("no permutation of three questions finds a difference, \"3 questions: too few\": got %s", got)
	}
	// 0.58 of the questions would have to differ
	if got := (Header{Run: spec.Run{Questions: 12}}).Power(); strings.Contains(got, "40 %") {
		t.Errorf("12 questions are too few for what 40 %% of them would find, want it not told: got %s", got)
	}
	if got := (Header{Run: spec.Run{Questions: 60, Repeats: 2}}).Power() +
		(Header{Run: spec.Run{Questions: 60, Stop: &spec.Stopping{}}}).Power(); got != "" {
		t.Errorf("the power of another test: %s, want none", got)
	}
}

// TestHeaderStops: what a header says of stopping is checked as what a user says.
func TestHeaderStops(t *testing.T) {
	h := Header{Run: spec.Run{Conditions: []string{"single", "mad"}, Stop: &spec.Stopping{Condition: "single",
		Every: 25, Alpha: 5}}}
	if _, err := h.ConditionsOf(); err == nil {
		t.Error("a header stops at p 5, want an error")
	}
}

// TestTaskName: files of several benchmarks are called test; generated puzzles, own data and files that are called like
// their benchmark need no more.
func TestTaskName(t *testing.T) {
	for want, h := range map[string]Header{
		"gsm8k test":  {Run: spec.Run{Task: "test", Family: "gsm8k"}},
		"MMLU-dev":    {Run: spec.Run{Task: "MMLU-dev", Family: "mmlu"}},
		"mine":        {Run: spec.Run{Task: "mine", Family: task.FamilyOwn}},
		"generated/1": {Run: spec.Run{Task: "generated/1"}},
	} {
		t.Run(want, func(t *testing.T) {
			if got := h.TaskName(); got != want {
				t.Errorf("the task's name is %q: got %q", want, got)
			}
		})
	}
}
