package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/parley-debate/parley/inference/chat"
)

// toolCall is a call as OpenAI writes it. Index is that of streams.
type toolCall struct {
	Index    *int       `json:"index,omitempty"`
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Function calledTool `json:"function"`
}

type calledTool struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}

// callable are those that the model is shown, and how it calls them.
func (r *chatRequest) callable(m *model) ([]json.RawMessage, chat.Calls, error) {
	choice := "auto"
	if r.ToolChoice != nil && json.Unmarshal(r.ToolChoice, &choice) != nil || choice != "auto" && choice != "none" {
		return nil, nil, invalid("tool_choice", "tool_choice %s: this server knows auto and none; what the reply must "+
			"be can be said with response_format", r.ToolChoice)
	}
	if len(r.Tools) == 0 || choice == "none" {
		return nil, nil, nil
	}
	for i, text := range r.Tools {
		var tool struct {
			Type     string
			Function struct{ Name string }
		}
		if json.Unmarshal(text, &tool) != nil || tool.Type != "function" || tool.Function.Name == "" {
			return nil, nil, invalid("tools", "tools[%d]: must be of type function, and name it", i)
		}
	}
	calls := m.vocabulary.Calls()
	if calls == nil {
		return nil, nil, invalid("tools", "how %s writes calls of tools is not known: this server reads those of Qwen "+
			"(Hermes) and of Llama from 3.1 on", m.id)
	}
	return r.Tools, calls, nil
}

// divide tells the calls in a reply from its text, which is nil beside calls if there is none.
func (f *chatForm) divide(index int, tokens []Token, finish string) (*string, []toolCall, string) {
	text := joined(tokens)
	if f.calls == nil {
		return &text, nil, finish
	}
	rest, found := f.calls(text)
	calls := make([]toolCall, len(found))
	for i, c := range found {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", f.id, index, i))
		calls[i] = toolCall{ID: "call_" + hex.EncodeToString(sum[:12]), Type: "function",
			Function: calledTool{c.Name, string(c.Arguments)}}
	}
	if len(calls) == 0 {
		return &rest, nil, finish
	}
	if finish == "stop" {
		finish = "tool_calls"
	}
	if rest == "" {
		return nil, calls, finish
	}
	return &rest, calls, finish
}

// gathered streams replies that may call tools: each comes whole, when it is known what in it is a call.
type gathered struct {
	*chatForm
	tokens [][]Token // of each choice so far
}

func (g *gathered) part(choice, _ int, t Token) any {
	g.tokens[choice] = append(g.tokens[choice], t)
	return nil
}

func (g *gathered) last(choice int, finish string) []any {
	content, calls, finish := g.divide(choice, g.tokens[choice], finish)
	for i := range calls {
		calls[i].Index = &i
	}
	all := chatChoice{Index: choice, Delta: &chatDelta{Content: content, ToolCalls: calls},
		Logprobs: g.logprobs(g.tokens[choice])}
	return append([]any{all}, g.chatForm.last(choice, finish)...)
}
