package validity_test

import (
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// sent is a debate on a question with requests of these keys.
func sent(question, decision string, keys ...string) trial.Outcome {
	o := trial.Outcome{Question: question, Score: task.Wrong}
	o.Transcript.Decision.Answer = answer.Of(decision)
	var turns []debate.Turn
	for _, key := range keys {
		turn := debate.Turn{}
		turn.Reply.Key = key
		turns = append(turns, turn)
	}
	o.Transcript.Rounds = [][]debate.Turn{turns}
	return o
}

// TestSame: conditions differ in a debate in which another request was sent, or another answer was decided.
func TestSame(t *testing.T) {
	failed := sent("1", "A", "a", "b")
	failed.Score = task.Failed
	for _, c := range []struct {
		name          string
		first, second []trial.Outcome
		same, of      int
	}{
		{"both the same", []trial.Outcome{sent("1", "A", "a", "b"), sent("2", "B", "c")},
			[]trial.Outcome{sent("2", "B", "c"), sent("1", "A", "a", "b")}, 2, 2},
		{"another request", []trial.Outcome{sent("1", "A", "a", "b")}, []trial.Outcome{sent("1", "A", "a", "x")}, 0, 1},
		{"one more", []trial.Outcome{sent("1", "A", "a", "b")}, []trial.Outcome{sent("1", "A", "a")}, 0, 1},
		{"another decision", []trial.Outcome{sent("1", "A", "a", "b")}, []trial.Outcome{sent("1", "B", "a", "b")}, 0,
			1},
		{"no keys, as of logs", []trial.Outcome{sent("1", "A", "")}, []trial.Outcome{sent("1", "A", "")}, 0, 1},
		{"failed", []trial.Outcome{failed}, []trial.Outcome{sent("1", "A", "a", "b")}, 0, 0},
		{"no common question", []trial.Outcome{sent("1", "A", "a")}, []trial.Outcome{sent("2", "A", "a")}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			same, of := validity.Same(outcome.NewTable(c.first).Debates(), outcome.NewTable(c.second).Debates())
			if same != c.same || of != c.of {
				t.Errorf("%s: %d of %d, want %v and %v", c.name, same, of, c.same, c.of)
			}
		})
	}
}
