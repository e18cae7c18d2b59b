package trial

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Outcome is the result of one condition on one repeat of a question.
type Outcome struct {
	Question  string        `json:"question"`
	Repeat    int           `json:"repeat,omitempty"`
	Cluster   string        `json:"cluster,omitempty"` // of the question, in runs that have clusters
	Group     string        `json:"group,omitempty"`   // of the question, where the task tells groups apart
	Condition string        `json:"condition"`
	Target    string        `json:"target"`
	Truth     answer.Answer `json:"truth"` // the target in the form in which answers are read
	// Key has what else tells right answers; it is nil where an answer is right if it equals Truth.
	Key   *task.Key  `json:"key,omitempty"`
	Score task.Score `json:"score"`
	Error string     `json:"error,omitempty"` // why the debate failed
	// Partial is how right the decision is, from 0 to 1; nil unless the task's measure has degrees.
	Partial    *float64          `json:"partial,omitempty"`
	Transcript debate.Transcript `json:"transcript"`

	// Asked is the text of the question while a run is under way, whose transcripts lose their messages; "" of a
	// record, whose messages have it.
	Asked string `json:"-"`
}

// ScoreOf scores an answer to the question as the task does.
func (o Outcome) ScoreOf(a answer.Answer) task.Score { return o.Key.Score(a, o.Truth) }

// IsRight reports whether an answer to the question is right. Nothing that is computed from outcomes tells it in
// another way.
func (o Outcome) IsRight(a answer.Answer) bool { return o.ScoreOf(a) == task.Right }

// Degree is how right an answer to the question is, from 0 to 1, by the degrees of the task's measure; without any, 1
// if it is right, else 0.
func (o Outcome) Degree(a answer.Answer) float64 {
	switch degree := o.Key.Degree(a, o.Truth); {
	case degree != nil:
		return *degree
	case o.IsRight(a):
		return 1
	}
	return 0
}

// Explained reports whether the recorded score follows from the transcript by ScoreOf, under its condition. If not,
// it is not known which other answers are right.
func (o Outcome) Explained(c Condition) bool {
	return o.Key.Complete() && c.ScoreOf(o.Transcript, o.ScoreOf) == o.Score
}

// Marked reports whether it is known which answers are right: older records lack what tells right translations, for
// example. A decision, or an oracle's best answer, that was scored as right must be right by ScoreOf too.
func (o Outcome) Marked() bool {
	return o.Key.Complete() && (o.Score != task.Right || o.IsRight(o.Transcript.Decision.Answer) ||
		bestScore(o.Transcript, o.ScoreOf) == task.Right)
}

// Failed reports whether the debate failed, as when a prompt did not fit into the context. Such an outcome is neither
// right nor wrong: no accuracy counts it.
func (o Outcome) Failed() bool {
	// old records call it unparsed
	return o.Score == task.Failed || o.Score == task.Unparsed && Empty(o.Transcript)
}

// Case names the question and its repeat in seeds and records, see CaseID.
func (o Outcome) Case() string { return CaseID(o.Question, o.Repeat) }

// IsOf reports whether a name that a user gave is that of the question, which has all its repeats, or of this debate.
func (o Outcome) IsOf(name string) bool { return o.Question == name || o.Case() == name }

// CaseID names a repeat of a question in seeds and records. Repeat 0 has the question's own name, so that a run that is
// widened by repeats keeps its seeds.
func CaseID(question string, repeat int) string {
	if repeat == 0 {
		return question
	}
	return fmt.Sprintf("%s #%d", question, repeat+1)
}

// Validate refuses an outcome that no run can have: a journal may have been written by hand.
func (o Outcome) Validate() error {
	if o.Score != task.Failed && !slices.Contains(Scores, o.Score) {
		return fmt.Errorf("the score is %q; there are %q and %s", o.Score, Scores, task.Failed)
	}
	if o.Repeat < 0 || o.Repeat > MostTimes {
		return fmt.Errorf("repeat %d is not from 0 to %d", o.Repeat, MostTimes)
	}
	return o.Transcript.Validate()
}

// Scores are the scores of debates that did not fail.
var Scores = []task.Score{task.Right, task.Wrong, task.Unparsed}

// MostTimes bounds the repeats, agents and rounds of a record: far above what anybody runs, and far below what would
// exhaust a machine's memory.
const MostTimes = 100_000
