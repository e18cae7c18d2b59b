package rundir_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestJudgements: what a judge has said is known again, also behind a torn end, and the run's own journals stay. Two
// judges do not write at once.
func TestJudgements(t *testing.T) {
	path, _ := benchtest.Finished(t)
	before := benchtest.BytesOf(t, path)
	journal := filepath.Join(path, "judge.jsonl.zst")
	for _, key := range []string{"a", "b"} {
		j, err := rundir.OpenJudgements(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rundir.OpenJudgements(path); err == nil || !strings.Contains(err.Error(), "in use by process") {
			t.Errorf("a second judge is refused, as the file is \"in use by process\": got %v", err)
		}
		if reply, known := j.Reply("a"); known != (key == "b") || known && reply.Text != "yes" {
			t.Errorf("the reply a, yes, is known just after it was recorded: got %q, %t before %s",
				reply.Text, known, key)
		}
		if err := j.Generation(inference.Generation{Reply: inference.Reply{Text: "yes", Key: key}}); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		tear(t, journal)
	}
	after := benchtest.BytesOf(t, path)
	for _, name := range []string{"debates.jsonl.zst", "generations.jsonl.zst", "result.json"} {
		if before[name] == "" || before[name] != after[name] {
			t.Errorf("what is judged stays as it was, but %s has changed", name)
		}
	}
	datatest.Write(t, journal, "no journal of ours")
	if _, err := rundir.OpenJudgements(path); err == nil || !strings.Contains(err.Error(), "remove it to ask") {
		t.Errorf("another file in the place of judgements is refused with \"remove it to ask\": got %v", err)
	}
}
