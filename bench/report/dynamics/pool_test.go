package dynamics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// TestPool counts replies by hand: of 20, nine right, seven of one wrong answer, three of another, one unread.
func TestPool(t *testing.T) {
	var turns []debate.Turn
	for i, n := range []int{9, 7, 3, 1} {
		for range n {
			turns = append(turns, debate.Turn{Agent: len(turns),
				Answer: []answer.Answer{answer.Of("(A)"), answer.Of("(B)"), answer.Of("(C)"), {}}[i]})
		}
	}
	o := trial.Outcome{Question: "q", Condition: "pool", Target: "(A)", Truth: answer.Of("(A)"),
		Transcript: debate.Transcript{Rounds: [][]debate.Turn{turns}}}
	under := func(outcomes ...trial.Outcome) *outcome.Debates { return outcome.NewTable(outcomes).Under("pool") }
	for share, candidate := range map[float64]bool{0.3: true, 0.4: false} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			want := []Pool{{Question: "q", Right: 0.45, Wrong: 0.35, Other: 0.15, Unparsed: 0.05,
				Candidate: candidate}}
			if diff := cmp.Diff(want, PoolsOf(under(o), leastPool, share)); diff != "" {
				t.Errorf("the pools of replies are counted as by hand (-want +got):\n%s", diff)
			}
		})
	}
	if caption := poolCaption(100, false, []string{"q", "r"}, 0.3); !strings.Contains(caption,
		"which two answers have more than 30 % each: 2 of 100 questions: q and r.") {
		t.Errorf("%v, want a text with %q",
			caption, "which two answers have more than 30 % each: 2 of 100 questions: q and r.")
	}
	failed := trial.Outcome{Question: "r", Condition: "pool", Target: "(A)", Score: task.Failed}
	if list := PoolsOf(under(o, failed), leastPool, 0.3); len(list) != 1 || list[0].Question != "q" {
		t.Errorf("beside a debate that failed the pool of q alone is left: got %+v", list)
	}
	o.Transcript.Rounds[0] = turns[:leastPool-1]
	if list := PoolsOf(under(o, failed), leastPool, 0.3); list != nil {
		t.Errorf("fewer than %d agents are no pool: got %v, want none", leastPool, list)
	}
}
