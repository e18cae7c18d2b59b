package offline

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/internal/outfile"
)

// TestExport writes both tables in both formats and reads them back.
func TestExport(t *testing.T) {
	_, run := benchtest.Finished(t)
	sure := 0.25
	last := run.Outcomes[len(run.Outcomes)-1].Transcript.Rounds[0]
	last[0].Confidence, last[0].Reply.Text, last[0].Reply.LogProb = &sure, "=1+1,\"quoted\",\nline\r\n", -0.5
	last[1].Error, last[1].Reply, last[1].Answer = "too long", inference.Reply{}, answer.Unparsed
	wantReplies, wantDecisions := slices.Collect(Replies(run)), slices.Collect(Decisions(run))
	wantMeasures := slices.Collect(Measures(run))
	prefix := filepath.Join(t.TempDir(), "out")
	for _, format := range []string{FormatCSV, FormatParquet} {
		t.Run(format, func(t *testing.T) {
			exported, err := Export(run, "", prefix, format)
			if err != nil || exported.Replies != len(wantReplies) || exported.Decisions != len(run.Outcomes) ||
				exported.Measures != len(wantMeasures) || len(exported.Files) != 3 {
				t.Errorf("%d replies and %d decisions are exported into 3 files: got %+v, %v", len(wantReplies),
					len(run.Outcomes), exported, err)
			}
		})
	}
	replies, err := parquet.ReadFile[ReplyRow](prefix + ".replies.parquet")
	if diff := cmp.Diff(wantReplies, replies, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("replies are read back as they were exported: %v (-want +got):\n%s", err, diff)
	}
	decisions, err := parquet.ReadFile[DecisionRow](prefix + ".decisions.parquet")
	if diff := cmp.Diff(wantDecisions, decisions); err != nil || diff != "" {
		t.Errorf("decisions are read back as they were exported: %v (-want +got):\n%s", err, diff)
	}
	measures, err := parquet.ReadFile[MeasureRow](prefix + ".measures.parquet")
	if diff := cmp.Diff(wantMeasures, measures); err != nil || diff != "" || len(measures) == 0 {
		t.Errorf("%d measures are read back as they were exported: %v (-want +got):\n%s", len(measures), err, diff)
	}
	sameCSV(t, prefix+".measures.csv", wantMeasures, "question,repeat,condition,measure,value,part,of")
	sameCSV(t, prefix+".replies.csv", wantReplies,
		"question,repeat,condition,round,agent,name,kind,answer,parsed,right,heard,text,prompt_tokens,"+
			"cached_tokens,tokens,logprob,confidence,key,error,model,phase,stood,change,claims,claims_follow,"+
			"claims_fail,claims_vacuous,reasoning,reasoning_tokens,reasoning_cut,target,how,stop,answers,held")
	sameCSV(t, prefix+".decisions.csv", wantDecisions,
		"question,repeat,condition,target,decision,parsed,score,votes,tie,rule,rounds,error,partial,group,"+
			"puzzle_depth,puzzle_refuted,how,elected,cluster,withheld,until,beliefs")
	csvText, err := os.ReadFile(prefix + ".replies.csv")
	if !bytes.Contains(csvText, []byte(`,"'=1+1,""quoted""`)) || !bytes.Contains(csvText, []byte(",-0.5,0.25,")) {
		t.Errorf("a reply that is a formula is quoted and a log-probability of -0.5 stays: got %v\n%.2000s",
			err, csvText)
	}
	if _, err := Export(run, "", prefix, "xlsx"); err == nil || !strings.Contains(err.Error(), "csv, parquet, ") {
		t.Errorf("an unknown format is refused, with those that there are, \"csv, parquet, \": got %v", err)
	}
	if _, err := Export(run, "", filepath.Join(prefix, "below", "nothing"), FormatCSV); err == nil {
		t.Error("a table was written below a directory that does not exist, want an error")
	}
}

// TestRowsAreMadeAsTaken: no table is made before its rows are written, so that exports of long runs fit into memory.
func TestRowsAreMadeAsTaken(t *testing.T) {
	_, run := benchtest.Finished(t)
	last := &run.Outcomes[len(run.Outcomes)-1].Transcript.Rounds[0][0].Reply.Text
	var texts []string
	for row := range Replies(run) {
		*last = "said later"
		texts = append(texts, row.Text)
	}
	if !slices.Contains(texts, "said later") {
		t.Errorf("rows are made as they are taken, with \"said later\" in the last: got %q", texts)
	}
}

// TestExportedAnswers: what beside the rounds, by those who preside, or failed is no answer to the question, and rounds
// that prepare a debate are none of it.
func TestExportedAnswers(t *testing.T) {
	_, run := benchtest.Finished(t)
	turn := func(agent int, kind debate.Kind) debate.Turn {
		return debate.Turn{Agent: agent, Kind: kind, Answer: answer.Of("A")}
	}
	asked, failed := turn(0, debate.KindReply), turn(1, debate.KindReply)
	asked.Probes, asked.Before = []debate.Turn{turn(0, "")}, []debate.Turn{turn(1, "")}
	asked.After, failed.Error = []debate.Turn{turn(0, debate.KindClosing)}, "too long"
	run.Outcomes = run.Outcomes[:1]
	run.Outcomes[0].Transcript = debate.Transcript{
		Roles:  []string{debate.RoleAffirmative, debate.RoleNegative, debate.RoleModerator},
		Rounds: [][]debate.Turn{{turn(0, debate.KindReply)}, {asked, failed, turn(2, debate.KindReply)}},
		Voting: [][]debate.Turn{{turn(1, "")}}}
	run.Outcomes[0].Transcript.Rounds[1][0].Round = 1
	replies, decisions := slices.Collect(Replies(run)), slices.Collect(Decisions(run))
	var answers []string
	for _, r := range replies {
		answers = append(answers, fmt.Sprint(r.Agent, r.Kind, r.Answers))
	}
	if diff := cmp.Diff([]string{"0true", "1beforefalse", "0true", "0closingfalse", "0probefalse", "1false", "2false",
		"1ballotfalse"}, answers); diff != "" {
		t.Errorf("agent, kind and whether it answers (-want +got):\n%s", diff)
	}
	if decisions[0].Rounds != 1 {
		t.Errorf("the moderator speaks in 1 round: got %d rounds", decisions[0].Rounds)
	}
}

// TestExportAgain: an export takes the place of an earlier one, and of no other file.
func TestExportAgain(t *testing.T) {
	_, run := benchtest.Finished(t)
	for _, format := range []string{FormatCSV, FormatParquet} {
		t.Run(format, func(t *testing.T) {
			prefix := filepath.Join(t.TempDir(), "out")
			for range 2 {
				if _, err := Export(run, "", prefix, format); err != nil {
					t.Error(err)
				}
			}
			replies, decisions := prefix+".replies."+format, prefix+".decisions."+format
			if err := os.Rename(replies, decisions); err != nil {
				t.Fatal(err)
			}
			want := datatest.Read(t, decisions)
			if _, err := Export(run, "", prefix, format); !errors.As(err, new(outfile.Foreign)) {
				t.Errorf("replies in the place of decisions are another's file, which is refused: got %v", err)
			}
			if got, err := os.ReadFile(decisions); err != nil || !bytes.Equal(got, want) {
				t.Errorf("a file that was refused stays as it was: got %q, %v", got, err)
			}
		})
	}
}

// sameCSV compares a file with rows: as many cells as columns, and every cell as it was, but for carriage returns,
// which encoding/csv drops at line ends.
func sameCSV[T any](t *testing.T, path string, rows []T, header string) {
	t.Helper()
	text := datatest.Read(t, path)
	got, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || strings.Join(got[0], ",") != header {
		t.Fatalf("a CSV file begins with %s: got %v, %v", header, got, err)
	}
	want := [][]string{strings.Split(header, ",")}
	for _, row := range rows {
		line := cells(row)
		for i := range line {
			line[i] = escape.Cell(strings.ReplaceAll(line[i], "\r\n", "\n"))
		}
		want = append(want, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the file has the rows that were exported (-want +got):\n%s", diff)
	}
}

// ExampleReplies shows one row of each table as it stands in CSV.
func ExampleReplies() {
	sure := 0.75
	turn := debate.Turn{
		Held:  &debate.Held{Before: []float64{-0.5, -1}, After: []float64{-0.25, -2}},
		Agent: 1, Round: 2, Kind: debate.KindMessage, Heard: []int{2, 0}, Confidence: &sure, Error: "none",
		Answer: answer.Answer{Text: "(A)", Parsed: true, How: answer.Explicit},
		Reply: inference.Reply{Text: "It is (A).", PromptTokens: 30, CachedTokens: 20, Tokens: 10, LogProb: -0.5,
			Key: "0123", Stop: inference.StopEnd},
	}
	decision := debate.Decision{Answer: answer.Of("(B)"), Votes: []debate.Count{{Answer: "(B)", Agents: []int{0, 2}}},
		Tie: true, Rule: debate.OtherRule("majority")}
	run := rundir.Run{Header: rundir.Header{Run: spec.Run{AnswerRule: "choice"}}, Outcomes: []trial.Outcome{{
		Question: "task/1", Repeat: 1, Condition: "mad", Target: "(A)", Score: task.Wrong,
		Transcript: debate.Transcript{Roles: []string{"Ann", "Bob"}, Rounds: [][]debate.Turn{{turn}},
			Decision: decision, Beliefs: &debate.Beliefs{Answers: []string{"(A)", "(B)"}, Texts: 2, Tokens: 18}},
	}}}
	replies, err := writeCSV(os.Stdout, Replies(run))
	decisions, failed := writeCSV(os.Stdout, Decisions(run))
	fmt.Println(replies, err, decisions, failed)
	// Output:
	// question,repeat,condition,round,agent,name,kind,answer,parsed,right,heard,text,prompt_tokens,cached_tokens,tokens,logprob,confidence,key,error,model,phase,stood,change,claims,claims_follow,claims_fail,claims_vacuous,reasoning,reasoning_tokens,reasoning_cut,target,how,stop,answers,held
	// task/1,1,mad,2,1,Bob,message,(A),true,true,"[2,0]",It is (A).,30,20,10,-0.5,0.75,0123,none,,,,,,,,,,0,false,(A),explicit,end,false,"{""before"":[-0.5,-1],""after"":[-0.25,-2]}"
	// question,repeat,condition,target,decision,parsed,score,votes,tie,rule,rounds,error,partial,group,puzzle_depth,puzzle_refuted,how,elected,cluster,withheld,until,beliefs
	// task/1,1,mad,(A),(B),true,wrong,"[{""answer"":""(B)"",""agents"":[0,2]}]",true,majority,1,,,,,,,,,,,"{""answers"":[""(A)"",""(B)""],""texts"":2,""tokens"":18}"
	// 1 <nil> 1 <nil>
}

// TestTablesTruth: replies are compared with the truth that the run has recorded, even if the run's answer rule reads
// nothing from the target.
func TestTablesTruth(t *testing.T) {
	solution := answer.Of("Ann: spy, Bob: knave")
	run := rundir.Run{Header: rundir.Header{Run: spec.Run{AnswerRule: "players"}}, Outcomes: []trial.Outcome{{
		Question: "kks/1", Condition: "mad", Target: "Ann is a spy.\nBob is a knave.", Truth: solution,
		Transcript: debate.Transcript{Rounds: [][]debate.Turn{{{Answer: solution}, {Answer: answer.Of("Ann: spy")}}}},
	}}}
	if replies := slices.Collect(Replies(run)); len(replies) != 2 || !replies[0].Right || replies[1].Right {
		t.Errorf("of two replies the first is right and the second is not: got %+v", replies)
	}
}

// TestTablesCount: the rows of a table add up to the result of the run.
func TestTablesCount(t *testing.T) {
	_, run := benchtest.Finished(t)
	replies, decisions := slices.Collect(Replies(run)), slices.Collect(Decisions(run))
	result := rescored(t, run, Rescoring{})
	for _, row := range result.Comparison.Rows {
		right, unparsed, calls := 0, 0, 0
		for _, d := range decisions {
			if d.Condition == row.Condition && d.Score == "right" {
				right++
			}
		}
		for _, r := range replies {
			if r.Condition != row.Condition {
				continue
			}
			if calls++; !r.Parsed && r.Kind != string(debate.KindDonor) {
				unparsed++
			}
			if r.Right && (!r.Parsed || r.Kind == string(debate.KindDonor)) {
				t.Errorf("a reply that is right is parsed, and is not a donor's: got %+v", r)
			}
		}
		if right != row.Right || calls != row.Replies || unparsed != row.UnparsedReplies {
			t.Errorf("%s: %d right, %d calls, %d unparsed; the table has %+v; want %v, %v and %v",
				row.Condition, right, calls, unparsed, row, row.Right, row.Replies, row.UnparsedReplies)
		}
	}
}
