package serve

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/remote"
	"github.com/parley-debate/parley/models"
)

// TestRemoteEqualsLocal asks the embedded model through this endpoint, in messages and in token ids: what it says is
// what the engine says in this process, to the byte, with scores and grammars where token ids are sent.
func TestRemoteEqualsLocal(t *testing.T) {
	t.Parallel()
	s := start(t)
	path, err := models.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	messages := []inference.Message{{Role: "user", Content: puzzle}}
	requests := []inference.Request{
		{Messages: messages, MaxTokens: 12},
		{Messages: messages, MaxTokens: 30, Sampling: inference.Sampling{Temperature: 1, Seed: 1<<64 - 5}},
		{Messages: []inference.Message{{Role: "user", Content: "Who are you?"}}, MaxTokens: 64,
			Sampling: inference.Sampling{Temperature: 0.5, TopP: 0.9, TopK: 20, MinP: 0.01, Seed: 7}},
		{Messages: messages, MaxTokens: 8, Grammar: `root ::= "(" [A-C] ")"`},
	}
	scored := inference.Request{Messages: messages, Continuations: []string{"(A)", "(B)"}}
	for _, vocabulary := range []string{"", path} {
		if vocabulary != "" {
			requests = append(requests, scored)
		}
		want := generate(t, s.engine, requests)
		engine, err := remote.Open(t.Context(), s.url+"/v1/#tiny", remote.Options{Vocabulary: vocabulary})
		if err != nil {
			t.Fatal(err)
		}
		got := generate(t, engine, requests)
		for i, g := range got {
			w := want[i]
			if vocabulary == "" { // a conversation's log-probabilities lack the end token's
				w.LogProb = g.LogProb
			}
			if g.Unscored || g.Key == w.Key || g.PromptTokens != w.PromptTokens {
				t.Errorf("%d: %+v", i, g)
			}
			w.Key, w.Duration, w.CachedTokens, w.Generated = g.Key, g.Duration, g.CachedTokens, nil
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("request %d, vocabulary %q: %s", i, vocabulary, diff)
			}
		}
		if vocabulary == "" {
			p := engine.Join(0)
			replies, err := p.Generate(t.Context(), []inference.Request{scored})
			if err != nil || replies[0].Err == nil {
				t.Errorf("messages and scores: %+v, %v", replies, err)
			}
		}
		about := engine.Model()
		if about.Remote.Program != "parley serve" || about.Embedded != (vocabulary != "") || engine.Retried() > 0 {
			t.Errorf("%+v, %d retries", about, engine.Retried())
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if _, err := engine.Join(1).Generate(context.Background(), requests); !errors.Is(err, remote.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}

// generate asks an engine, and fails the test for any error.
func generate(t *testing.T, engine inference.Engine, requests []inference.Request) []inference.Reply {
	t.Helper()
	p := engine.Join(0)
	defer p.Leave()
	replies, err := p.Generate(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		if r.Err != nil {
			t.Fatalf("request %d: %v", i, r.Err)
		}
	}
	return replies
}
