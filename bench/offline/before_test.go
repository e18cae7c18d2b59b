package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestRunWrittenBefore reads a run that parley compare wrote before its packages were divided: one puzzle, a society,
// sides, a discussion with votes and a lesson. All of it is still read, and decided and scored as it was then; the
// result may have measures that it had not.
func TestRunWrittenBefore(t *testing.T) {
	path := filepath.Join("testdata", "before")
	run := benchtest.ReadRun(t, path)
	if run.Header.Version != 2 || len(run.Outcomes) != 6 || len(run.Header.Protocols) != 3 {
		t.Fatalf("version %d, %d debates, %d protocols; want 2, 6 and 3",
			run.Header.Version, len(run.Outcomes), len(run.Header.Protocols))
	}
	replies := 0
	for _, o := range run.Outcomes {
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if replies++; turn.Reply.Text == "" || len(turn.Messages) == 0 {
					t.Errorf("%s, round %d, agent %d: a reply has a text and the messages behind it: got %q, %d "+
						"messages", o.Condition, turn.Round, turn.Agent, turn.Reply.Text, len(turn.Messages))
				}
			}
		}
	}
	got, err := Rescore(run, Rescoring{})
	if err != nil || replies == 0 {
		t.Fatalf("a run that was written before is read with its replies: got %d, %v", replies, err)
	}
	want := datatest.Read(t, filepath.Join(path, "result.json"))
	text, err := json.Marshal(got.Result)
	if err != nil {
		t.Fatal(err)
	}
	var before, now any
	if err := errors.Join(json.Unmarshal(want, &before), json.Unmarshal(text, &now)); err != nil {
		t.Fatal(err)
	}
	for _, row := range before.(map[string]any)["conditions"].([]any) {
		row := row.(map[string]any)
		delete(row, "unparsed_replies") // it counted personas, ballots and all that has no answer
		if row["condition"] == "madc" {
			delete(row, "paired") // it sent and decided the same as mad
		}
		if strings.Contains(fmt.Sprint(row["meaning"]), "a vote each") {
			delete(row, "paired") // no ballot could be read
		}
		if strings.Contains(fmt.Sprint(row["meaning"]), "before a moderator") {
			delete(row, "paired") // nothing that the moderator was asked for
		}
		row["dynamics"] = row["course"] // as it was called
		delete(row, "course")
		delete(row["dynamics"].(map[string]any), "by_equality") // now written only if it does not hold
	}
	if diff := cmp.Diff(before, only(now, before)); diff != "" {
		t.Errorf("an old run is read as it was written (-want +got):\n%s", diff)
	}
}

// only is a JSON value without what another does not have in its place: measures that were added since.
func only(now, before any) any {
	switch now := now.(type) {
	case nil:
		if before == 0.0 {
			return before // of a metric of nothing, which 0 stood for
		}
	case map[string]any:
		kept := make(map[string]any)
		of, _ := before.(map[string]any)
		for name, value := range now {
			if was, ok := of[name]; ok {
				kept[name] = only(value, was)
			}
		}
		return kept
	case []any:
		of, _ := before.([]any)
		kept := slices.Clone(now)
		for i := range min(len(kept), len(of)) {
			kept[i] = only(kept[i], of[i])
		}
		return kept
	}
	return now
}
