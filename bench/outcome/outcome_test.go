package outcome_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// held is a debate on a question to which A and B are right: a letter for each agent's answer in each round.
func held(condition, question string, repeat int, rounds ...string) trial.Outcome {
	o := trial.Outcome{Condition: condition, Question: question, Repeat: repeat, Truth: answer.Of("A"),
		Key: &task.Key{Measure: "any", Accepted: []string{"A", "B"}}}
	for r, letters := range rounds {
		turns := debatetest.TurnsOf(letters)
		for i := range turns {
			turns[i].Round = r
		}
		o.Transcript.Rounds = append(o.Transcript.Rounds, turns)
	}
	o.Transcript.Decision.Answer = o.Transcript.Rounds[len(rounds)-1][0].Answer
	o.Score = o.ScoreOf(o.Transcript.Decision.Answer)
	return o
}

// TestColumns: equal answers have equal numbers under all conditions, and both accepted answers are right, whichever is
// listed first.
func TestColumns(t *testing.T) {
	table := outcome.NewTable([]trial.Outcome{held("mad", "1", 0, "CB.", "BA."), held("vote", "1", 0, "ABC")})
	mad, vote := table.Under("mad").All[0], table.Under("vote").All[0]
	if r := mad.Rounds(); len(r) != 2 || len(r[0].Answers) != 3 || len(r[1].Answers) != 3 {
		t.Fatalf("2 rounds have an answer of each of 3 agents: got %+v", r)
	}
	c, b, a := mad.Rounds()[0].Answers[0].ID, mad.Rounds()[0].Answers[1].ID, mad.Rounds()[1].Answers[1].ID
	want := agreement.Debate{Rounds: [][]int{{c, b, agreement.Unparsed}, {b, a, agreement.Unparsed}},
		Key: agreement.Key{b, a}}
	if diff := cmp.Diff(want, mad.IDs()); diff != "" || a == b || b == c {
		t.Errorf("mad, want less got: %s", diff)
	}
	if diff := cmp.Diff([][]int{{a, b, c}}, vote.IDs().Rounds); diff != "" {
		t.Errorf("vote, want less got: %s", diff)
	}
	agents := mad.Agents()
	if len(agents) != 3 || agents[0].Times != 2 || agents[0].First.IsRight() || !agents[0].Last.IsRight() ||
		agents[2].Last.Correctness() != agreement.Unread {
		t.Errorf("agents of mad: %+v, want three: the first becomes right and the last is unread", agents)
	}
}

// TestLastOfARound: of several answers of an agent in a round the last counts, and turns that do not answer the
// question have neither number nor score.
func TestLastOfARound(t *testing.T) {
	o := held("mad", "1", 0, "C")
	o.Transcript.Rounds[0] = append(o.Transcript.Rounds[0], debate.Turn{Agent: 0, Answer: answer.Of("A")},
		debate.Turn{Agent: 1, Kind: debate.KindSummary, Answer: answer.Of("A")})
	round := outcome.NewTable([]trial.Outcome{o}).Debates()[0].Rounds()[0]
	if len(round.Turns) != 3 || len(round.Answers) != 1 || !round.Answers[0].IsRight() {
		t.Fatalf("%d turns and the answers %+v, want 3 turns and one right answer", len(round.Turns), round.Answers)
	}
	if last := round.Turns[2]; last.Answers || last.ID != agreement.Unparsed || last.Score != "" {
		t.Errorf("a summary is no answer, want neither an answer nor a score of it: got %+v", last)
	}
}

// TestHeld: a debate that failed is in no number of its condition, and is left out of what is compared with it.
func TestHeld(t *testing.T) {
	failed := held("mad", "2", 0, "A")
	failed.Score = task.Failed
	table := outcome.NewTable([]trial.Outcome{held("mad", "1", 0, "A"), failed, held("vote", "2", 0, "A"),
		held("vote", "1", 0, "C")})
	mad := table.Under("mad")
	if got := mad.CountOf("2"); len(mad.All) != 2 || len(mad.Held().All) != 1 || got.Times != 0 || mad.Share("1") != 1 {
		t.Errorf("%d debates, %d held, question 2 asked %d times, want 2, 1 and 0", len(mad.All), len(mad.Held().All),
			got.Times)
	}
	both := outcome.HeldByAll([]*outcome.Debates{mad, table.Under("vote")})
	if !slices.Equal(both[0].Cases, []string{"1"}) || !slices.Equal(both[1].Cases, []string{"1"}) {
		t.Errorf("held by both: %q and %q, want question 1 alone", both[0].Cases, both[1].Cases)
	}
	a, b := outcome.SameCases(mad, table.Under("vote"))
	if want := []string{"1", "2"}; !slices.Equal(a.Cases, want) || !slices.Equal(b.Cases, want) {
		t.Errorf("the same cases: %q and %q, want %q", a.Cases, b.Cases, want)
	}
}
