package bench

import (
	"errors"
	"strings"
	"testing"

	"parley/inference"
)

func TestReplay(t *testing.T) {
	path, _ := finished(t)
	r, err := FindGeneration(path, "script-0")
	if err != nil {
		t.Fatal(err)
	}
	questions, _ := setup(t, 3, 2)
	got, err := r.Replay(t.Context(), crowd(questions)) // a fresh one calls its first generation script-0
	if err != nil {
		t.Fatal(err)
	}
	if r.generation.Agent != 0 || r.Key() != "script-0" || !sameReply(got) {
		t.Errorf("%+v", got)
	}
	other, err := r.Replay(t.Context(), inference.NewScript(func(inference.Request) string { return "Thé answer" }))
	if err != nil || other.Equal || len(other.Differences) != 2 {
		t.Errorf("%+v, %v", other, err)
	}
	var out strings.Builder
	if err := errors.Join(got.Write(&out), other.Write(&out)); err != nil || !strings.Contains(out.String(), "equal, ") || !strings.Contains(out.String(), "not equal\n") {
		t.Error(out.String(), err)
	}
	if _, err := r.Replay(t.Context(), &mute{Engine: crowd(questions), question: r.generation.Messages[0].Content}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
	r.Header.Model.Hash, r.Header.Model.Path = "abc", "a.gguf"
	if _, err := r.Replay(t.Context(), crowd(questions)); err == nil || !strings.Contains(err.Error(), `"a.gguf" with SHA-256 abc`) {
		t.Error(err)
	}
}

// sameReply is whether all but the key is equal: the scripted engine numbers its keys as they come.
func sameReply(r Replayed) bool {
	r.Now.Key = r.Recorded.Key
	return len(differences(r.Recorded, r.Now)) == 0
}

func TestFindGeneration(t *testing.T) {
	path, _ := finished(t)
	for prefix, want := range map[string]string{"script": "give more of the key", "none": "no generation", "": "a key is needed"} {
		if _, err := FindGeneration(path, prefix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	if r, err := FindGeneration(path, "script-1"); err != nil || r.Key() != "script-1" { // and script-10 is there too
		t.Error(r.Key(), err)
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"abc", "abd", `character 3 on: after "ab" it was "c" and is "d"`},
		{"é", "è", `character 1 on: after "" it was "é" and is "è"`}, // of two bytes, the first of which is the same
		{"a", "ab", `character 2 on: after "a" it was "" and is "b"`},
		{strings.Repeat("x", 50) + strings.Repeat("y", 50), strings.Repeat("x", 50), `after "` + strings.Repeat("x", 20) + `" it was "` + strings.Repeat("y", 20) + `" and is ""`},
	} {
		if got := firstDifference(c.was, c.is); !strings.Contains(got, c.want) {
			t.Errorf("%q, %q: %s", c.was, c.is, got)
		}
	}
	scored := inference.Reply{LogProbs: []float64{-1, -2}}
	if list := differences(scored, inference.Reply{LogProbs: []float64{-1, -3}, LogProb: -1}); len(list) != 2 {
		t.Error(list)
	}
}
