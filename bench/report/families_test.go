package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/datatest"
)

// asked is a row of a family, with %[1]d for the number of the question, and replies to it: right ones, wrong ones and
// one that states nothing.
type asked struct {
	row     string
	replies []string
}

// everyFamily has rows of all families; own has one for each of its measures.
var everyFamily = map[string][]asked{
	"bbh": {{`{"input": "Which is %[1]d?\nOptions:\n(A) x\n(B) y\n(C) z", "target": "(B)"}`,
		[]string{"(B)", "(A)", "(C)", "none"}}},
	"strategyqa": {{`{"qid": "%[1]d", "question": "Is it %[1]d?", "answer": false, "facts": []}`,
		[]string{"Final Solution: B", "A) yes", "hm"}}},
	"math": {{`{"problem": "%[1]d/2?", "answer": "\\frac{%[1]d}2"}`,
		[]string{`\boxed{\frac{1}{2}}`, `\boxed{\frac{2}{2}}`, `\boxed{0.5}`, `\boxed{7}`, "none"}}},
	"knights": {{`{"game_id": %[1]d, "text_game": "---\nPlayer name: Ann\nPlayer statement: Bob is a knave.\n---\nPlayer name: Bob\n` +
		`Player statement: I am a spy %[1]d.", "text_solution": "Ann is a knight.\nBob is a knave.\n"}`,
		[]string{"Ann is a knight.\nBob is a knave.", "Ann is a knight.\nBob is a spy.", "Ann is a knight."}}},
	"common-mt": {{`{"source": "s%[1]d", "correct_reference": "He drags them into crime %[1]d.", ` +
		`"incorrect_reference": "He pulls them into the water %[1]d."}`,
		[]string{"He dragged them to crime.", "He drags them into crime.", "He pulled them into water.", ""}}},
	"ciar": {{`{"question": "What is the chance of %[1]d?", "answer": ["0.75", "6/8", "0.25"], "incorrect answer": ["0.9"]}`,
		[]string{"75 %", "0.25", `\boxed{\frac{3}{4}}`, "0.9", "0.1", "likely"}}},
	"chess": {{`{"input": "e2e%[1]d e7e5 g1", "target": ["f3", "h3", "e2"]}`,
		[]string{"[ANSWER] f3", "f3", "e2", "h3", "h4", "The square is d4.", "none"}}},
	"musr": {{`{"context": "Story %[1]d.", "question": "Who is the most likely murderer?", "choices": ["Ana", "Bo", "Cy"], ` +
		`"answer_index": 1, "answer": "Bo"}`, []string{"It was Bo.", "Bo or Ana", "Cy, or else Bo", "(A)", "(C)",
		"Boris"}}},
	"squad2": {{`{"context": "The old Normans came %[1]d times.", "question": "Who came?", ` +
		`"answers": ["The old Normans", "Normans"], "is_impossible": false}`,
		[]string{"the Normans.", "The answer is: Old Normans", "Norsemen", "Unknown", ""}}},
	"gpqa": {{`{"Question": "Which is %[1]d?", "Correct Answer": "p", "Incorrect Answer 1": "q", "Incorrect Answer 2": "r", ` +
		`"Incorrect Answer 3": "s"}`, []string{"The correct answer is (A)", "The correct answer is (B)",
		"The correct answer is (C)", "The correct answer is (D)", "?"}}},
	"mmlu-pro": {{`{"question": "Which is %[1]d?", "options": ["p", "q", "r", "s", "t"], "answer": "E", "answer_index": 4}`,
		[]string{"The answer is (E).", "the answer is (A)", "the answer is (B)", "?"}}},
	"mmlu": {{`{"question": "Which is %[1]d?", "subject": "s", "choices": ["p", "q", "r", "s"], "answer": "C"}`,
		[]string{"(C)", "(A)", "(D)", ""}}},
	"gsm8k": {{`{"question": "How many are %[1]d?", "answer": "They are 18\n#### 1,018"}`,
		[]string{"It is $1018.00.", "18", "19", "none"}}},
	"own": {
		{`{"question": "How many are %[1]d?", "answer": "12"}`, []string{"12", "13", "none"}},
		{`{"question": "How many are %[1]d?", "answer": ["12", "13"]}`, []string{"12", "13", "14", "15", "none"}},
	},
}

// askingRows loads questions made of one row.
func askingRows(t *testing.T, family, row string) task.Task {
	t.Helper()
	var rows []string
	for i := range 8 {
		rows = append(rows, fmt.Sprintf(row, i+1))
	}
	path := datatest.File(t, "questions.json", "["+strings.Join(rows, ",\n")+"]")
	questions, err := task.Load(path)
	if err != nil || questions.Family != family || len(questions.Questions) != len(rows) {
		t.Fatalf("%d rows of family %s are questions of it: got %d of %s, %v",
			len(rows), family, len(questions.Questions), questions.Family, err)
	}
	return questions
}

// replied are debates in which agents reply what is drawn.
func replied(t task.Task, replies []string, draw *rand.Rand) (outcomes []trial.Outcome) {
	for _, q := range t.Questions {
		for _, condition := range []string{"single", "mad"} {
			agents, held := 3, 3
			if condition == "single" {
				agents, held = 1, 1
			}
			rounds := make([][]string, held)
			for r := range rounds {
				for range agents {
					said := t.Reader(q)(replies[draw.IntN(len(replies))])
					rounds[r] = append(rounds[r], said.Text)
				}
			}
			outcomes = append(outcomes, spoken(condition, q, t, rounds))
		}
	}
	return outcomes
}

// recorded are debates as they are read back from their records.
func recorded(t *testing.T, outcomes []trial.Outcome) (read []trial.Outcome) {
	t.Helper()
	text, err := json.Marshal(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestOneMeasure: in every family, each table that is derived from a run has the share of right answers that its
// accuracy says, and calls those replies right that the task does.
func TestOneMeasure(t *testing.T) {
	for _, f := range task.Families() {
		if task.Judged(f.Measure) { // no reply shows what is right
			continue
		}
		if len(everyFamily[f.Name]) == 0 {
			t.Errorf("every family has rows: got none of %s", f.Name)
		}
		for _, a := range everyFamily[f.Name] {
			questions := askingRows(t, f.Name, a.row)
			for seed := range uint64(6) {
				outcomes := replied(questions, a.replies, rand.New(rand.NewPCG(seed, 2)))
				run := heldOn(t, questions, recorded(t, outcomes))
				for _, row := range run.Comparison.Rows {
					sameAccuracy(t, fmt.Sprintf("%s, %s, seed %d, %s", f.Name, questions.Measure, seed, row.Condition),
						questions, run, row)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// sameAccuracy compares what is derived from one condition of a run with the measure of its task.
func sameAccuracy(t *testing.T, name string, questions task.Task, run rundir.Run, row analysis.Row) {
	t.Helper()
	var want, last float64 // decisions and last answers that are right by the task
	for _, o := range run.Outcomes {
		if o.Condition == row.Condition {
			want += stat.One[float64](rightBy(questions, o.Question, o.Transcript.Decision.Answer.Text))
			for _, turn := range o.Transcript.Last() {
				last += stat.One[float64](rightBy(questions, o.Question, turn.Answer.Text))
			}
		}
	}
	n := float64(len(questions.Questions))
	same := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: %s: %g, want %g", name, what, got, want)
		}
	}
	d := row.Dynamics
	end := d.Rounds[len(d.Rounds)-1]
	same("accuracy", row.Accuracy, want/n)
	same("accuracy of the last round's vote", end.Accuracy, want/n)
	if d.Unmarked || !run.Marked() {
		t.Errorf("%s: it is known which answers are right: got unmarked %t, marked run %t",
			name, d.Unmarked, run.Marked())
	}
	if row.Condition == "mad" {
		same("decisions in what agents made of each other", float64(d.Influence.Decided), want)
		came := d.Transitions[agreement.Right][agreement.Right] + d.Transitions[agreement.Wrong][agreement.Right] +
			d.Transitions[agreement.Unread][agreement.Right]
		same("agents that end right", float64(came), last)
		same("agents that end right, of those wrong and right before",
			float64(d.Influence.Right-d.Influence.Lost+d.Influence.Recovered), last)
	} else {
		pooled := 0.0
		for _, p := range dynamics.PoolsOf(run.Table().Under(row.Condition), 1, 0.1) {
			pooled += p.Right
		}
		same("pools", pooled, want)
	}
	exported(t, name, questions, run, row.Condition, same, want, last)
}

// exported compares the tables of an export and the page with the measure of the task.
func exported(t *testing.T, name string, questions task.Task, run rundir.Run, condition string,
	same func(string, float64, float64), want, last float64) {
	t.Helper()
	replies, decisions := slices.Collect(offline.Replies(run)), slices.Collect(offline.Decisions(run))
	var decided, ended, shown, packedEnd float64
	rounds := int64(0)
	for _, d := range decisions {
		if d.Condition == condition {
			decided, rounds = decided+stat.One[float64](d.Score == string(task.Right)), d.Rounds
		}
	}
	for _, r := range replies {
		if r.Right != rightBy(questions, r.Question, r.Answer) {
			t.Errorf("%s: %+v, want r.Right = %v", name, r, rightBy(questions, r.Question, r.Answer))
		}
		ended += stat.One[float64](r.Condition == condition && r.Round == rounds-1 && r.Right)
	}
	for _, o := range run.Table().Debates() {
		if o.Condition != condition {
			continue
		}
		d := packedOf(t, *o.Outcome)
		shown += stat.One[float64](d.Score == task.Right && d.Vote == "")
		for _, turn := range d.Rounds[len(d.Rounds)-1] {
			packedEnd += stat.One[float64](turn.Score == string(task.Right))
		}
	}
	same("decisions of the export", decided, want)
	same("last replies of the export", ended, last)
	same("decisions on the page", shown, want)
	same("last replies on the page", packedEnd, last)
}

// rightBy reports what the task says of an answer, "" where none could be read.
func rightBy(t task.Task, id, text string) bool {
	for _, q := range t.Questions {
		if q.ID == id {
			return t.Score(q, answerOf(text)) == task.Right
		}
	}
	panic("no question " + id)
}

// TestOlderRecords: of records that lack the key which their measure needs, no table says who was right but by the
// recorded scores; records of tasks that need none are whole.
func TestOlderRecords(t *testing.T) {
	for family, rows := range everyFamily {
		for _, a := range rows {
			questions := askingRows(t, family, a.row)
			outcomes := replied(questions, a.replies, rand.New(rand.NewPCG(1, 2)))
			keyless, needed := recorded(t, outcomes), !task.BareKey(questions.Measure).Complete()
			for i := range keyless {
				keyless[i].Key = nil
			}
			run, whole := heldOn(t, questions, keyless), heldOn(t, questions, outcomes)
			if run.Marked() == needed || !whole.Marked() {
				t.Errorf("%s: it is known who was right, with keys always and without where none is needed (%t): "+
					"got %t and %t", family, !needed, whole.Marked(), run.Marked())
			}
			for i, row := range run.Comparison.Rows {
				if row.Accuracy != whole.Comparison.Rows[i].Accuracy || row.Dynamics.Unmarked != needed {
					t.Errorf("%s, %s: without keys the accuracy stays %g and answers are unmarked where keys are "+
						"needed (%t): got %g, %t",
						family, row.Condition, whole.Comparison.Rows[i].Accuracy, needed, row.Accuracy,
						row.Dynamics.Unmarked)
				}
				if row.Dynamics.Influence == nil || !needed {
					continue
				}
				for _, name := range []string{"recovery", "misled", "oracle-gap"} {
					if v := row.Measures[name]; v.State != relation.Unknown {
						t.Errorf("%s, %s: %s is %s, want it unknown", family, row.Condition, name, v.State)
					}
				}
				if row.Dynamics.Team.Errors != nil {
					t.Errorf("%s, %s: effective size %v, want none", family, row.Condition, row.Dynamics.Team.Errors)
				}
			}
		}
	}
}
