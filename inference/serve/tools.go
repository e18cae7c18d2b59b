package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/schema"
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

// tool is a function that the model may call.
type tool struct {
	Type     string
	Function struct {
		Name       string
		Parameters json.RawMessage // the schema of its arguments; none if it takes none
	}
}

// callable are the tools that the model is shown, and how it calls them. Where the reply has to be a call, the request
// gets a grammar that says so.
func (r *chatRequest) callable(m *model) ([]json.RawMessage, *chat.Calls, error) {
	choice, name, err := chosen(r.ToolChoice)
	if err != nil {
		return nil, nil, err
	}
	if choice == "none" || len(r.Tools) == 0 && choice == "auto" {
		return nil, nil, nil
	}
	var wanted []tool
	for i, text := range r.Tools {
		var t tool
		if json.Unmarshal(text, &t) != nil || t.Type != "function" || t.Function.Name == "" {
			return nil, nil, invalid("tools", "tools[%d]: must be of type function, and name it", i)
		}
		if name == "" || t.Function.Name == name {
			wanted = append(wanted, t)
		}
	}
	calls := m.vocabulary.Calls()
	switch {
	case calls == nil:
		return nil, nil, invalid("tools", "how %s writes calls of tools is not known: this server reads those of Qwen "+
			"(Hermes) and of Llama from 3.1 on", m.id)
	case choice == "auto":
		return r.Tools, calls, nil
	case len(wanted) == 0:
		return nil, nil, invalid("tool_choice", "tool_choice %s: there is no such tool among the %d of the request",
			r.ToolChoice, len(r.Tools))
	case r.Grammar != "" || r.ResponseFormat != nil && r.ResponseFormat.Type != "text":
		return nil, nil, invalid("tool_choice", "tool_choice %s and a grammar or response_format both say what the "+
			"reply must be: leave one out", r.ToolChoice)
	}
	r.Grammar, err = oneCall(wanted, calls)
	return r.Tools, calls, err
}

// chosen reads a tool_choice: none, auto, required, or an object that names a function, which is then required.
func chosen(raw json.RawMessage) (choice, name string, err error) {
	if raw == nil {
		return "auto", "", nil
	}
	if json.Unmarshal(raw, &choice) == nil && (choice == "auto" || choice == "none" || choice == "required") {
		return choice, "", nil
	}
	var one tool
	if json.Unmarshal(raw, &one) == nil && one.Type == "function" && one.Function.Name != "" {
		return "required", one.Function.Name, nil
	}
	return "", "", invalid("tool_choice", `tool_choice %s: must be "none", "auto", "required" or `+
		`{"type": "function", "function": {"name": NAME}}`, raw)
}

// oneCall is the grammar of a reply that is one call of one of these tools. Their schemas become definitions of one
// schema, in which their own references lead to where they stand now.
func oneCall(tools []tool, calls *chat.Calls) (string, error) {
	object := func(fields ...string) string { return "{" + strings.Join(fields, ",") + "}" }
	var forms, definitions []string
	for i, t := range tools {
		name, _ := json.Marshal(t.Function.Name)
		place := fmt.Sprintf("#/$defs/tool%d", i)
		forms = append(forms, fmt.Sprintf(`{"type":"object","properties":{"name":{"const":%s},%q:{"$ref":%q}},`+
			`"required":["name",%q]}`, name, calls.Arguments, place, calls.Arguments))
		parameters := t.Function.Parameters
		if parameters == nil {
			parameters = json.RawMessage(`{"const":{}}`)
		}
		definitions = append(definitions, fmt.Sprintf(`"tool%d":%s`, i,
			reference.ReplaceAll(parameters, []byte("${1}"+strings.ReplaceAll(place, "$", "$$")))))
	}
	grammar, err := schema.Within(calls.Before, []byte(object(`"anyOf":[`+strings.Join(forms, ",")+"]",
		`"$defs":`+object(definitions...))), calls.After)
	if err != nil {
		return "", invalid("tools", "tools: %v", err)
	}
	return grammar, nil
}

// reference is where a schema refers to a part of itself.
var reference = regexp.MustCompile(`("\$ref"\s*:\s*")#`)

// divide tells the calls in a reply from its text, which is nil beside calls if there is none.
func (f *chatForm) divide(index int, tokens []Token, finish string) (*string, []toolCall, string) {
	text := joined(tokens)
	if f.calls == nil {
		return &text, nil, finish
	}
	rest, found := f.calls.Read(text)
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
