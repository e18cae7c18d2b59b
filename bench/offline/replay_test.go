package offline

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/inference"
)

// TestReplay: a generation is computed again, and what differs from the record is told.
func TestReplay(t *testing.T) {
	path, run := benchtest.Finished(t)
	key := run.Outcomes[0].Transcript.Rounds[0][0].Reply.Key
	r, err := FindGeneration(path, key)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.MaxTokens = 0 // as the scripted run left it open
	questions, _ := benchtest.Setup(t, 3, 2)
	got, err := r.Replay(t.Context(), benchtest.Crowd(questions))
	if err != nil {
		t.Fatal(err)
	}
	if r.generation.Agent != 0 || r.key() != key || !got.Equal {
		t.Errorf("a generation is found by its key %s, is that of agent 0, and is computed equal: found %s of agent "+
			"%d, equal %v", key, r.key(), r.generation.Agent, got.Equal)
	}
	other, err := r.Replay(t.Context(), inference.NewScript(func(inference.Request) string { return "Thé answer" }))
	if err != nil || other.Equal || len(other.Differences) != 2 {
		t.Fatalf("another reply differs in 2 things: got %+v, %v", other, err)
	}
	var out strings.Builder
	if err := errors.Join(got.Write(&out), other.Write(&out)); err != nil ||
		!strings.Contains(out.String(), "equal, ") || !strings.Contains(out.String(), "not equal\n") {
		t.Errorf("it says of the one reply that it is equal and of the other that it is not: got %v, %v", out.String(),
			err)
	}
	if _, err := r.Replay(t.Context(), &benchtest.Mute{Engine: benchtest.Crowd(questions),
		Question: r.generation.Messages[0].Content}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("an error of the engine comes back from a replay, \"too long\": got %v", err)
	}
	r.Header.Model.Hash, r.Header.Model.Path = "abc", "a.gguf"
	if _, err := r.Replay(t.Context(), benchtest.Crowd(questions)); err == nil ||
		!strings.Contains(err.Error(), `"a.gguf" with SHA-256 abc`) {
		t.Errorf("a replay on another model is refused with the run's, \"a.gguf\" and its SHA-256 abc: got %v", err)
	}
}

// TestFindGeneration: a generation is found by the beginning of its key, if only one key begins so.
func TestFindGeneration(t *testing.T) {
	_, run := benchtest.Finished(t)
	path := filepath.Join(t.TempDir(), "run")
	records := []any{run.Header}
	for _, key := range []string{"ab", "abc", "abcd"} {
		records = append(records, rundir.Generation{Version: record.Version, Kind: "generation",
			Reply: inference.Reply{Key: key}})
	}
	benchtest.WriteJournals(t, path, records, []any{run.Header})
	for prefix, want := range map[string]string{"a": "give more of the key", "none": "no generation",
		"": "a key is needed"} {
		t.Run(prefix, func(t *testing.T) {
			if _, err := FindGeneration(path, prefix); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want an error with %v", prefix, err, want)
			}
		})
	}
	// others begin with two of them
	for prefix, want := range map[string]string{"ab": "ab", "abc": "abc", "abcd": "abcd"} {
		t.Run(prefix, func(t *testing.T) {
			if r, err := FindGeneration(path, prefix); err != nil || r.key() != want {
				t.Errorf("the beginning %s of a key finds it: got %s, %v, want %s", prefix, r.key(), err, want)
			}
		})
	}
}

// TestFirstDifference: two texts are told apart by the first character that differs, and what comes before it.
func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"abc", "abd", `character 3 on: after "ab" it was "c" and is "d"`},
		{"é", "è", `character 1 on: after "" it was "é" and is "è"`}, // of two bytes, the first of which is the same
		{"a", "ab", `character 2 on: after "a" it was "" and is "b"`},
		{strings.Repeat("x", 50) + strings.Repeat("y", 50), strings.Repeat("x", 50),
			`after "` + strings.Repeat("x", 20) + `" it was "` + strings.Repeat("y", 20) + `" and is ""`},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.was, c.is), func(t *testing.T) {
			if got := firstDifference(c.was, c.is); !strings.Contains(got, c.want) {
				t.Errorf("%q, %q: %s, want a text with %v", c.was, c.is, got, c.want)
			}
		})
	}
	scored := inference.Reply{LogProbs: []float64{-1, -2}}
	if list := differences(scored, inference.Reply{LogProbs: []float64{-1, -3}, LogProb: -1}); len(list) != 2 {
		t.Errorf("probabilities and their sum differ: got %v, want 2 differences", list)
	}
}
