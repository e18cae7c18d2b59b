package trial

import (
	"fmt"
	"slices"

	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
)

// Outcome is what one condition made of one question.
type Outcome struct {
	Question  string        `json:"question"`
	Repeat    int           `json:"repeat,omitempty"`
	Condition string        `json:"condition"`
	Target    string        `json:"target"`
	Truth     answer.Answer `json:"truth"` // the target in the form in which answers are read
	Score     task.Score    `json:"score"`
	Error     string        `json:"error,omitempty"` // why the debate could not be held
	// how right, from 0 to 1, where the task's measure has degrees
	Partial    *float64          `json:"partial,omitempty"`
	Transcript debate.Transcript `json:"transcript"`
}

// Failed reports whether a debate could not be held. It is neither right nor wrong: no accuracy counts it.
func (o Outcome) Failed() bool {
	// of a record that calls it unparsed
	return o.Score == task.Failed || o.Score == task.Unparsed && len(o.Transcript.Rounds) == 0
}

// Case names the question and its repeat, in seeds and in records: the first time it is asked has the question's own
// name.
func (o Outcome) Case() string { return CaseID(o.Question, o.Repeat) }

// CaseID names a question in seeds and records; the first time it is asked has its own name, so that more repeats leave
// it as it is.
func CaseID(question string, repeat int) string {
	if repeat == 0 {
		return question
	}
	return fmt.Sprintf("%s #%d", question, repeat+1)
}

// Validate refuses an outcome that no run has; it may come from a journal that somebody wrote by hand.
func (o Outcome) Validate() error {
	if o.Score != task.Failed && !slices.Contains(Scores, o.Score) {
		return fmt.Errorf("the score is %q, there are %q and %s", o.Score, Scores, task.Failed)
	}
	if o.Repeat < 0 || o.Repeat > MostTimes {
		return fmt.Errorf("repeat %d, from 0 to %d can be", o.Repeat, MostTimes)
	}
	return o.Transcript.Validate()
}

// Scores are those of debates that could be held.
var Scores = []task.Score{task.Right, task.Wrong, task.Unparsed}

// MostTimes bounds the repeats, agents and rounds of a record: far above what anybody runs, and far below what takes
// the memory of a machine.
const MostTimes = 100_000

// CountFailed is how many debates could not be held.
func CountFailed(outcomes []Outcome) (n int) {
	for _, o := range outcomes {
		if o.Failed() {
			n++
		}
	}
	return n
}
