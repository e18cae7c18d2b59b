package step

import (
	"encoding/json"
	"testing"
)

// TestBudget: 0 tokens are a budget, in records too, which say nothing where there is none.
func TestBudget(t *testing.T) {
	for text, want := range map[string]Sampling{
		`{"temperature":0,"seed":0}`:                         {},
		`{"temperature":0,"reasoning_tokens":0,"seed":0}`:    {ReasoningTokens: BudgetOf(0)},
		`{"temperature":0,"reasoning_tokens":4096,"seed":0}`: {ReasoningTokens: BudgetOf(4096)},
		`{"temperature":0,"reasoning_tokens":-3,"seed":0}`:   {ReasoningTokens: -3},
	} {
		var got Sampling
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.ReasoningTokens != want.ReasoningTokens {
			t.Errorf("%s: a budget is read as %v: got %v, %v", text, want.ReasoningTokens, got.ReasoningTokens, err)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != text {
			t.Errorf("%s is written back as %s (%v), want the same", text, back, err)
		}
		wrong := got.Validate() != nil
		if n, set := got.ReasoningTokens.Tokens(); wrong != (n < 0) || set != (got.ReasoningTokens != 0) {
			t.Errorf("%s is the budget %d, set %t, refused %t; want a negative one refused and 0 unset", text, n, set,
				wrong)
		}
	}
	off := Sampling{ReasoningTokens: BudgetOf(0)}
	if got := off.Named(); got != "temperature 0, reasoning tokens 0" {
		t.Errorf("named %q, want \"temperature 0, reasoning tokens 0\"", got)
	}
	if got := len(off.Marked()); got != 1 {
		t.Errorf("%d marks in a key, want 1", got)
	}
}
