package importer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestMALLM reads discussions that are decided by each kind of vote and by consensus. The answers are read from the
// solutions, the decision is the log's, and whatever is no discussion has a reason.
func TestMALLM(t *testing.T) {
	log, run := imported(t, "mallm", "mallm.json", nil)
	want := []Problem{
		{"testdata/mallm.json debate 6", "no personas: it is no discussion, but a baseline or an ablation"},
		{"testdata/mallm.json debate 7", `message 1 is from "z", who is none of the personas`},
		{"testdata/mallm.json debate 8",
			"no finalAnswer: it is no discussion, or one of a version before November 2024"},
	}
	if diff := cmp.Diff(want, log.Problems); diff != "" {
		t.Errorf("the problems of the log are told (-want +got):\n%s", diff)
	}
	simple, consensus := run.Outcomes[0], run.Outcomes[1].Transcript
	if diff := cmp.Diff([][]string{{"(A)", "(B)", "(A)"}, {"(A)", "(B)", "(B)", "(A)", "(B)", "(B)"}},
		answers(simple.Transcript)) + cmp.Diff([]string{"Baker", "Miller", "Miller 2"}, simple.Transcript.Roles) +
		cmp.Diff([]debate.Ballot{{Agent: 0, Ranking: []int{1}}, {Agent: 1, Ranking: []int{1}},
			{Agent: 2, Ranking: []int{2}}}, simple.Transcript.Decision.Ballots) +
		cmp.Diff(&debate.Tally{Scores: []float64{0, 2, 1}, Winner: 1, Rule: "simple_voting"},
			simple.Transcript.Decision.Tally); diff != "" {
		t.Errorf("the tally is the log's (-want +got):\n%s", diff)
	}
	if d := simple.Transcript.Decision; simple.Score != task.Right || d.Answer.Text != "(B)" ||
		d.Rule.String() != "as logged: simple_voting" || len(simple.Transcript.Notes) > 0 ||
		len(simple.Transcript.Records) != 6 ||
		simple.Transcript.Rounds[1][3].Kind != debate.KindFinal ||
		cmp.Diff([]int{0, 1}, simple.Transcript.Rounds[0][2].Heard) != "" {
		t.Errorf("a simple vote of a log is right with (B), under the rule of the log: got %+v", simple)
	}
	if diff := cmp.Diff([]string{"Moderator", "Baker", "judge (persona)", debate.RoleJudge}, consensus.Roles) +
		cmp.Diff([]int{1, 2}, consensus.Voters()) + cmp.Diff([][]string{{"(A)", "-", "(B)"}, {"(B)", "-"}},
		answers(consensus)) + cmp.Diff([]string{"the log says that no decision was reached",
		"the log counts the decision as right"}, consensus.Notes); diff != "" {
		t.Errorf("the notes say what the log counts (-want +got):\n%s", diff)
	}
	if run.Outcomes[1].Score != task.Wrong || run.Outcomes[1].Target != "(A)" || consensus.RoundsHeld() != 2 ||
		!debate.Value[bool](*consensus.Settings, "neutral") || !consensus.Records[1].Agrees() {
		t.Errorf("the second debate is wrong (target (A)) after 2 rounds with a neutral agent and agreement in its "+
			"second record: got %+v", run.Outcomes[1])
	}
	for i, want := range []debate.Decision{
		{Ballots: []debate.Ballot{{Agent: 0, Ranking: []int{1, 2, 0}}, {Agent: 1, Ranking: []int{2, 1}},
			{Agent: 2, Ranking: []int{1}}}},
		{Ballots: []debate.Ballot{{Agent: 0, Points: []int{10, 0, 0}}, {Agent: 1, Points: []int{0, 6, 4}},
			{Agent: 2, Points: []int{0, 10, 0}}},
			Tally: &debate.Tally{Scores: []float64{10, 16, 4}, Winner: 1, Rule: "cumulative_voting"}},
		{Tally: &debate.Tally{Scores: []float64{1, 2, 1}, Winner: -1, Rule: "approval_voting"}},
	} {
		t.Run(fmt.Sprintf("outcome %d", i+2), func(t *testing.T) {
			d := run.Outcomes[i+2].Transcript.Decision
			if diff := cmp.Diff(want.Ballots, d.Ballots) + cmp.Diff(want.Tally, d.Tally); diff != "" {
				t.Errorf("outcome %d has the ballots and tally of the log (-want +got):\n%s", i+2, diff)
			}
		})
	}
	if o := run.Outcomes[4]; o.Score != task.Unparsed || o.Transcript.Decision.Answer.Parsed ||
		run.Header.AnswerRule != "solution-letter" || run.Header.Agents != 3 || run.Header.Model.Name != "a-model" {
		t.Errorf("a decision without a solution is unread, in a run of 3 agents of a-model: got %s, answer %+v, "+
			"header %+v", o.Score, o.Transcript.Decision.Answer, run.Header)
	}
	_, read := saved(t, run)
	if diff := cmp.Diff(run.Outcomes, read.Outcomes, identical); diff != "" {
		t.Errorf("a log that is read again gives the same debates (-first +again):\n%s", diff)
	}
	if s := Summarize(read, log.Problems); s.Scores[task.Right] != 3 || s.Endings[0].Debates == 0 {
		t.Errorf("3 debates are right, and how debates ended is counted: got %+v", s)
	}
	again, err := offline.Rescore(read, offline.Rescoring{})
	if err != nil || len(again.Changes) > 0 {
		t.Errorf("scoring again changes nothing: got %+v, %v", again.Changes, err)
	}
}

// TestMALLMByTask: the program writes options in another way, and the debates get the names of the task's questions.
func TestMALLMByTask(t *testing.T) {
	questions, err := task.Rows("cork", task.FamilyOwn, []byte(`[{"question": "Which of them \"floats\"?", `+
		`"choices": ["a stone", "a cork"], "answer": "a stone"}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, run := imported(t, "mallm", "mallm.json", &questions)
	if o := run.Outcomes[0]; o.Question != "cork/1" || o.Score != task.Wrong || run.Header.Columns == nil ||
		o.Transcript.Notes[0] != "the log counts the decision as right" {
		t.Errorf("the task scores the debate as wrong where the log counts it as right, and says so: got %s, %s, "+
			"notes %q", o.Question, o.Score, o.Transcript.Notes)
	}
}

// TestDebateOrVote reads rounds of replies, with the log's answers and decisions.
func TestDebateOrVote(t *testing.T) {
	log, run := imported(t, "debate-or-vote", "debate-or-vote.jsonl", nil)
	want := []Problem{
		{"testdata/debate-or-vote.jsonl line 4", `round 1 is called "2"`},
		{"testdata/debate-or-vote.jsonl line 5", "round 1 has other agents than round 0"},
		{"testdata/debate-or-vote.jsonl line 6", "0 agents in 1 rounds: from 1 to 1000 turns are read"},
		{"testdata/debate-or-vote.jsonl line 7", "invalid character 'N' looking for beginning of value"},
	}
	if diff := cmp.Diff(want, log.Problems); diff != "" {
		t.Errorf("the problems of the log are told (-want +got):\n%s", diff)
	}
	first, second, third := run.Outcomes[0], run.Outcomes[1], run.Outcomes[2]
	if diff := cmp.Diff([][]string{{"4", "5", "-"}, {"4", "4", "5"}}, answers(first.Transcript)) +
		cmp.Diff([]debate.Count{{Answer: "4", Agents: []int{0, 1}}, {Answer: "5", Agents: []int{2}}},
			first.Transcript.Decision.Votes); diff != "" {
		t.Errorf("the votes are the log's (-want +got):\n%s", diff)
	}
	if first.Score != task.Right || first.Transcript.Roles != nil || run.Header.Model.Name != "a-model" ||
		first.Transcript.Decision.Rule.String() != "as logged: majority, ties at random" ||
		run.Header.AnswerRule != "number" {
		t.Errorf("a debate of equals is right by its log's majority, read as a number: got %s, roles %q, %s, by %s, "+
			"header %+v", first.Score, first.Transcript.Roles, first.Transcript.Decision.Rule, run.Header.AnswerRule,
			run.Header.Model)
	}
	if d := second.Transcript.Decision; second.Score != task.Wrong || d.Answer.Text != "2" || !d.Tie {
		t.Errorf("the tie at random is marked as one, decided as 2, wrong: got %+v, %s", d, second.Score)
	}
	if diff := cmp.Diff([][]string{{"7", "-", "7"}}, answers(third.Transcript)); diff != "" ||
		len(third.Transcript.Notes) != 1 {
		t.Errorf("an answer that cannot be read is noted once, notes %q; answers (-want +got):\n%s",
			third.Transcript.Notes, diff)
	}
	_, read := saved(t, run)
	if diff := cmp.Diff(run.Outcomes, read.Outcomes, identical); diff != "" {
		t.Errorf("a log that is read again gives the same debates (-first +again):\n%s", diff)
	}
	again, err := offline.Rescore(read, offline.Rescoring{Decide: "majority"})
	if err != nil || len(again.Changes) > 0 {
		t.Errorf("scoring again changes nothing: got %+v, %v", again.Changes, err)
	}
}

// TestDebateOrVoteByTask: the log has no questions, so they are those of the task in their order.
func TestDebateOrVoteByTask(t *testing.T) {
	for rows, want := range map[string]string{
		`[{"prompt": "p", "gold": 4}, {"prompt": "q", "gold": 3}, {"prompt": "r", "gold": 7}]`: "",
		`[{"prompt": "p", "gold": 3}, {"prompt": "q", "gold": 4}, {"prompt": "r", "gold": 7}]`: "debate 1 has the " +
			`right answer "4"`,
		`[{"prompt": "p", "gold": 4}]`: "question 2 of task",
	} {
		questions, err := task.Rows("sums", task.FamilyOwn, []byte(rows))
		if err != nil {
			t.Fatal(err)
		}
		log, err := Read("debate-or-vote", []string{"testdata/debate-or-vote.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		run, err := log.Run(&questions)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("rows %s are refused with %q: got %v", rows, want, err)
		case want == "" && (err != nil || run.Outcomes[2].Question != "sums/3" || run.Outcomes[2].Score != task.Right):
			t.Errorf("rows %s make sums/3 right: got %v, %+v", rows, err, run.Outcomes)
		}
	}
}

// TestPersonasAreRoles: agents with personas are called by them, and letters are choices.
func TestPersonasAreRoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	text := `{"0": {"responses": {"csqa_1__a-model__None__Agent1": "{final answer: (b)}", ` +
		`"csqa_1__a-model__Lawyer__Agent1": "{final answer: (A)}"}, "final_answers": ["(b)", "(A)"], ` +
		`"debate_answer": "(b)", "debate_answer_iscorr": false, "answer": "(B)"}}`
	datatest.Write(t, path, text)
	log, err := Read("debate-or-vote", []string{path})
	if err != nil {
		t.Fatal(err)
	}
	run, err := log.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := run.Outcomes[0]
	if diff := cmp.Diff([]string{"None", "Lawyer"}, o.Transcript.Roles) + cmp.Diff([]string{"the log counts the " +
		"decision as wrong"}, o.Transcript.Notes); diff != "" || o.Score != task.Right {
		t.Errorf("personas are roles, and a right debate (got %s) that the log counts as wrong says so (-want "+
			"+got):\n%s", o.Score, diff)
	}
}
