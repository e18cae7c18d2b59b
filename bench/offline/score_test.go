package offline

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestScoreRepeats: read, decided and scored as before, a run has the result that was written at its end.
func TestScoreRepeats(t *testing.T) {
	path, run := benchtest.Finished(t)
	want := datatest.Read(t, filepath.Join(path, "result.json"))
	for _, how := range []Rescoring{{}, {Answer: "choice"}, {Decide: vote.MajorityDecision},
		{Answer: "choice", Decide: vote.MajorityDecision}} {
		t.Run(fmt.Sprintf("%s %s", how.Answer, how.Decide), func(t *testing.T) {
			got := rescored(t, run, how)
			text, err := json.MarshalIndent(got.Result, "", "  ")
			if diff := cmp.Diff(string(want), string(text)+"\n"); err != nil || diff != "" {
				t.Errorf("repeats scored as %+v: %v (-want +got):\n%s", how, err, diff)
			}
			if got.Reread != 0 || got.Decisions != 0 || len(got.Changes) != 0 || got.Replies == 0 {
				t.Errorf("scored as %+v, nothing changes in the replies that are read: got %d of %d reread, %d "+
					"decisions, %d scores", how, got.Reread, got.Replies, got.Decisions, len(got.Changes))
			}
		})
	}
}

// TestScoreChanges holds a run in which agents write small letters, which one rule reads and the other does not.
func TestScoreChanges(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:4]
	engine := inference.NewScript(func(r inference.Request) string {
		for _, q := range questions.Questions {
			if strings.Contains(r.Messages[0].Content, q.Text) {
				return "It is " + strings.ToLower(q.Target)
			}
		}
		return "(Z)"
	})
	run := benchtest.ReadRun(t, benchtest.RecordRun(t, questions, conditions, engine))
	got := rescored(t, run, Rescoring{Answer: "letter"})
	for _, r := range got.Comparison.Rows {
		if r.N != 4 || r.Right != 4 || r.Unparsed != 0 {
			t.Errorf("under the new rule all 4 are right and none is unread: got %d, %d right, %d unread", r.N,
				r.Right, r.Unparsed)
		}
	}
	if n := 4 * len(conditions); len(got.Changes) != n || got.Reread != got.Replies ||
		got.Changes[0].Was != task.Unparsed || got.Changes[0].Is != task.Right {
		t.Errorf("all %d replies are read anew, and %d scores change from unparsed to right: got %d reread, "+
			"changes %+v", got.Replies, n, got.Reread, got.Changes)
	}
	out := got.Document(true).String()
	for _, text := range []string{"ACCURACY", "4 unparsed → right", "read by letter, decided as recorded",
		"single: right, was unparsed"} {
		t.Run(text, func(t *testing.T) {
			if !strings.Contains(out, text) {
				t.Errorf("the text has %q: got\n%s", text, out)
			}
		})
	}
	if strings.Contains(out, "TIME") || strings.Contains(out, "prompt tokens") {
		t.Errorf("a text of scores has no times or prompt tokens: got\n%s", out)
	}
}

// TestScoreRefuses: what cannot be scored in this way is an error, never a number.
func TestScoreRefuses(t *testing.T) {
	_, run := benchtest.Finished(t)
	for want, how := range map[string]Rescoring{
		`no answer rule "x"`: {Answer: "x"}, `no decision rule "lot"`: {Decide: "lot"},
		`reads nothing from the target`: {Answer: "number"},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := Rescore(run, how); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want an error with %v", how, err, want)
			}
		})
	}
	run.Outcomes[0].Transcript.Decision.Rule = debate.OtherRule("the answer of the judge")
	if _, err := Rescore(run, Rescoring{Answer: "letter"}); err == nil || !strings.Contains(err.Error(), "--decide") {
		t.Errorf("another rule of answers alone is refused, with --decide: got %v", err)
	}
	if _, err := Rescore(run, Rescoring{Answer: "letter", Decide: "trajectory"}); err != nil {
		t.Error(err)
	}
	run.Outcomes[0].Score, run.Outcomes[0].Transcript.Decision.Answer = task.Right, answer.Of("nearly")
	if _, err := Rescore(run, Rescoring{}); err == nil || !strings.Contains(err.Error(), "scored in another way") {
		t.Errorf("a run whose task is scored in another way now is refused, as \"scored in another way\": got %v",
			err)
	}
}

// TestScoreSilence: a debate that could not be held stays so by every rule, and no number counts it.
func TestScoreSilence(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 2)
	questions.Questions = questions.Questions[:3]
	run, err := rundir.ReadRun(benchtest.RecordRun(t, questions, conditions,
		&benchtest.Mute{Engine: benchtest.Crowd(questions), Question: questions.Questions[1].Text}))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range vote.Rules() {
		got := rescored(t, run, Rescoring{Answer: "choice", Decide: r.Name})
		for _, row := range got.Comparison.Rows {
			if row.N != 2 || row.Failed != 1 || row.Questions != 2 || row.Accuracy != float64(row.Right)/2 ||
				row.Paired != nil && row.Paired.Questions != 2 {
				t.Errorf("%s, %s: a debate without a speaker is failed and counts in no share: want 2 of 2 "+
					"questions and 1 failed, got %+v", r.Name, row.Condition, row)
			}
		}
	}
	if decisions := slices.Collect(Decisions(run)); decisions[len(conditions)].Votes != "[]" ||
		decisions[len(conditions)].Score != "failed" || !strings.Contains(decisions[len(conditions)].Error,
		"no agent could speak") {
		t.Errorf("the export of a debate without a speaker has no votes, is failed and says why: got %+v",
			decisions[len(conditions)])
	}
}

// TestScoreByTask: where several answers are right, their list is in the record of each debate, in older records and by
// another rule in the task alone.
func TestScoreByTask(t *testing.T) {
	questions, err := task.Rows("sums", "ciar", []byte(`[{"question": "one?", "answer": ["1", "2"], "incorrect answer": ["9"]}, {"question": "two?", "answer": ["4"], "incorrect answer": ["9"]}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, conditions := benchtest.Setup(t, 2, 2)
	run, err := rundir.ReadRun(benchtest.RecordRun(t, questions, conditions,
		inference.NewScript(func(inference.Request) string { return "It is 2." })))
	if err != nil {
		t.Fatal(err)
	}
	older, logs := run, run
	older.Outcomes = slices.Clone(run.Outcomes)
	for i := range older.Outcomes {
		older.Outcomes[i].Key = nil
	}
	logs.Header.Imported = &rundir.Imported{Format: "liang", Files: []rundir.LogFile{{Path: "log.json", Hash: "a"}}}
	logs.Header.TaskHash, logs.Header.Source = logs.Header.Imported.Digest(), "log.json"
	olderLogs := logs
	olderLogs.Outcomes = older.Outcomes
	for _, c := range []struct {
		run  rundir.Run
		how  Rescoring
		want string // "" if it is scored
	}{
		{run, Rescoring{}, ""}, {run, Rescoring{Task: &questions}, ""}, {older, Rescoring{Task: &questions}, ""},
		{run, Rescoring{Answer: run.Header.AnswerRule}, ""}, {logs, Rescoring{}, ""},
		{older, Rescoring{}, "measure any needs the task file to tell what is right: name it with --task (rows of"},
		{run, Rescoring{Answer: "number"}, "needs the task file to tell what is right by another rule: name it with"},
		{logs, Rescoring{Answer: "number"}, "(log.json) have right answers for the rule quantity alone: leave out"},
		{olderLogs, Rescoring{}, "older record to tell what is right: import the logs again (log.json)"},
	} {
		t.Run(fmt.Sprintf("%.60s", c.want), func(t *testing.T) {
			got, err := Rescore(c.run, c.how)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%q: %v, want an error with %v", c.want, err, c.want)
				}
				return
			}
			if err != nil || len(got.Changes) != 0 || benchtest.Row(t, got.Comparison, "mad").Right != 1 ||
				benchtest.Row(t, got.Comparison, "mad").N != 2 {
				t.Errorf("scored as %+v: no decision changes, and 1 of 2 of mad is right: %v, got %+v", c.how, err,
					got.Comparison.Rows)
			}
		})
	}
	other := questions
	other.Hash = "abc"
	if _, err := Rescore(run, Rescoring{Task: &other}); err == nil ||
		!strings.Contains(err.Error(), "name the file of the run") {
		t.Errorf("another file than that of the run is refused, with \"name the file of the run\": got %v", err)
	}
}

// TestScoreFacts: what a judge said of facts is in the record, so that no file has to tell what is right.
func TestScoreFacts(t *testing.T) {
	questions, err := task.Rows("people", "biography", []byte(`[{"person": "Ann", "facts": "- She wrote.\n- She sang."}]`))
	if err != nil {
		t.Fatal(err)
	}
	set := debatetest.Load(t, "du-biography")
	p := protocol.Protocol{Name: "judged", Settings: debate.Settings{Form: "society"}.With("judge", society.JudgeFacts)}
	judged := trial.Condition{Name: p.Name, Protocol: &p, Debate: society.Society{Agents: 2, Rounds: 2,
		Judge: society.JudgeFacts, Prompts: set}}
	run, err := rundir.ReadRun(benchtest.RecordRun(t, questions, []trial.Condition{judged},
		inference.NewScript(func(r inference.Request) string {
			switch {
			case r.Agent < 2:
				return "- A fact.\n- Another."
			case strings.Contains(r.Messages[len(r.Messages)-1].Content, "sang"):
				return "No"
			}
			return "Yes"
		})))
	if err != nil {
		t.Fatal(err)
	}
	got := rescored(t, run, Rescoring{})
	row := got.Comparison.Rows[0]
	if share, known := row.Number("facts-judged"); len(got.Changes) != 0 || row.N != 1 || row.Right != 0 || !known ||
		share != 0.5 || row.Partial == nil || row.Partial.Mean != 0.5 {
		t.Errorf("facts are scored as in the run: no change, none of 1 right, half of the facts judged and half "+
			"right: got %+v, %+v", got.Changes, row)
	}
	if says := got.Comparison.Validity().Says; len(says) != 1 || !strings.HasPrefix(says[0], "Nobody was right") {
		t.Errorf("of a run in which nobody was right one thing is said, that: got %q", says)
	}
}

// TestRedecidePuzzle: a puzzle that is decided again by another rule keeps the votes on its players. By the majority,
// each player has the role that most agents give it; by the first agent's answer, whole solutions count.
func TestRedecidePuzzle(t *testing.T) {
	players := []string{"Ann", "Bob"}
	var last []debate.Turn
	for i, roles := range [][]string{{"spy", "knight"}, {"knave", "knight"}, {"knave", "spy"}} {
		last = append(last, debate.Turn{Agent: i, Answer: vote.Assignment(players, roles)})
	}
	held := debate.Transcript{Rounds: [][]debate.Turn{last}, Phases: []debate.Phase{debate.PhaseFinal}}
	held.Decision.Players = vote.Players(last, players)
	for rule, want := range map[string]string{"majority": "Ann: knave, Bob: knight", "first": "Ann: spy, Bob: knight"} {
		t.Run(rule, func(t *testing.T) {
			decide, err := vote.RuleNamed(rule)
			if err != nil {
				t.Fatal(err)
			}
			again := held
			if err := (&scorer{decide: &decide}).redecide(&again); err != nil {
				t.Fatal(err)
			}
			if again.Decision.Answer.Text != want || !reflect.DeepEqual(again.Decision.Players, held.Decision.Players) {
				t.Errorf("%s: %+v, want %s", rule, again.Decision, want)
			}
		})
	}
}

// TestBeside: our reader stands beside a paper's rule, and the replies that it reads otherwise are listed with how it
// read them.
func TestBeside(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:2]
	engine := inference.NewScript(func(r inference.Request) string {
		if r.Agent == 1 {
			return "The answer is B.\n\n### Instruction: Is it (C)?"
		}
		return "The answer is (Z)."
	})
	run := benchtest.ReadRun(t, benchtest.RecordRun(t, questions, conditions, engine))
	got := rescored(t, run, Rescoring{})
	b := got.Beside
	if b == nil || b.Rule != "reader-choice-14" || len(b.Disputes) != b.Replies {
		t.Fatalf("read by reader-choice-14 beside, all replies are in dispute: got %+v", b)
	}
	for _, d := range b.Disputes {
		used, beside := answer.Of("(Z)"), answer.Answer{How: answer.NoOption}
		if d.Agent == 1 {
			used, beside = answer.Of("(C)"), answer.Answer{Text: "(B)", Parsed: true, How: answer.Explicit}
		}
		if d.Used != used || d.Beside != beside {
			t.Errorf("a dispute is between %v and %v: got %v and %v", used, beside, d.Used, d.Beside)
		}
	}
	out := got.Document(true).String()
	if !strings.Contains(out, `read "(Z)", by reader-choice-14 nothing`+
		" that can be read (no option)\n") {
		t.Errorf("a dispute says what each rule read and why the other one could not: got %s", out)
	}
	ours, err := Rescore(run, Rescoring{Answer: answer.Reader, Task: &questions})
	if err != nil || ours.Answer != "reader-choice-14" || ours.Beside.Rule != "choice" {
		t.Errorf("answers are read by reader-choice-14, and by choice beside: %v, got %s and %+v", err, ours.Answer,
			ours.Beside)
	}
}

// TestOlderReader: a record of an older version of a reader is scored by what was read, with and without the task's
// file, and is not read anew by that version.
func TestOlderReader(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions, err := questions.ReadBy(answer.Reader)
	if err != nil {
		t.Fatal(err)
	}
	engine := inference.NewScript(func(inference.Request) string { return "The answer is B." })
	run := benchtest.ReadRun(t, benchtest.RecordRun(t, questions, conditions, engine))
	run.Header.AnswerRule = "reader-choice-1"
	for _, how := range []Rescoring{{}, {Task: &questions}} {
		t.Run(fmt.Sprintf("by a task %v", how.Task != nil), func(t *testing.T) {
			got, err := Rescore(run, how)
			if err != nil || got.Answer != "reader-choice-1" || len(got.Changes) > 0 || got.Decisions > 0 {
				t.Errorf("a run of an older reader is scored by that, reader-choice-1, and nothing changes: %v, got "+
					"%+v", err, got)
			}
		})
	}
	if _, err := Rescore(run, Rescoring{Answer: "reader-choice-1"}); err == nil {
		t.Error("replies were read anew by an older reader, want an error")
	}
	if got, err := Rescore(run, Rescoring{Answer: answer.Reader}); err != nil || got.Answer != "reader-choice-14" {
		t.Errorf("the reader that is asked for is the newest, reader-choice-14: %v, got %s", err, got.Answer)
	}
}

// TestScoreClosingTurns: a rule that finds an answer in the reply itself has no use for the closing turn; one that
// finds none reads it. Scored options are in no text and stay.
func TestScoreClosingTurns(t *testing.T) {
	turn := debate.Turn{Reply: inference.Reply{Text: "Perhaps (A)", Stop: inference.StopLength},
		Answer: answer.Answer{Text: "(B)", Parsed: true, How: answer.ByClosing},
		After: []debate.Turn{{Kind: debate.KindClosing, Reply: inference.Reply{Text: " (B)",
			Stop: inference.StopScored}}}}
	scored := debate.Turn{Reply: inference.Reply{Text: " A", Stop: inference.StopScored}, Answer: answer.Of("(A)")}
	for rule, want := range map[string]answer.Answer{
		"choice":        answer.Of("(A)"),
		"reader-choice": {Text: "(B)", Parsed: true, How: answer.ByClosing},
		"reader-number": {How: answer.Cut},
	} {
		t.Run(rule, func(t *testing.T) {
			extract, err := reader.Rule(rule)
			if err != nil {
				t.Fatal(err)
			}
			again, err := reread(debate.Transcript{Rounds: [][]debate.Turn{{turn, scored}}},
				func(t debate.Turn) debate.Turn { return t.Reread(extract) })
			if err != nil {
				t.Fatal(err)
			}
			if got := again.Rounds[0][0].Answer; got != want {
				t.Errorf("%s: %+v, want %+v", rule, got, want)
			}
			if got := again.Rounds[0][1].Answer; got != answer.Of("(A)") {
				t.Errorf("%s: the scored option is read again as (A): got %+v", rule, got)
			}
		})
	}
}

// TestScoreShuffledOptions: replies whose agents saw the options in other orders are read as they were, with and
// without the task, also by a rule that looks at the options' words.
func TestScoreShuffledOptions(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 5, 1)
	questions.Questions = questions.Questions[:4]
	p, err := protocol.LoadProtocol("medprompt")
	if err != nil {
		t.Fatal(err)
	}
	medprompt, err := trial.Held(p, "tiny", debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	engine := inference.NewScript(func(r inference.Request) string {
		text := r.Messages[0].Content
		for _, q := range questions.Questions {
			if stem, _, _ := strings.Cut(q.Text, "Options"); !strings.Contains(text, stem) {
				continue
			}
			_, right, _ := strings.Cut(q.Text, q.Target+" ")
			if right, _, _ = strings.Cut(right, "\n"); r.Agent == 4 {
				return "So the answer is: " + right + "." // in words
			}
			return "The answer is (" + text[strings.Index(text, ") "+right)-1:][:1] + ")."
		}
		return "(Z)"
	})
	run := benchtest.ReadRun(t, benchtest.RecordRun(t, questions, append(conditions, medprompt), engine))
	for _, known := range []*task.Task{nil, &questions} {
		for rule, agents := range map[string]int{"choice": 4, "reader-choice": 5} {
			got := rescored(t, run, Rescoring{Answer: rule, Task: known})
			for _, r := range got.Comparison.Rows {
				if r.Condition == "medprompt" && (r.Right != 4 || r.N != 4) {
					t.Errorf("%s, task %v: medprompt is right in 4 of 4, as its options come back in order: got "+
						"%d of %d", rule, known != nil, r.Right, r.N)
				}
			}
			if want := 4 * (agents - 4); got.Reread < want {
				t.Errorf("%s, task %v: %d replies reread, want %d of medprompt", rule, known != nil, got.Reread, want)
			}
		}
	}
	for _, o := range run.Outcomes {
		if o.Condition == "medprompt" && (o.Score != task.Right || len(o.Transcript.Decision.Votes[0].Agents) != 4) {
			t.Errorf("medprompt is recorded as right, by 4 votes for one option: got %s, %+v",
				o.Score, o.Transcript.Decision)
		}
	}
}

// rescored is Rescore of a run that can be scored again.
func rescored(t testing.TB, r rundir.Run, how Rescoring) Rescored {
	t.Helper()
	again, err := Rescore(r, how)
	if err != nil {
		t.Fatal(err)
	}
	return again
}
