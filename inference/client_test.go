package inference_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// TestForced: the tokens of a greedy reply, scored as forced tokens, have the log-probabilities that they were drawn
// with; the pieces of the reply have the same; and the tokens are the text.
func TestForced(t *testing.T) {
	l := open(t, inference.Forget())
	v, err := l.Vocabulary("")
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := v.Render(t.Context(), ask(puzzles[0]))
	if err != nil {
		t.Fatal(err)
	}
	var drawn []inference.TokenScore
	var text strings.Builder
	request := inference.Request{Prompt: prompt, MaxTokens: 200, Sampling: inference.Sampling{Alternatives: 2},
		OnPiece: func(p inference.Piece) {
			text.WriteString(p.Text)
			if p.Drawn != nil {
				drawn = append(drawn, *p.Drawn)
			}
		}}
	replies, err := l.Ask(t.Context(), inference.Client{Order: 1}, []inference.Request{request})
	if err != nil || replies[0].Err != nil {
		t.Fatalf("a forced reply is written: %v, got %+v", err, replies)
	}
	written := replies[0]
	if diff := cmp.Diff(written.Scores, drawn); diff != "" || text.String() != written.Text {
		t.Errorf("forced tokens are shown as they are scored, and their text is %q: got %q (-want +got):\n%s",
			written.Text, text.String(), diff)
	}
	if got := generate(t, l, greedy(puzzles[0]))[0]; got.Text != written.Text {
		t.Errorf("a client got %q, want what a participant got, %q", got.Text, written.Text)
	}
	scored, err := l.Ask(t.Context(), inference.Client{Order: 2}, []inference.Request{{Prompt: prompt,
		Forced:   written.Generated,
		Sampling: inference.Sampling{Alternatives: 2}}})
	if err != nil || scored[0].Err != nil {
		t.Fatalf("a written reply can be scored: %v, got %+v", err, scored)
	}
	if s := scored[0]; s.Stop != inference.StopScored || math.Abs(s.LogProb-written.LogProb) > tolerance(1e-6) ||
		!slices.Equal(s.Generated, written.Generated) {
		t.Errorf("a reply scored again has the probability %g and the tokens %v that it had: got %+v", written.LogProb,
			written.Generated, s)
	}
	if diff := cmp.Diff(written.Scores, scored[0].Scores, within(0)); diff != "" {
		t.Errorf("forced tokens have the scores with which they were drawn (-want +got):\n%s", diff)
	}
	for _, wrong := range []inference.Request{{Prompt: prompt, Forced: []int32{}}, {Prompt: prompt,
		Forced: []int32{int32(v.Size())}}} {
		t.Run(fmt.Sprint(wrong.Forced), func(t *testing.T) {
			r, err := l.Ask(t.Context(), inference.Client{Order: 3}, []inference.Request{wrong})
			if err != nil || r[0].Err == nil {
				t.Errorf("forced tokens %v of no vocabulary, or beside a grammar, are refused in the reply: %v, got "+
					"%+v", wrong.Forced, err, r)
			}
		})
	}
	var bytes []byte
	for _, token := range written.Generated[:written.Tokens-1] { // without the end token
		bytes = append(bytes, v.Bytes(token)...)
	}
	tokens, err := v.Tokenize(written.Text, false, false)
	if err != nil || !slices.Equal(tokens, written.Generated[:written.Tokens-1]) || string(bytes) != written.Text {
		t.Errorf("a text is cut into the tokens %v and back into %q: got %v, %q, %v",
			written.Generated[:written.Tokens-1], written.Text, tokens, bytes, err)
	}
}

// TestPanicOfACaller: where the function that a request is shown to panics, the request has the error. The reply is
// recorded as it is, and the requests beside it have theirs.
func TestPanicOfACaller(t *testing.T) {
	recorded := 0
	count := func(inference.Generation) error { recorded++; return nil }
	engine := open(t, inference.Forget(), inference.OnGeneration(count))
	requests := make([]inference.Request, 3)
	for i := range requests {
		requests[i] = inference.Request{Messages: []inference.Message{{Role: "user", Content: "Count."}}, MaxTokens: 5,
			Sampling: inference.Sampling{Temperature: 1, Seed: uint64(i / 2)}}
	}
	requests[1].OnPiece = func(inference.Piece) { panic("of ours") }
	replies, err := engine.Ask(t.Context(), inference.Client{}, requests)
	if err != nil {
		t.Fatal(err)
	}
	var b bug.Error
	if !errors.As(replies[1].Err, &b) || !strings.Contains(b.Place, "client_test.go") {
		t.Errorf("a panic of a caller is its reply's error, with the place: got %v", replies[1].Err)
	}
	if replies[0].Err != nil || replies[2].Err != nil || replies[0].Tokens*replies[2].Tokens == 0 || recorded != 2 {
		t.Errorf("beside a caller that panics: %+v, %d recorded; want the other 2 replies whole and recorded", replies,
			recorded)
	}
}
