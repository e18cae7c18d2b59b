package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// said is a round: what the agents answer, "" if it cannot be read.
func said(answers ...string) (turns []debate.Turn) {
	for i, text := range answers {
		turn := debate.Turn{Agent: i, Answer: answer.Answer{Text: text, Parsed: text != ""}}
		turn.Reply.Tokens, turn.Reply.PromptTokens = 10, 100
		turns = append(turns, turn)
	}
	return turns
}

// decidedBy is an outcome by the majority of the last round.
func decidedBy(question, truth string, rounds ...[]debate.Turn) trial.Outcome {
	o := trial.Outcome{Question: question, Condition: "mad", Target: truth, Truth: answer.Of(truth),
		Transcript: debate.Transcript{Rounds: rounds}}
	o.Transcript.Decision = vote.Majority(o.Transcript.Last())
	o.Score = task.ScoreOf(o.Transcript.Decision.Answer, o.Truth)
	return o
}

func about(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %g", what, got, want)
	}
}

// TestCourse is worked by hand: one debate of two rounds that mends an answer, and one of three that spoils one.
func TestCourse(t *testing.T) {
	third, half := math.Log2(3)-2.0/3, 1.0 // entropies of 2 against 1, and of 1 against 1
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{
		decidedBy("1", "A", said("A", "A", "B"), said("A", "A", "A")),
		decidedBy("2", "B", said("B", "C", ""), said("C", "C", ""), said("C", "C", "B")),
	})
	want := agreement.Transitions{}
	// of the first debate
	want[agreement.Right][agreement.Right], want[agreement.Wrong][agreement.Right] = 2, 1
	// of the second
	want[agreement.Right][agreement.Wrong], want[agreement.Wrong][agreement.Wrong] = 1, 1
	want[agreement.Unread][agreement.Right] = 1
	if diff := cmp.Diff(want, got.Transitions); diff != "" {
		t.Errorf("the transitions are those that were worked by hand (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 1, 1}, got.Decided); diff != "" || got.MeanRounds != 2.5 || got.Ties != 0 ||
		got.Unmarked {
		t.Errorf("in rounds 1 to 3 [0 1 1] are decided, after 2.5 rounds in the mean, without ties, marked: got %v, "+
			"%g rounds, %d ties, unmarked %t", got.Decided, got.MeanRounds, got.Ties, got.Unmarked)
	}
	about(t, "agreement", got.Agreement, (1+1.0/3)/2)
	about(t, "entropy by the paper", got.Entropy.Paper, third/2)
	about(t, "entropy by the code", got.Entropy.Code, (third+0+half+0+third)/2)
	about(t, "log-likelihood by the paper", got.LogLikelihood.Paper, -math.Log2(3))
	about(t, "log-likelihood by the code", got.LogLikelihood.Code, math.Log2(2.0/3)+0-1-math.Log2(3))
	if diff := cmp.Diff([]Spent{{0, cost(5, 500, 50)}, {1, cost(5, 500, 50)}, {2, cost(5, 500, 50)}},
		got.Agents); diff != "" {
		t.Errorf("the agents' courses are those that were worked by hand (-want +got):\n%s", diff)
	}
	if len(got.Rounds) != 3 {
		t.Fatalf("debates of up to 3 rounds have 3 rows: got %d", len(got.Rounds))
	}
	for r, want := range []Round{
		{N: 2, Right: 2, Cost: cost(6, 600, 60)}, // the tie goes to the first agent, who is right
		{N: 2, Right: 1, Compared: 6, Lost: 1, Won: 1, Cost: cost(6, 600, 60)},
		{N: 2, Right: 1, Compared: 3, Won: 1, Cost: cost(3, 300, 30)}, // the first debate keeps its answers
	} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			is := got.Rounds[r]
			want.Accuracy, want.Interval, want.Entropy, want.LogLikelihood = float64(want.Right)/2,
				stat.Wilson(want.Right, 2, Level), is.Entropy, is.LogLikelihood
			if diff := cmp.Diff(want, is); diff != "" {
				t.Errorf("round %d is not as wanted (-want +got):\n%s", r, diff)
			}
		})
	}
	if got.Rounds[1].LogLikelihood.Paper != nil {
		t.Errorf("nobody is right on question 2 in round 1, which is minus infinity: got %v, want it unknown",
			*got.Rounds[1].LogLikelihood.Paper)
	}
	about(t, "entropy of the last round", got.Rounds[2].Entropy.Paper, third)
}

// TestCourseOfOthers: what stands around the rounds is no round, and who presides gives no answer.
func TestCourseOfOthers(t *testing.T) {
	o := decidedBy("1", "A", said("A"), said("A", "B", "A"), said("A", "A", "B"), nil)
	o.Transcript.Roles = []string{"affirmative", "negative", "moderator", "judge"}
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{o})
	if diff := cmp.Diff([]int{0, 1}, got.Decided); diff != "" {
		t.Errorf("the moderator speaks twice, and the debate is decided in the second round (-want +got):\n%s", diff)
	}
	about(t, "agreement without the moderator", got.Agreement, 1)
	discussed := decidedBy("1", "A", said("A", "A"), said("A", "A"))
	discussed.Transcript.Records = []debate.Record{{Turn: 1}, {Agent: 1, Turn: 1}}
	if got := dynamicsOf(trial.Condition{}, []trial.Outcome{discussed}); len(got.Decided) != 1 {
		t.Errorf("one turn and what is around it are one round: got the decided by round %v", got.Decided)
	}
	silent := trial.Outcome{Question: "2", Truth: answer.Of("A"), Score: task.Unparsed}
	if got := dynamicsOf(trial.Condition{}, []trial.Outcome{silent}); got.Decided != nil || got.MeanRounds != 0 ||
		got.Agreement != nil || got.Unmarked {
		t.Errorf("a debate that could not be held has no round, no agreement and is decided in none: got %+v", got)
	}
	silent.Score = task.Right
	if got := dynamicsOf(trial.Condition{}, []trial.Outcome{silent}); !got.Unmarked {
		t.Error("Unmarked = false for a score that comes from elsewhere, want true")
	}
}

// TestUnmarkedOfBefore reads what earlier versions wrote in the place of "unmarked".
func TestUnmarkedOfBefore(t *testing.T) {
	for text, want := range map[string]bool{
		`{"by_equality": true}`:                      false,
		`{"by_equality": false, "by_measure": true}`: false,
		`{"by_equality": false}`:                     true,
		`{"unmarked": true}`:                         true,
		`{}`:                                         false,
	} {
		t.Run(text, func(t *testing.T) {
			var d Dynamics
			if err := json.Unmarshal([]byte(text), &d); err != nil || d.Unmarked != want {
				t.Errorf("Unmarked = %t, %v, want %t", d.Unmarked, err, want)
			}
		})
	}
}

// TestMetricsOfNothing: where nothing was read there is no entropy, and where nobody was right no log-likelihood: 0
// would be the best value of both.
func TestMetricsOfNothing(t *testing.T) {
	unread := dynamicsOf(trial.Condition{}, []trial.Outcome{decidedBy("1", "", said("", ""))})
	if unread.Entropy != (Readings{}) || unread.LogLikelihood != (Readings{}) {
		t.Errorf("where nothing was read entropy and likelihood are unknown: got %+v, %+v",
			unread.Entropy, unread.LogLikelihood)
	}
	wrong := dynamicsOf(trial.Condition{}, []trial.Outcome{decidedBy("1", "A", said("B", "B"))})
	if wrong.LogLikelihood != (Readings{}) {
		t.Errorf("where nobody is right the log-likelihood is unknown: got %+v, want none", wrong.LogLikelihood)
	}
	about(t, "entropy of equal wrong answers", wrong.Entropy.Code, 0)
}

// TestDynamicsOfRepeats: a log-likelihood is summed over questions and not over repeats.
func TestDynamicsOfRepeats(t *testing.T) {
	once := []trial.Outcome{decidedBy("1", "A", said("A", "B")), decidedBy("2", "A", said("A", "A", "B", "B"))}
	twice := append([]trial.Outcome{}, once...)
	for _, o := range once {
		o.Repeat = 1
		twice = append(twice, o)
	}
	for i, outcomes := range [][]trial.Outcome{once, twice} {
		t.Run([]string{"once", "twice"}[i], func(t *testing.T) {
			got := dynamicsOf(trial.Condition{}, outcomes)
			about(t, "log-likelihood", got.LogLikelihood.Paper, -2)
			about(t, "log-likelihood of round 0", got.Rounds[0].LogLikelihood.Paper, -2)
		})
	}
}

// TestCourseOfAnything: journals are not trusted, so that no number in them is an index or a size.
func TestCourseOfAnything(t *testing.T) {
	o := decidedBy("1", "A", said("A", "A"), said("A", "B"))
	o.Transcript.Rounds[0][0].Agent, o.Transcript.Rounds[1][0].Agent = -1, 1<<40
	o.Transcript.Records = []debate.Record{{Turn: 1 << 40}, {Turn: -7}}
	o.Transcript.Assigned = []string{"A"}
	got := dynamicsOf(trial.Condition{}, []trial.Outcome{o})
	if len(got.Decided) != 2 || len(got.Agents) != 3 || got.Agents[0].Agent != -1 || got.Agents[2].Tokens != 10 {
		t.Errorf("2 turns are decided in, by 2 agents and one of no number, the last with 10 tokens: got %+v", got)
	}
}

func dynamicsOf(c trial.Condition, outcomes []trial.Outcome) *Dynamics {
	return rowHeld(c, outcomes).Dynamics
}

// rowHeld is the row of a condition without what takes other conditions.
func rowHeld(c trial.Condition, outcomes []trial.Outcome) Row {
	d := debatesOf(outcomes)
	row, held := rowOf(c, d), relation.Rows(d.Held().All)
	row.Measures = relation.ValuesOf(held, "", Level)
	row.Dynamics = DynamicsOf(c, d, held, row.Measures)
	return row
}

func cost(replies, prompt, tokens int) outcome.Cost {
	return outcome.Cost{Replies: replies, PromptTokens: prompt, Tokens: tokens}
}

// debatesOf are the columns of some outcomes, of whatever condition.
func debatesOf(outcomes []trial.Outcome) *outcome.Debates {
	return outcome.Of(outcome.NewTable(outcomes).Debates())
}

// TestRowsOfBefore: rows of earlier versions call the dynamics "course"; both names are read, and the new one written.
func TestRowsOfBefore(t *testing.T) {
	for _, name := range []string{"course", "dynamics"} {
		var r Row
		text := `{"condition": "mad", "replies": 3, "how_read": {"explicit": 2}, "` + name + `": {"mean_rounds": 2}}`
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Condition != "mad" || r.Replies != 3 ||
			r.How[answer.Explicit] != 2 || r.Dynamics == nil || r.Dynamics.MeanRounds != 2 {
			t.Errorf("%s: %+v, %v, want a row of mad with 3 replies and dynamics of 2 rounds", name, r, err)
		}
		if again, err := json.Marshal(r); err != nil || !strings.Contains(string(again), `"dynamics":{`) {
			t.Errorf("%s: a row of before is written again with its dynamics: got %s, %v", name, again, err)
		}
	}
}
