package offline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/bench/rundir"
)

// TestRunWrittenBefore reads a run that parley compare wrote before its packages were divided: one puzzle, a society,
// sides, a discussion with votes and a lesson. All of it is still read, and decided and scored as it was then.
func TestRunWrittenBefore(t *testing.T) {
	path := filepath.Join("testdata", "before")
	run, err := rundir.ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	if run.Header.Version != 2 || len(run.Outcomes) != 6 || len(run.Header.Protocols) != 3 {
		t.Fatalf("version %d, %d debates, %d protocols", run.Header.Version, len(run.Outcomes),
			len(run.Header.Protocols))
	}
	replies := 0
	for _, o := range run.Outcomes {
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if replies++; turn.Reply.Text == "" || len(turn.Messages) == 0 {
					t.Errorf("%s, round %d, agent %d: no text or no messages", o.Condition, turn.Round, turn.Agent)
				}
			}
		}
	}
	got, err := Rescore(run, Rescoring{})
	if err != nil || replies == 0 {
		t.Fatalf("%d replies, %v", replies, err)
	}
	want, err := os.ReadFile(filepath.Join(path, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(got.Result, "", "  ")
	if diff := cmp.Diff(string(want), string(text)+"\n"); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
