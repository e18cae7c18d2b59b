package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// imported reads and scores one of the logs in testdata, which are made up in the form of the programs' own.
func imported(t *testing.T, format, name string, questions *task.Task) (Log, rundir.Run) {
	t.Helper()
	log, err := Read(format, []string{filepath.Join("testdata", name)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := log.Run(questions)
	if err != nil {
		t.Fatal(err)
	}
	return log, run
}

// saved writes a run into a directory and reads it again.
func saved(t *testing.T, run rundir.Run) (path string, read rundir.Run) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run")
	d := benchtest.OpenDirectory(t, path)
	if err := Save(d, run); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return path, benchtest.ReadRun(t, path)
}

// identical compares answers as records have them: two unparsed answers are the same there.
var identical = cmp.Comparer(func(a, b answer.Answer) bool { return a == b })

// answers lists the answers of all turns by round, and "-" for an unparsed one.
func answers(t debate.Transcript) (all [][]string) {
	for _, round := range t.Rounds {
		var texts []string
		for _, turn := range round {
			text := "-"
			if turn.Answer.Parsed {
				text = turn.Answer.Text
			}
			texts = append(texts, text)
		}
		all = append(all, texts)
	}
	return all
}

// TestLiang: logs of Liang et al.'s program are read as debates of two sides and a moderator; what cannot be read is
// told.
func TestLiang(t *testing.T) {
	log, run := imported(t, "liang", "liang.jsonl", nil)
	want := []Problem{
		{"testdata/liang.jsonl line 2", "unexpected end of JSON input"},
		{"testdata/liang.jsonl line 6", "0 replies of the affirmative side, 0 of the negative, 0 of the moderator, " +
			"0 of the judge do not make a debate in rounds"},
	}
	if diff := cmp.Diff(want, log.Problems); diff != "" {
		t.Errorf("the problems of the log are told (-want +got):\n%s", diff)
	}
	moderated, judged, unscored := run.Outcomes[0], run.Outcomes[1], run.Outcomes[2]
	if diff := cmp.Diff([][]string{{"He goes with rice."},
		{"He goes with rice.", "He's fun to watch.", "He's fun to watch."}},
		answers(moderated.Transcript)); diff != "" {
		t.Errorf("the moderated debate has these answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{
		{"He ate vinegar."}, {"He ate vinegar.", "He is jealous now.", "-"}, {"He is jealous now.", "-", "-"}, {"-"},
		{"He ate vinegar."},
	}, answers(judged.Transcript)); diff != "" {
		t.Errorf("the judged debate has these answers (-want +got):\n%s", diff)
	}
	if d := moderated.Transcript.Decision; moderated.Score != task.Right || moderated.Question != "liang/1" ||
		d.Answer.Text != "He's fun to watch." || d.Side != "Negative" ||
		d.Reason != "slang" || d.Rule.String() != "the answer of the moderator" {
		t.Errorf("a moderated debate is right, with side, reason and the moderator's answer: got %s, %s, %+v",
			moderated.Question, moderated.Score, moderated.Transcript.Decision)
	}
	if d := judged.Transcript.Decision; judged.Score != task.Wrong || judged.Question != "liang/3" ||
		d.Rule.String() != "the answer of the judge" || d.Side != "" {
		t.Errorf("a judged debate is wrong by the answer of the judge and has no side: got %s, %s, %+v",
			judged.Question, judged.Score, judged.Transcript.Decision)
	}
	if unscored.Score != task.Unparsed || unscored.Transcript.Decision.Answer.Text != "Fine." ||
		len(unscored.Transcript.Notes) != 1 {
		t.Errorf(`a debate on no question of the task keeps its answer "Fine.", counts as unread and is noted: got `+
			`%s, %+v, notes %q`, unscored.Score, unscored.Transcript.Decision, unscored.Transcript.Notes)
	}
	s := Summarize(run, log.Problems)
	if diff := cmp.Diff([]Ending{{"the answer of the moderator", 1, 2}, {"the answer of the judge", 2, 1}},
		s.Endings); diff != "" {
		t.Errorf("the endings are counted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"negative": 2, "neither": 1}, s.Chosen); diff != "" {
		t.Errorf("who was chosen is counted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, -1}, s.Disagreement); diff != "" {
		t.Errorf("the disagreement of each round is counted (-want +got):\n%s", diff)
	}
	if s.Unscored != 1 || run.Header.Rounds != 2 || run.Header.Agents != 2 || run.Header.Imported.Temperature != nil ||
		!run.Marked() || run.Header.Measure != "lexical" {
		t.Errorf("logs of 2 agents in 2 rounds, marked lexically, without a temperature, leave 1 unscored: got %d "+
			"unscored, header %+v", s.Unscored, run.Header)
	}
}

// TestLiangChats reads the form that the program writes, with the messages as they were sent.
func TestLiangChats(t *testing.T) {
	_, run := imported(t, "liang", "liang.json", nil)
	path, read := saved(t, run)
	if diff := cmp.Diff(run.Outcomes, read.Outcomes, identical); diff != "" {
		t.Errorf("a log that is read again gives the same debates (-first +again):\n%s", diff)
	}
	turns := read.Outcomes[0].Transcript.Rounds
	if got := turns[1][0]; len(got.Messages) != 4 || got.Messages[3].Content != "Say why." ||
		!strings.HasPrefix(got.Reply.Key, "log-") {
		t.Errorf("a turn has the chat that led to it, and a key of its log: got %+v", got)
	}
	if read.Header.Model.Name != "a-model" || *read.Header.Imported.Temperature != 0.5 || !read.Finished ||
		read.Outcomes[0].Score != task.Right {
		t.Errorf("a chat log says model, temperature 0.5 and its end, and the debate is right: got %s, %v, finished "+
			"%v, %s", read.Header.Model.Name, *read.Header.Imported.Temperature, read.Finished, read.Outcomes[0].Score)
	}
	if _, err := offline.FindGeneration(path, turns[1][0].Reply.Key); err == nil ||
		!strings.Contains(err.Error(), "another program has generated its replies") {
		t.Errorf("a reply of an imported run cannot be generated again, as \"another program has generated its "+
			"replies\": got %v", err)
	}
	status, err := rundir.ReadStatus(path)
	if err != nil || status.State != rundir.StateFinished || status.Debates != 1 || status.Generations != 0 {
		t.Errorf("an imported run is finished, with 1 debate and no generations of ours: got %+v, %v", status, err)
	}
}

// TestTask scores by a task file: debates get the names of its questions, and a question that it lacks is not scored.
func TestTask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "common.jsonl")
	row := `{"source": "他吃醋了。", "correct_reference": "He ate vinegar.", "incorrect_reference": "She sang for hours."}`
	datatest.Write(t, path, row)
	common, err := task.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	_, run := imported(t, "liang", "liang.jsonl", &common)
	if o := run.Outcomes[1]; o.Question != "common/1" || o.Score != task.Right {
		t.Errorf("a debate is scored by the task that asks its question: got %s, %s, want common/1, right", o.Question,
			o.Score)
	}
	if o := run.Outcomes[0]; o.Question != "liang/1" || o.Score != task.Unparsed ||
		o.Transcript.Notes[0] != "not scored: task common does not ask it" {
		t.Errorf("a debate that the task does not ask is unscored and says so: got %s, %s, notes %q", o.Question,
			o.Score, o.Transcript.Notes)
	}
	log, err := Read("liang", []string{"testdata/liang.json", "testdata/liang.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Run(&common); err == nil || !strings.Contains(err.Error(), "both on question common/1") {
		t.Errorf("one question in two logs is refused as \"both on question common/1\": got %v", err)
	}
	if _, err := log.Run(&task.Task{Name: "bbh", Family: "bbh"}); err == nil ||
		!strings.Contains(err.Error(), "translations") {
		t.Errorf("translations scored as choices are refused: got %v, want an error that names translations", err)
	}
}

// TestDu: logs of Du et al.'s program are read as debates of agents that hear each other; what cannot be read is told.
func TestDu(t *testing.T) {
	log, run := imported(t, "du", "du.json", nil)
	want := []Problem{
		{"testdata/du.json debate 2", "agent 0 speaks 1 times, agent 1 0 times"},
		{"testdata/du.json debate 4", "is neither [chats, answer] nor a list of chats"},
	}
	if diff := cmp.Diff(want, log.Problems); diff != "" {
		t.Errorf("the problems of the log are told (-want +got):\n%s", diff)
	}
	legs, tails := run.Outcomes[0], run.Outcomes[1]
	if diff := cmp.Diff([][]string{{"6", "8"}, {"8", "8"}}, answers(legs.Transcript)); diff != "" {
		t.Errorf("the debate has these answers (-want +got):\n%s", diff)
	}
	if turn := legs.Transcript.Rounds[1][0]; len(turn.Messages) != 3 || cmp.Diff([]int{1}, turn.Heard) != "" {
		t.Errorf("in the second round agent 0 heard agent 1, in a chat of 3 messages: heard %v, %d messages",
			turn.Heard, len(turn.Messages))
	}
	if legs.Score != task.Right || legs.Target != "8" || tails.Score != task.Unparsed ||
		run.Header.AnswerRule != "number" || !run.Marked() {
		t.Errorf("legs are right with 8, tails unread, by the rule number: got %s with %s, %s, by %s, marked %v",
			legs.Score, legs.Target, tails.Score, run.Header.AnswerRule, run.Marked())
	}
	_, read := saved(t, run)
	if diff := cmp.Diff(run.Outcomes, read.Outcomes, identical); diff != "" {
		t.Errorf("a log that is read again gives the same debates (-first +again):\n%s", diff)
	}
	again, err := offline.Rescore(read, offline.Rescoring{Decide: "first"})
	if err != nil || again.Comparison.Rows[0].Right != 1 || again.Replies != 5 {
		t.Errorf("scored again, 1 debate is right and 5 replies were read: got %+v, %v", again, err)
	}
}

// TestDuRules: a single letter is a choice, chats without an answer are not scored, and an answer in words needs a
// task.
func TestDuRules(t *testing.T) {
	chats := `[[{"role": "user", "content": "?"}, {"role": "assistant", "content": "It is (b)."}]]`
	for _, test := range []struct {
		value, rule string
		score       task.Score
	}{{`[` + chats + `, "B"]`, "letter", task.Right}, {chats, "raw", task.Unparsed},
		{`[` + chats + `, 7]`, "number", task.Unparsed}} {
		t.Run(test.rule, func(t *testing.T) {
			run, err := duLog(t, `{"q": `+test.value+`}`).Run(nil)
			if err != nil {
				t.Fatal(err)
			}
			if run.Header.AnswerRule != test.rule || run.Outcomes[0].Score != test.score {
				t.Errorf("%s: read by %s, %s; want %v and %v",
					test.value, run.Header.AnswerRule, run.Outcomes[0].Score, test.rule, test.score)
			}
		})
	}
	if _, err := duLog(t, `{"q": [`+chats+`, "the blue one"]}`).Run(nil); err == nil ||
		!strings.Contains(err.Error(), "--task") {
		t.Errorf("an answer in words is refused with --task as the way: got %v", err)
	}
}

func duLog(t *testing.T, text string) Log {
	t.Helper()
	path := datatest.File(t, "log.json", text)
	log, err := Read("du", []string{path})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestAgora: logs of Agora are read as debates of several models; what cannot be read is told.
func TestAgora(t *testing.T) {
	log, run := imported(t, "agora", "agora.json", nil)
	if diff := cmp.Diff([]Problem{{"testdata/agora.json debate 2", "agent_response: is not a JSON object"}},
		log.Problems); diff != "" {
		t.Errorf("the problems of the log are told (-want +got):\n%s", diff)
	}
	o := run.Outcomes[0]
	if diff := cmp.Diff([]string{"zebra", "ant"}, o.Transcript.Roles); diff != "" {
		t.Errorf("the debate has these roles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"2", "3"}, {"2", "2"}}, answers(o.Transcript)); diff != "" ||
		o.Score != task.Right || run.Header.Model.Name != "zebra, ant" {
		t.Errorf("a debate is %s (want right) of models %q (want zebra, ant), answers (-want +got):\n%s", o.Score,
			run.Header.Model.Name, diff)
	}
}

// TestRecordedDebates imports the 100 debates of Liang et al. Who ended them, and in which round, agrees with the
// data's own description and with a count by hand: the moderator ended 16 of them.
func TestRecordedDebates(t *testing.T) {
	shared := datatest.Public(t)
	log, err := Read("liang", []string{filepath.Join(shared, "liang-mad-logs", "common-mt-lexical-debates.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	common, err := task.Load(filepath.Join(shared, "common-mt", "lexical.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := log.Run(&common)
	if err != nil {
		t.Fatal(err)
	}
	_, read := saved(t, run)
	if diff := cmp.Diff(run.Outcomes, read.Outcomes, identical); diff != "" {
		t.Errorf("a log that is read again gives the same debates (-first +again):\n%s", diff)
	}
	s := Summarize(read, log.Problems)
	const moderator, judge = "the answer of the moderator", "the answer of the judge"
	if diff := cmp.Diff([]Ending{{moderator, 1, 3}, {moderator, 2, 3}, {moderator, 3, 9}, {moderator, 4, 1},
		{judge, 4, 84}}, s.Endings); diff != "" {
		t.Errorf("the endings agree with the data's description (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"Affirmative": 12, "Negative": 4}, s.Sides); diff != "" {
		t.Errorf("the sides of the rest are counted as the data say (-want +got):\n%s", diff)
	}
	scored := s.Scores[task.Right] + s.Scores[task.Wrong]
	if s.Debates != 100 || scored != 100 || len(s.LeftOut) != 0 || s.Unscored != 0 ||
		read.Header.Model.Name != "gpt-3.5-turbo" || read.Outcomes[99].Question != "lexical/100" {
		t.Errorf("all 100 recorded debates are read and scored, in their order: scored %d, last %s, of %s, %+v",
			scored, read.Outcomes[99].Question, read.Header.Model.Name, s)
	}
	for r := 1; r < len(s.Disagreement); r++ {
		if s.Disagreement[0] < s.Disagreement[r] {
			t.Errorf("sides disagree most in the first round: got more in round %d of %v", r+1, s.Disagreement)
		}
	}
	own, err := log.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := Summarize(own, nil).Scores; cmp.Diff(s.Scores, got) != "" {
		t.Errorf("scores by the references in the log are those by the references of the task, %v: got %v",
			got, s.Scores)
	}
}

// TestUnreadable: files that cannot be read are refused with what is wrong.
func TestUnreadable(t *testing.T) {
	for _, test := range []struct{ format, text, want string }{
		{"liang", "", "is empty"},
		{"liang", "{\n", "1 cannot be read, the first"},
		{"liang", `{"source": "x", "players": {"Audience": []}}`, `unknown player "Audience"`},
		{"liang", `{"source": 7, "rounds": []}`, "cannot unmarshal number"},
		{"agora", "[1,\n2,\n}]", "line 3: invalid character"},
		{"du", "[]", "is not a JSON object"},
		{"du", "{\"caf\xe9\": []}", "line 1, byte 6 is 0xe9"},
		{"du", "\xff\xfe{\x00}\x00", "UTF-16 (little endian)"},
		{"agora", "[\n{\"question\": \"\\ud800\"}]", `line 2, byte 15: the escape \ud800 is half a letter`},
		{"du", `{"a": [` + "\n" + `[[`, "unexpected EOF"},
		{"du", "{}", "no debate of format du"},
		{"du", `{"q": [[{"role": "assistant", "content": "` + strings.Repeat("x", maxDebateBytes+1) + `"}]]}`,
			"more than 1000 turns, or more than 8388608 bytes"},
		{"du", `{"q": [` + strings.Repeat(`[{"role": "assistant", "content": "x"}],`, 1000) + `[]]}`,
			"1001 agents and 1 rounds"},
		{"autogen", "[]", "there are liang, du, agora, mallm, debate-or-vote"},
		{"mallm", `[{"finalAnswer": "", "FINALANSWER": ""}]`, `the key "FINALANSWER" appears twice`},
		{"mallm", `[{"finalAnswer": 1, "personas": {}}]`, "personas: is not a JSON list"},
		{"mallm", `[{"finalAnswer": 1, "personas": [{"agentId": "a"}, {"agentId": "a"}]}]`,
			"two agents have the agentId"},
		{"mallm", `[{"finalAnswer": 1, "personas": [` + strings.Repeat("{},", 1000) + `{}]}]`,
			"personas: more than 1000 entries"},
		{"mallm", `[{"finalAnswer": 1, "personas": [{}]}]`, "no input: the question is missing"},
		{"mallm", `[{"finalAnswer": 1, "personas": [{}], "input": ["q"]}]`, "globalMemory has no message"},
		{"mallm", `[{"finalAnswer": [], ` + said(`"turn": 1`) + `}]`, "finalAnswer: json: cannot unmarshal array"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 0`) + `}]`, "message 1 is of turn 0, after one of turn 0"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1, "memory_ids": 3`) + `}]`, "memory_ids: is not a JSON list"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("9", "simple_voting", "[0]") + `}]`,
			`the turn "9", in which nobody speaks`},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("1", "simple_voting", "[2]") + `}]`,
			"votes after turn 1: a vote for answer 2 of 1"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("1", "simple_voting", `["x"]`) + `}]`,
			"a vote, entry 1: json: cannot unmarshal string"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("1", "ranked_voting", "[1]") + `}]`,
			"a vote: is not a JSON list"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("1", "cumulative_voting", `[{"0": -1}]`) + `}]`,
			"-1 points for an answer"},
		{"mallm", `[{"finalAnswer": 1, ` + said(`"turn": 1`) + voted("1", "cumulative_voting", `[{"4": 1}]`) + `}]`,
			`points for answer "4" of 1`},
		{"debate-or-vote", `{"0": {"responses": {"a": 1}}}`, `response of "a": json: cannot unmarshal number`},
		{"debate-or-vote", `{"0": {"responses": {"a": "x", "a": "y"}}}`, `responses: the key "a" appears twice`},
		{"debate-or-vote", `{"0": {"responses": {"a": "x"}}}`, "the last round has no debate_answer"},
		{"debate-or-vote", `{"0": {"responses": {"a": "x"}, "debate_answer": 1}}`, "right answer: "},
		{"debate-or-vote", "{}", "has no rounds"},
		{"debate-or-vote", "{" + strings.Repeat(`"0":0,`, 1000) + `"1":0}`, `the key "0" appears twice`},
		{"liang", `{"source": "x", "base translation": "a", "base_translation": "b", "rounds": []}`,
			`"base_translation" appears twice`},
		{"liang", `{"source": "x", "players": {"Judge": [], "judge 2": []}}`, "two players are called judge"},
		{"liang", `{"source": "x", "rounds": [` + strings.Repeat("{},", 1000) + `{}]}`, "1001 rounds"},
		{"agora", "[" + strings.Repeat("0,", maxDebates) + "0]", "more than 100000 entries"},
		{"liang", strings.Repeat("0\n", maxDebates+1), "more than 100000 entries"},
		{"du", "{" + strings.Repeat(`"":0,`, maxDebates) + `"":0}`, "more than 100000 entries"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", test.format, test.text), func(t *testing.T) {
			path := datatest.File(t, "log", test.text)
			if _, err := Read(test.format, []string{path}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %.40q: %v, want an error with %v", test.format, test.text, err, test.want)
			}
		})
	}
}

// said is the rest of a discussion with one message, and voted one with a vote on it.
func said(message string) string {
	return `"personas": [{"agentId": "a"}], "input": ["q"], "globalMemory": [{"agent_id": "a", ` + message + `}]`
}

func voted(turn, kind, votes string) string {
	return `, "votesEachTurn": {"` + turn + `": {"type": "` + kind + `", "answers": ["x"], "alterations": {"anonymous": ` +
		`{"votes": ` + votes + `}}}}`
}

// FuzzLogs reads any text as a log: it is refused, or makes a run that can be summarized.
func FuzzLogs(f *testing.F) {
	for _, name := range []string{"liang.jsonl", "liang.json", "du.json", "agora.json", "mallm.json",
		"debate-or-vote.jsonl"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range Formats() {
			entries, err := format.read(text)
			if err != nil {
				continue
			}
			log := Log{Format: format, Files: []rundir.LogFile{{Path: "log.json"}}}
			for i, e := range entries {
				log.add("log.json", i+1, e)
			}
			if len(log.debates) == 0 {
				continue
			}
			run, err := log.Run(nil)
			if err != nil {
				continue
			}
			for _, o := range run.Outcomes {
				if err := o.Transcript.Validate(); err != nil {
					t.Errorf("%s: a debate that is imported is valid: got %v, want no error", format.Name, err)
				}
			}
			if err := Summarize(run, log.Problems).Write(new(strings.Builder)); err != nil {
				t.Error(err)
			}
		}
	})
}
