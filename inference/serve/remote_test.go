package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/remote"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/models"
)

// saysOfItself checks that a remote engine records what this server says of its model, and nothing else.
func saysOfItself(t *testing.T, s *started, about inference.ModelInfo) {
	t.Helper()
	m := s.engine.Model()
	if r := about.Remote; r.FileHash != m.Hash || r.Version != "v1" || r.File != "" || about.Hash == m.Hash ||
		r.Fingerprint != s.models[0].Fingerprint() || about.Architecture != m.Architecture ||
		about.Quantization != m.Quantization || about.Parameters != m.Parameters || about.Name != "tiny" {
		t.Errorf("a server says of its model what the file says, but not where it lies: got %+v, %+v, want %+v", about,
			r, m)
	}
	text, err := json.Marshal(about)
	var again inference.ModelInfo
	if err = errors.Join(err, json.Unmarshal(text, &again)); err != nil || strings.Contains(string(text), "embedded") {
		t.Errorf("it is read back as it was written, and the word embedded is nowhere: %v, got %s", err, text)
	}
	about.Embedded, about.Advice = false, nil
	if diff := cmp.Diff(about, again); diff != "" {
		t.Errorf("a remote engine says of a model what the server says (-want +got):\n%s", diff)
	}
}

// TestRemoteEqualsLocal asks the embedded model through this endpoint, in messages and in token ids: what it says is
// what the engine says in this process, to the byte, with scores and grammars where token ids are sent.
func TestRemoteEqualsLocal(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Version = "v1" })
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
	for number, vocabulary := range []string{"", path} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
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
					t.Errorf("%d: a remote reply has a key of its own, and the prompt of the local one (%d tokens): "+
						"got %+v", i, w.PromptTokens, g)
				}
				w.Key, w.Duration, w.CachedTokens, w.Generated = g.Key, g.Duration, g.CachedTokens, nil
				if diff := cmp.Diff(w, g); diff != "" {
					t.Errorf("request %d, vocabulary %q: a remote reply is the local one (-local +remote):\n%s", i,
						vocabulary, diff)
				}
			}
			if vocabulary == "" {
				p := engine.Join(0)
				replies, err := p.Generate(t.Context(), []inference.Request{scored})
				if err != nil || replies[0].Err == nil {
					t.Errorf("scores of messages, without a vocabulary, got %+v (%v), want an error of the reply alone",
						replies, err)
				}
			}
			about := engine.Model()
			if about.Remote.Program != "parley serve" || about.Embedded != (vocabulary != "") || engine.Retried() > 0 {
				t.Errorf("the endpoint is told as %+v after %d retries, want \"parley serve\", embedded %v and no "+
					"retry", about, engine.Retried(), vocabulary != "")
			}
			saysOfItself(t, s, about)
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
			if _, err := engine.Join(1).Generate(context.Background(), requests); !errors.Is(err, step.ErrClosed) {
				t.Errorf("a request after Close got the error %v, want %v", err, step.ErrClosed)
			}
		})
	}
}

// TestRemoteChoices has this endpoint draw a dozen samples of one prompt, five to a request: each is, to the byte and
// the token, what the engine draws in this process under the seed that the endpoint gives to that choice.
func TestRemoteChoices(t *testing.T) {
	t.Parallel()
	s := start(t)
	path, err := models.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	var requests []inference.Request
	messages := []inference.Message{{Role: "user", Content: "Who are you?"}}
	for i := range 12 {
		requests = append(requests, inference.Request{Messages: messages,
			MaxTokens: 20, Sampling: inference.Sampling{Temperature: 2, Seed: uint64(i)<<60 + 3}})
	}
	for _, vocabulary := range []string{"", path} {
		posted := new(atomic.Int64)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posted.Add(1)
			}
			s.ServeHTTP(w, r)
		}))
		defer web.Close()
		engine, err := remote.Open(t.Context(), web.URL, remote.Options{Choices: 5, Vocabulary: vocabulary})
		if err != nil {
			t.Fatal(err)
		}
		got := generate(t, engine, requests)
		drawn := slices.Clone(requests)
		for i, g := range got {
			index, seed := i%5, requests[i-i%5].Sampling.Seed
			want := &inference.Choice{Index: index, Of: min(5, 12-i+index), Seed: seed}
			if diff := cmp.Diff(want, g.Choice); diff != "" {
				t.Errorf("reply %d is another choice of its request (-want +got):\n%s", i, diff)
			}
			drawn[i].Sampling.Seed = generation.SeedOf(seed, index)
		}
		ended := 0
		for i, w := range generate(t, s.engine, drawn) {
			g := got[i]
			if vocabulary == "" { // a conversation's log-probabilities lack the end token's
				w.LogProb = g.LogProb
			}
			if w.Stop == inference.StopEnd {
				ended++
			}
			w.Key, w.Duration, w.CachedTokens, w.Generated, w.Choice = g.Key, g.Duration, g.CachedTokens, nil, g.Choice
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("request %d, vocabulary %q: a remote choice is the local reply of its seed (-local "+
					"+remote):\n%s", i, vocabulary, diff)
			}
		}
		stats, prompt := engine.Stats(), got[0].PromptTokens
		if posted.Load() != 3 || stats.Generations != 12 || stats.PromptAsked != 12*prompt ||
			stats.PromptComputed != 3*prompt || engine.Retried() > 0 {
			t.Errorf("12 replies of one prompt took %d requests and %d retries, want 3 and 0, and one prompt of %d a "+
				"request: %+v", posted.Load(), engine.Retried(), prompt, stats)
		}
		if ended == 0 || ended == 12 {
			t.Errorf("%d of 12 replies ended by themselves, want some but not all", ended)
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
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
			t.Fatalf("request %d ended with %v, want no error", i, r.Err)
		}
	}
	return replies
}
