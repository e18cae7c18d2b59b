package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/schema"
	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/internal/plaintext"
)

// toolCall is a call as OpenAI writes it. Only streams have the index.
type toolCall struct {
	Index    *int       `json:"index,omitempty"`
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Function calledTool `json:"function"`
}

// calledTool names the function of a call, and has its arguments as a text.
type calledTool struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}

// chatCall returns a call of an earlier reply as the model is shown it; at is where its fields stand, for errors.
func (c *calledTool) chatCall(at string) (chat.ToolCall, error) {
	arguments := []byte(c.Arguments)
	switch {
	case c.Name == "":
		return chat.ToolCall{}, invalid(at+".name", "%s.name: is missing", at)
	case !json.Valid(arguments):
		return chat.ToolCall{}, invalid(at+".arguments", "%s.arguments: the arguments of %s are not JSON", at, c.Name)
	}
	if err := plaintext.Escapes(arguments); err != nil {
		return chat.ToolCall{}, invalid(at+".arguments", "%s.arguments: the arguments of %s: %v", at, c.Name, err)
	}
	return chat.ToolCall{Name: c.Name, Arguments: arguments}, nil
}

// tools are what a request offers to the model.
type tools []tool

// Limit implements strict.Limited.
func (tools) Limit() *limits.Limit { return limits.Tools }

// tool is a function that the model may call.
type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"` // the schema of its arguments; none if it takes none
		Strict      *bool           `json:"strict,omitempty"`     // calls that must be made follow the schema anyway
	} `json:"function"`

	raw json.RawMessage // as the model is shown it
}

// ReadStrictly implements strict.Reader.
func (t *tool) ReadStrictly(raw []byte, at string) error {
	type fields tool
	err := strict.Read(raw, at, (*fields)(t))
	switch p := t.Function.Parameters; {
	case err != nil:
		return err
	case t.Type != "function":
		return strict.Wrong(at+".type", "%q must be function", t.Type)
	case t.Function.Name == "":
		return strict.Wrong(at+".function.name", "is missing")
	case p != nil && !bytes.HasPrefix(p, []byte("{")):
		return strict.Wrong(at+".function.parameters", "must be an object")
	}
	t.raw = bytes.Clone(raw)
	return nil
}

// toolChoice says whether the reply calls tools: "none", "auto", "required", "" for what is usual; or which one.
type toolChoice struct{ mode, name string }

// ReadStrictly implements strict.Reader. A function that is named is required.
func (c *toolChoice) ReadStrictly(raw []byte, at string) error {
	if json.Unmarshal(raw, &c.mode) == nil && slices.Contains([]string{"auto", "none", "required"}, c.mode) {
		return nil
	}
	var one struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if bytes.HasPrefix(raw, []byte("{")) {
		if err := strict.Read(raw, at, &one); err != nil {
			return err
		}
	}
	if one.Type != "function" || one.Function.Name == "" {
		return strict.Wrong(at, `%.100s must be "none", "auto", "required" or `+
			`{"type": "function", "function": {"name": NAME}}`, raw)
	}
	c.mode, c.name = "required", one.Function.Name
	return nil
}

// String says which call is demanded, for errors.
func (c toolChoice) String() string {
	if c.name != "" {
		return fmt.Sprintf("of %q", c.name)
	}
	return c.mode
}

// callable returns the tools that the model is shown, and how it calls them; both are nil if the reply calls none.
// Where the reply has to be a call, it sets the request's grammar so that it must be one.
func (r *chatRequest) callable(ctx context.Context, m *model) ([]tool, *chat.Calls, error) {
	choice := cmp.Or(r.ToolChoice.mode, "auto")
	if choice == "none" || len(r.Tools) == 0 && choice == "auto" {
		return nil, nil, nil
	}
	calls := m.vocabulary.Calls()
	shapes, err := r.shapes()
	switch {
	case err != nil:
		return nil, nil, err
	case calls == nil:
		return nil, nil, invalid("tools", "how %s writes calls of tools is not known: this server reads those of Qwen "+
			"(Hermes) and of Llama from 3.1 on", m.id)
	case choice == "auto":
		return r.Tools, calls, nil
	case len(shapes) > 0:
		return nil, nil, invalid("tool_choice", "tool_choice %s and %s both say what the reply must be: leave one out",
			r.ToolChoice, shapes[0].field)
	}
	var wanted []tool
	for i, t := range r.Tools {
		if name := r.ToolChoice.name; name != "" && t.Function.Name != name {
			continue
		}
		if t.Function.Parameters != nil {
			at := fmt.Sprintf("tools[%d].function.parameters", i)
			if _, err := compileSchema(ctx, t.Function.Parameters, at); err != nil {
				return nil, nil, err
			}
		}
		wanted = append(wanted, t)
	}
	if len(wanted) == 0 {
		return nil, nil, invalid("tool_choice", "tool_choice %s: there is no such tool among the %d of the request",
			r.ToolChoice, len(r.Tools))
	}
	r.Grammar, err = oneCall(ctx, wanted, calls)
	return r.Tools, calls, err
}

// oneCall returns the grammar of a reply that is one call of one of these tools. Their schemas become definitions of
// one schema, in which their own references lead to where they stand now.
func oneCall(ctx context.Context, tools []tool, calls *chat.Calls) (string, error) {
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
	grammar, err := schema.Within(ctx, calls.Before, []byte(object(`"anyOf":[`+strings.Join(forms, ",")+"]",
		`"$defs":`+object(definitions...))), calls.After)
	if err == nil {
		err = llamacpp.CheckGrammar(grammar)
	}
	return grammar, ofField(err, "tools")
}

// reference matches where a schema refers to a part of itself.
var reference = regexp.MustCompile(`("\$ref"\s*:\s*")#`)

// divide separates the calls in a reply from its text. Beside calls the text is nil if it is empty. The IDs of calls
// are hashed from the reply's, so that equal requests get equal ones.
func (f *chatForm) divide(index int, tokens []Token, finish string) (*string, []toolCall, string) {
	text := joinTexts(tokens)
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
	tokens [][]Token // of each choice so far
}

// part implements form: it keeps the token, and writes nothing.
func (g *gathered) part(choice, _ int, t Token) any {
	g.tokens[choice] = append(g.tokens[choice], t)
	return nil
}

// last implements form: it writes the whole choice, and then what ends it. Streams number the calls of a reply.
func (g *gathered) last(choice int, finish string) []any {
	content, calls, finish := g.divide(choice, g.tokens[choice], finish)
	for i := range calls {
		calls[i].Index = &i
	}
	all := chatChoice{Index: choice, Delta: &chatDelta{Content: content, ToolCalls: calls},
		Logprobs: g.logprobs(g.tokens[choice])}
	return append([]any{all}, g.chatForm.last(choice, finish)...)
}
