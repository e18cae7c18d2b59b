package inference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// TestSharedContinuations: a request whose last score is shared with another request is recorded too, and two equal
// requests are recorded once.
func TestSharedContinuations(t *testing.T) {
	var recorded []string
	l := open(t, inference.OnGeneration(func(g inference.Generation) error {
		recorded = append(recorded, g.Name)
		return nil
	}))
	score := func(name string, continuations ...string) inference.Request {
		return inference.Request{Name: name, Messages: ask(puzzles[0]), Continuations: continuations}
	}
	replies := generate(t, l, score("first", "(A)", "(B)"), score("shares", "(C)", "(A)"), score("equal", "(A)", "(B)"))
	if diff := cmp.Diff([]string{"first", "shares"}, recorded); diff != "" {
		t.Errorf("each reply is recorded once, by name (-want +got):\n%s", diff)
	}
	if a, b := replies[0].LogProbs, replies[1].LogProbs; a[0] != b[1] || replies[0].Key == replies[1].Key {
		t.Errorf("continuations have their own probabilities in whatever order they are asked: got %v and %v, keys "+
			"%s and %s", a, b, replies[0].Key, replies[1].Key)
	}
}

// TestNoContinuations: an empty list asks for a reply, as nil does, from the engine and from a survey.
func TestNoContinuations(t *testing.T) {
	l := open(t)
	request := inference.Request{Messages: ask(puzzles[0]), MaxTokens: 5, Continuations: []string{}}
	if reply := generate(t, l, request)[0]; reply.Err != nil || reply.Tokens != 5 {
		t.Errorf("a request without continuations is an ordinary one of 5 tokens: got %d, %v", reply.Tokens, reply.Err)
	}
	s := l.Survey()
	s.Write = func(inference.Request, func(string) bool) string { return "so" }
	replies, err := s.Generate(t.Context(), []inference.Request{request})
	if err != nil {
		t.Fatal(err)
	}
	if replies[0].Text != "so" || s.Longest().Reply != 5 {
		t.Errorf("a simulated request without continuations says %q, %d tokens long, want \"so\" and 5",
			replies[0].Text, s.Longest().Reply)
	}
}
