package rundir_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// TestMessagesAreInGenerations: no debate record has messages, wherever a protocol keeps its turns, and a run that is
// read has all of them.
func TestMessagesAreInGenerations(t *testing.T) {
	questions, standard := benchtest.Setup(t, 4, 2)
	questions.Questions = questions.Questions[:2]
	var conditions []trial.Condition
	// with turns before others, probes and ballots
	for _, name := range []string{"du-summary", "madc-sensitivity", "soft-vote", "vote-simple"} {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := trial.Held(p, "tiny", debate.Asking{Seeds: debate.Seeds{Run: 1}})
		if err != nil {
			t.Fatal(err)
		}
		conditions = append(conditions, c)
	}
	path, engine := filepath.Join(t.TempDir(), "run"), benchtest.Crowd(questions)
	d := benchtest.OpenDirectory(t, path)
	if err := d.Begin(benchtest.Header(bench.Options{Engine: engine, Task: questions, Conditions: conditions},
		standard[3].Debate.(society.Society))); err != nil {
		t.Fatal(err)
	}
	sent, kinds := []string{}, make(map[string]int)
	result, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: conditions, Engine: engine,
		Observe: func(o trial.Outcome) (err error) {
			trial.EachTurn(o.Transcript, func(turn debate.Turn, kind string) {
				kinds[kind]++
				sent = append(sent, texts(turn.Messages))
				err = errors.Join(err, d.Generation(inference.Generation{Messages: turn.Messages, Reply: turn.Reply}))
			})
			return errors.Join(err, d.Outcome(o))
		}})
	if err := errors.Join(err, d.Finish(result), d.Close()); err != nil {
		t.Fatal(err)
	}
	if kinds["before"] == 0 || kinds["probe"] == 0 || kinds["ballot"] == 0 {
		t.Errorf("turns before, of a probe and of a ballot are all there: got %v", kinds)
	}
	if _, err := record.Read(filepath.Join(path, "debates.jsonl.zst"), func(line []byte) error {
		if strings.Contains(string(line), `"messages":`) ||
			strings.Contains(string(line), "The statements are logically consistent") {
			t.Errorf("a debate is recorded without the messages that were sent: got %.300s", line)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	run := benchtest.ReadRun(t, path)
	var read []string
	for _, o := range run.Outcomes {
		trial.EachTurn(o.Transcript, func(turn debate.Turn, _ string) { read = append(read, texts(turn.Messages)) })
	}
	if diff := cmp.Diff(sent, read); diff != "" {
		t.Errorf("the messages that are read are those that were sent (-want +got):\n%s", diff)
	}
}

func texts(messages []inference.Message) (all string) {
	for _, m := range messages {
		all += m.Role + ": " + m.Content + "\n"
	}
	return all
}

// TestMessagesOfFailedRequests stay with their turns: they are in no generation.
func TestMessagesOfFailedRequests(t *testing.T) {
	asked := []inference.Message{{Role: "user", Content: "too long"}}
	got := trial.WithoutMessages(debate.Transcript{Rounds: [][]debate.Turn{{{Messages: asked},
		{Messages: asked, Error: "too long"}}}})
	if turns := got.Rounds[0]; turns[0].Messages != nil || len(turns[1].Messages) != 1 {
		t.Errorf("a failed request has no messages, the other one has 1: got %+v", turns)
	}
}
