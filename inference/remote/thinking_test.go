package remote

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// TestReasoningBounds: servers are sent a bound on reasoning under the name that their program has for it, asked for no
// more tokens than both bounds allow, and refused where the program has none; nothing is sent without a bound.
func TestReasoningBounds(t *testing.T) {
	t.Parallel()
	fields := []string{"chat_template_kwargs", "thinking_budget_tokens", "thinking_token_budget", "reasoning_budget",
		"think", "reasoning_tokens"}
	kwargs := func(on bool) map[string]any { return map[string]any{"enable_thinking": on} }
	for program, want := range map[string]map[int]map[string]any{ // nil: refused
		llamaServer: {0: {"chat_template_kwargs": kwargs(false)},
			64: {"chat_template_kwargs": kwargs(true), "thinking_budget_tokens": 64.0, "max_tokens": 84.0}},
		vLLM: {0: {"chat_template_kwargs": kwargs(false)},
			64: {"chat_template_kwargs": kwargs(true), "thinking_token_budget": 64.0, "max_tokens": 84.0}},
		sgLang: {0: {"chat_template_kwargs": kwargs(false), "max_tokens": 20.0}, 64: nil},
		ollama: {0: {"think": false}, 64: nil},
		openAI: {0: nil, 64: nil},
	} {
		t.Run(program, func(t *testing.T) {
			for _, n := range []int{-1, 0, 64} {
				f := start(t, program)
				e, _ := open(t, fast(), f)
				r := questions(1)[0]
				sent, known := want[n], true
				if n < 0 {
					sent = map[string]any{}
				} else {
					r.Sampling.ReasoningTokens, known = inference.BudgetOf(n), sent != nil
				}
				replies, err := ask(t.Context(), e, []inference.Request{r})
				if err != nil {
					t.Fatal(err)
				}
				refused := errors.Is(replies[0].Err, inference.ErrCannot)
				if refused == known || (f.asked.Load() > 0) != known {
					t.Fatalf("a bound of %d got the error %v after %d requests, want %v only where it is not known, "+
						"before any", n, replies[0].Err, f.asked.Load(), inference.ErrCannot)
				}
				if !known {
					continue
				}
				for _, field := range append(fields, "max_tokens") {
					got, said := f.bodies[0][field], field != "max_tokens" || sent[field] != nil
					if said && !cmp.Equal(got, sent[field]) {
						t.Errorf("%d: %s is %v, want %v", n, field, got, sent[field])
					}
				}
			}
		})
	}
}

// TestReasoningApart: reasoning that a server hands on is no part of the text, under whichever name and also without an
// opening mark; a server whose model reasons although it was not to, or far over its bound, is refused.
func TestReasoningApart(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faulty{
		"reasoning_content": changed(`"content":"`, `"reasoning_content":"SECRET","content":"`),
		"reasoning":         changed(`"content":"`, `"reasoning":"SECRET","content":"`),
		"thinking":          changed(`"content":"`, `"thinking":"SECRET","content":"`),
		"marks":             changed(`"content":"`, `"content":"<think>SECRET</think>`),
		"no opening mark":   changed(`"content":"`, `"content":"SECRET\n</think>\n\n`),
		"of Mistral":        changed(`"content":"`, `"content":"SECRET[/THINK]`),
		"of Gemma":          changed(`"content":"`, `"content":"SECRET\n<channel|>`),
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, vLLM)
			e, _ := open(t, fast(), f)
			r := questions(1)[0]
			f.faults = []faulty{fault}
			replies, err := ask(t.Context(), e, []inference.Request{r})
			if err != nil || replies[0].Text != textOf(r) || replies[0].Reasoning != "SECRET" || replies[0].Raw == "" {
				t.Fatalf("reasoning is kept apart from the text %q: got %+v, %v", textOf(r), replies, err)
			}
			r.Sampling.ReasoningTokens = inference.BudgetOf(0)
			f.faults = []faulty{fault}
			replies, err = ask(t.Context(), e, []inference.Request{r})
			if err != nil || replies[0].Err == nil || !strings.Contains(replies[0].Err.Error(), "--reasoning-tokens") {
				t.Errorf("%+v, %v, want an error", replies, err)
			}
		})
	}
}
