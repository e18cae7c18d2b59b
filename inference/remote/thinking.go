package remote

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference"
)

// budgets are the fields in which programs read how many tokens of reasoning come before an answer.
// Builds of llama-server differ in which of two they read.
var budgets = map[string][]string{llamaServer: {"thinking_budget_tokens", "reasoning_budget_tokens"},
	vLLM: {"thinking_token_budget"}, parleyServe: {"reasoning_budget"}}

// switchable are the programs that hand variables to the chat template, where enable_thinking is the usual one.
var switchable = []string{llamaServer, vLLM, sgLang}

// checkThinking refuses a bound on reasoning that a program does not know.
func (e *Engine) checkThinking(program string, r inference.Request) error {
	n, set := r.Sampling.ReasoningTokens.Tokens()
	switch off := set && n == 0; {
	case !set || off && e.vocabulary != nil: // the template here renders the prompt
	case off && (slices.Contains(switchable, program) || program == ollama || program == parleyServe):
	case off:
		return e.cannot("be told in this protocol that its model is not to reason (--reasoning-tokens 0): leave it " +
			"out, or choose a model that does not")
	case budgets[program] == nil || e.vocabulary != nil:
		return e.cannot("bound the reasoning of its model (--reasoning-tokens): llama-server, vLLM and parley serve " +
			"can, asked in messages (without --model); leave it out and raise --max-tokens")
	}
	return nil
}

// addThinking adds to a request what bounds the reasoning in its reply.
func addThinking(program string, q question, body map[string]any) {
	n, set := q.Sampling.ReasoningTokens.Tokens()
	if !set || q.messages == nil {
		return
	}
	if slices.Contains(switchable, program) {
		body["chat_template_kwargs"] = map[string]any{"enable_thinking": n > 0}
	}
	if n > 0 || program == parleyServe {
		for _, field := range budgets[program] {
			body[field] = n
		}
	}
}

// checkThought refuses a reply that reasons although that was switched off, or longer than it was to: the server, or
// its model's template, does not know what it was sent.
func (s *server) checkThought(q question, r inference.Reply) error {
	n, set := q.Sampling.ReasoningTokens.Tokens()
	if !set || r.Reasoning == "" || n > 0 && r.ReasoningTokens <= n+endOfThought {
		return nil
	}
	return &fault{server: s, lasting: true, mine: true, err: fmt.Errorf("its model reasons, in %d tokens if it says "+
		"so, and was to in %d at most (--reasoning-tokens): the server or the model's template does not know what it "+
		"was sent; leave that out, and raise --max-tokens", r.ReasoningTokens, n)}
}

// endOfThought is how many tokens more than allowed the programs count, for marks.
const endOfThought = 16
