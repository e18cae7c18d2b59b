package analysis

import (
	"testing"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// TestRoundsOfKnights: the vote of a round is one on each player, and may be right where nobody's solution is.
func TestRoundsOfKnights(t *testing.T) {
	round := func(solutions ...string) (turns []debate.Turn) {
		for agent, solution := range solutions {
			turns = append(turns, debate.Turn{Agent: agent, Answer: answer.Of(solution)})
		}
		return turns
	}
	o := trial.Outcome{Question: "1", Truth: answer.Of("Ann: knight, Bo: knave, Cy: spy"), Score: task.Right,
		Transcript: debate.Transcript{
			Phases: []debate.Phase{"proposal", "final"},
			Rounds: [][]debate.Turn{
				round("Ann: spy, Bo: knave, Cy: spy", "Ann: knight, Bo: spy, Cy: spy",
					"Ann: knight, Bo: knave, Cy: knave"),
				round("Ann: spy, Bo: knave, Cy: spy", "Ann: spy, Bo: knave, Cy: spy",
					"Ann: knight, Bo: knave, Cy: spy"),
			},
			Decision: debate.Decision{Players: []debate.PlayerVote{{Player: "Ann"}, {Player: "Bo"}, {Player: "Cy"}}},
		}}
	rounds := RoundsOf(debatesOf([]trial.Outcome{o}))
	if len(rounds) != 2 || rounds[0].Accuracy != 1 || rounds[1].Accuracy != 0 {
		t.Errorf("all roles are right in the first round and none in the second: got %+v", rounds)
	}
}
