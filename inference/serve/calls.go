package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// divide separates the calls in a reply from its answer. Beside calls the text is nil if it is empty. The IDs of calls
// are hashed from the reply's, so that equal requests get equal ones.
func (f *chatForm) divide(index int, tokens []generation.Token, finish string) (*string, []wire.ToolCall, string) {
	text, _ := joinTexts(tokens)
	if f.calls == nil {
		return &text, nil, finish
	}
	rest, found := f.calls.Read(text)
	calls := make([]wire.ToolCall, len(found))
	for i, c := range found {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", f.id, index, i))
		calls[i] = wire.ToolCall{ID: "call_" + hex.EncodeToString(sum[:12]), Type: "function",
			Function: wire.CalledTool{Name: c.Name, Arguments: string(c.Arguments)}}
	}
	if len(calls) == 0 {
		return &rest, nil, finish
	}
	if several := f.request.ParallelToolCalls; several != nil && !*several {
		calls = calls[:1] // as vLLM
	}
	if finish == "stop" { // a reply that was cut off stays one, although a call in it is complete
		finish = "tool_calls"
	}
	if rest == "" {
		return nil, calls, finish
	}
	return &rest, calls, finish
}

// gathered streams replies that may call tools. Each choice comes as a whole at its end: before that, nobody can tell
// whether a text is the beginning of a call.
type gathered struct {
	*chatForm
	tokens [][]generation.Token // of each choice so far
}

// part implements form: it keeps the token, and writes nothing.
func (g *gathered) part(choice, _ int, t generation.Token) any {
	g.tokens[choice] = append(g.tokens[choice], t)
	return nil
}

// last implements form: it writes the whole choice, and then what ends it. Streams number the calls of a reply.
func (g *gathered) last(choice int, finish string) []any {
	content, calls, finish := g.divide(choice, g.tokens[choice], finish)
	for i := range calls {
		calls[i].Index = &i
	}
	_, reasoning := joinTexts(g.tokens[choice])
	all := chatChoice{Index: choice, Delta: &chatDelta{Content: content, Reasoning: reasoning, ToolCalls: calls},
		Logprobs: g.logprobs(g.tokens[choice])}
	return append([]any{all}, g.chatForm.last(choice, finish)...)
}
