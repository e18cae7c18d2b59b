package report

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// severalRight are rows of the families with several right answers, with %[1]d for the number of the question and
// %[2]s for the list of its right answers.
var severalRight = map[string]string{
	"ciar": `{"question": "How many are %[1]d?", "answer": %[2]s, "incorrect answer": ["9"]}`,
	"squad2": `{"context": "There are some.", "question": "How many are %[1]d?", "answers": %[2]s, ` +
		`"is_impossible": false}`,
	"own": `{"question": "How many are %[1]d?", "answer": %[2]s}`,
}

// asking loads questions of a family, each with these right answers.
func asking(t *testing.T, family string, right ...string) task.Task {
	t.Helper()
	list, err := json.Marshal(right)
	if err != nil {
		t.Fatal(err)
	}
	return askingRows(t, family, strings.ReplaceAll(severalRight[family], "%[2]s", string(list)))
}

// answerOf is an answer, unparsed if it is "".
func answerOf(text string) answer.Answer { return answer.Answer{Text: text, Parsed: text != ""} }

// spoken is a debate whose agents give answers, round by round; "" cannot be read.
func spoken(condition string, q task.Question, t task.Task, rounds [][]string) trial.Outcome {
	o := trial.Outcome{Question: q.ID, Condition: condition, Target: "as the data has it", Truth: q.Truth,
		Key: t.Key(q)}
	for r, texts := range rounds {
		turns := make([]debate.Turn, len(texts))
		for i, text := range texts {
			turns[i] = debate.Turn{Agent: i, Round: r, Answer: answerOf(text)}
			turns[i].Reply.Text, turns[i].Reply.Tokens = text, 10
			turns[i].Reply.LogProb = -float64(len(text) + i + r)
			for other := range texts {
				if r > 0 && other != i {
					turns[i].Heard = append(turns[i].Heard, other)
				}
			}
		}
		o.Transcript.Rounds = append(o.Transcript.Rounds, turns)
	}
	o.Transcript.Decision = vote.Majority(o.Transcript.Last())
	o.Score, o.Partial = t.Score(q, o.Transcript.Decision.Answer), t.Partial(q, o.Transcript.Decision.Answer)
	return o
}

// drawn are debates of three agents and three rounds, with an isolated team beside them.
func drawn(t task.Task, draw *rand.Rand) (outcomes []trial.Outcome) {
	texts := []string{"12", "13", "14", "9", "10", ""}
	for _, q := range t.Questions {
		for _, condition := range []string{"single", "mad", "isolated"} {
			agents, held := 3, 3
			if condition == "single" {
				agents, held = 1, 1
			}
			rounds := make([][]string, held)
			for r := range rounds {
				for range agents {
					rounds[r] = append(rounds[r], texts[draw.IntN(len(texts))])
				}
			}
			o := spoken(condition, q, t, rounds)
			if condition == "isolated" {
				o.Transcript.Topology = "isolated"
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

func heldOn(t *testing.T, questions task.Task, outcomes []trial.Outcome) rundir.Run {
	t.Helper()
	var conditions []string
	for _, o := range outcomes {
		if !slices.Contains(conditions, o.Condition) {
			conditions = append(conditions, o.Condition)
		}
	}
	h := rundir.Header{Run: spec.Run{Task: "several", TaskHash: "abc", Questions: len(questions.Questions),
		Measure: questions.Measure, AnswerRule: questions.Rule, Conditions: conditions,
		Reference: "mad", Agents: 3, Rounds: 3, Reading: "code"}}
	run, err := rundir.NewRun(h, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// everything is what is computed from a run: its result, the tables of its export, and its page.
func everything(t *testing.T, run rundir.Run, page bool) string {
	t.Helper()
	var out bytes.Buffer
	replies, decisions := slices.Collect(offline.Replies(run)), slices.Collect(offline.Decisions(run))
	for _, part := range []any{run.Comparison.Result(), replies, decisions} {
		text, err := json.MarshalIndent(part, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	out.WriteString(run.Comparison.Table(false).String() + Details(run.Comparison).String())
	if page {
		if err := Write(&out, run, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// TestRightAnswersInAnyOrder: in which order a file lists equally right answers changes nothing that is computed.
func TestRightAnswersInAnyOrder(t *testing.T) {
	for family := range severalRight {
		for seed := range uint64(12) {
			draw := rand.New(rand.NewPCG(seed, 1))
			right := []string{"12", "13", "10"}[:2+seed%2]
			questions := asking(t, family, right...)
			slices.Reverse(right)
			others := asking(t, family, right...)
			run := heldOn(t, questions, drawn(questions, draw))
			other := heldOn(t, others, drawn(others, rand.New(rand.NewPCG(seed, 1))))
			if diff := cmp.Diff(everything(t, run, seed == 0), everything(t, other, seed == 0)); diff != "" {
				t.Fatalf("%s, seed %d: right answers in another order give the same report (-first +other):\n%s",
					family, seed, diff)
			}
		}
	}
}

// TestAllEndRight: three agents begin wrong, and all end right, each in one of two ways.
func TestAllEndRight(t *testing.T) {
	for family := range severalRight {
		questions := asking(t, family, "12", "13")
		var outcomes []trial.Outcome
		for _, q := range questions.Questions {
			outcomes = append(outcomes, spoken("mad", q, questions, [][]string{{"9", "9", "14"}, {"13", "12", "13"}}))
		}
		run := heldOn(t, questions, outcomes)
		row := run.Comparison.Rows[slices.IndexFunc(run.Comparison.Rows,
			func(r analysis.Row) bool { return r.Condition == "mad" })]
		d := row.Dynamics
		if share, known := row.Number("recovery"); !known || share != 1 {
			t.Errorf("%s: all end right, so that the recovery is 1: got %g (known %t)", family, share, known)
		}
		if last := d.Rounds[1]; last.Right != 8 || last.Won != 24 || d.Unmarked || !run.Marked() {
			t.Errorf("%s: all 8 end right, 24 agents won over: got %+v (unmarked: %v)", family, last, d.Unmarked)
		}
		for r := range offline.Replies(run) {
			if r.Right != (r.Round == 1) {
				t.Errorf("%s: %+v, want r.Right = %v", family, r, (r.Round == 1))
			}
		}
	}
}
