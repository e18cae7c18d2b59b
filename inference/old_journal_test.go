package inference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// TestOldJournals: replies that a program recorded before it knew reasoning are whole. They are divided when they are
// used again, once, with the tokens of their reasoning; not what a grammar has shaped, nor what has no marks.
func TestOldJournals(t *testing.T) {
	const whole = "<think>\nTwo and two.\n</think>\n\nFour."
	recorded := inference.Reply{Text: whole, Stop: inference.StopEnd, PromptTokens: 9, Tokens: 40}
	restore := func(r inference.Request, old inference.Reply) inference.Reply {
		t.Helper()
		l := open(t, append(usual(), inference.Known(func(key string) (inference.Reply, bool) {
			old.Key = key
			return old, true
		}))...)
		reply := generate(t, l, r)[0]
		if stats := l.Stats(); reply.Err != nil || stats.Restored != 1 || stats.Generations != 0 {
			t.Errorf("a reply of an old journal is restored and not computed again: restored %d, computed %d, %v",
				stats.Restored, stats.Generations, reply.Err)
		}
		return reply
	}
	request := inference.Request{Messages: ask("What is 2+2?"), MaxTokens: 40}
	divided := restore(request, recorded)
	want := recorded
	want.Text, want.Reasoning, want.Raw, want.Key = "Four.", "Two and two.", whole, divided.Key
	if want.ReasoningTokens = divided.ReasoningTokens; divided.ReasoningTokens < 4 || divided.ReasoningTokens > 38 {
		t.Errorf("%d tokens of reasoning, want at least 4 and at most 38", divided.ReasoningTokens)
	}
	if diff := cmp.Diff(want, divided); diff != "" {
		t.Errorf("an old reply is divided into reasoning and answer once (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(divided, restore(request, divided)); diff != "" {
		t.Errorf("a reply that was divided is not divided again (-want +got):\n%s", diff)
	}
	short := recorded
	short.Tokens = 3
	if got := restore(request, short); got.ReasoningTokens > 3 {
		t.Errorf("%d tokens of reasoning in a reply of 3, want at most 3", got.ReasoningTokens)
	}
	shaped, plain := request, recorded
	shaped.Grammar = "root ::= [a-z]*"
	if got := restore(shaped, recorded); got.Text != whole || got.Raw != "" || got.ReasoningTokens != 0 {
		t.Errorf("shaped by a grammar: %+v, want Text %v, Raw none and ReasoningTokens 0", got, whole)
	}
	plain.Text = "Four."
	if got := restore(request, plain); got.Text != "Four." || got.Raw != "" || got.ReasoningTokens != 0 {
		t.Errorf("a reply without marks becomes %+v, want Text \"Four.\" and no reasoning", got)
	}
}
