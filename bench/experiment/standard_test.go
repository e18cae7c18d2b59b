package experiment

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// standardOf is a comparison of two agents in three rounds at a temperature.
func standardOf(temperature float32, conditions, protocols []string) Standard {
	return Standard{Debate: debate.Flat(society.FormName, society.Settings{Agents: 2, Rounds: 3}),
		Conditions: conditions, Protocols: protocols,
		Ask: func(inference.ModelInfo, task.Task) (debate.Asking, string, error) {
			return debate.Asking{Sampling: inference.Sampling{Temperature: temperature},
				Seeds: debate.Seeds{Run: 7}}, "plain", nil
		}}
}

// compared composes a comparison on so many questions.
func compared(s Standard, questions int) (TaskRun, error) {
	e, err := s.Experiment()
	if err != nil {
		return TaskRun{}, err
	}
	return e.Prepare(task.Task{Name: "t", Rule: "letter", Questions: make([]task.Question, questions)},
		inference.ModelInfo{})
}

// TestStandard: the standard conditions come first, then the protocols; what cannot be held is left out with a line
// unless it is named.
func TestStandard(t *testing.T) {
	for name, c := range map[string]struct {
		temperature           float32
		conditions, protocols []string
		questions             int
		want                  string
		notes                 int
	}{
		"usual": {1, nil, nil, 2, "single vote self-consistency mad mad-random truth-first truth-last madc " +
			"self-consistency-tokens shuffled oracle", 0},
		"named": {1, []string{"oracle", "noise"}, []string{"ring", "tit-for-tat"}, 2,
			"mad noise oracle ring tit-for-tat", 0},
		"copies": {0, nil, nil, 2, "single mad mad-random truth-first truth-last madc shuffled", 4},
		"alone":  {1, []string{"noise"}, nil, 1, "mad noise", 0},
		"one question": {1, nil, nil, 1, "single vote self-consistency mad mad-random truth-first truth-last madc " +
			"self-consistency-tokens oracle", 1},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := compared(standardOf(c.temperature, c.conditions, c.protocols), c.questions)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(trial.Names(run.Conditions), " "); got != c.want || len(run.Notes) != c.notes {
				t.Errorf("got %s and the notes %q, want %s and %d notes", got, run.Notes, c.want, c.notes)
			}
			if run.Reference != trial.Reference || run.Agents != 2 || run.Rounds != 3 || run.Seed != 7 ||
				run.Prompts != "plain" {
				t.Errorf("got %+v, want a reference mad of 2 agents and 3 rounds, seed 7, prompts plain", run.Run)
			}
		})
	}
}

// TestStandardRefuses: what cannot be compared is refused before a model is open, or when the conditions are composed.
func TestStandardRefuses(t *testing.T) {
	math := datatest.File(t, "math.yaml", "form: society\nprompts: madc-math\n")
	team := standardOf(1, nil, nil)
	team.Debate = team.Debate.With("team", []debate.Member{{}, {}, {Persona: "a third"}})
	for want, s := range map[string]Standard{
		`no condition "vibes"`:              standardOf(1, []string{"vibes"}, nil),
		"condition madc exists already":     standardOf(1, nil, []string{"madc"}),
		"two conditions have the name ring": standardOf(1, nil, []string{"ring", "ring"}),
		`no protocol "rign"`:                standardOf(1, nil, []string{"rign"}),
		"condition vote: at temperature 0":  standardOf(0, []string{"vote"}, nil),
		"a team of 3 members":               team,
		"the answer rule letter does not read what the prompts madc-math ask for": standardOf(1, nil,
			[]string{math}),
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := compared(s, 2); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a standard comparison that cannot be is refused with %q: got %v", want, err)
			}
		})
	}
}
