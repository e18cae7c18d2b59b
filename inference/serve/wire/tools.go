package wire

import (
	"bytes"
	"cmp"
	"context"
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

// ToolCall is a call as OpenAI writes it. Only streams have the index.
type ToolCall struct {
	Index    *int       `json:"index,omitempty"`
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Function CalledTool `json:"function"`
}

// CalledTool names the function of a call, and has its arguments as a text.
type CalledTool struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}

// chatCall returns a call of an earlier reply as the model is shown it; at is where its fields stand, for errors.
func (c *CalledTool) chatCall(at string) (chat.ToolCall, error) {
	arguments := []byte(c.Arguments)
	switch {
	case c.Name == "":
		return chat.ToolCall{}, Invalid(at+".name", "%s.name: is missing", at)
	case !json.Valid(arguments):
		return chat.ToolCall{}, Invalid(at+".arguments", "%s.arguments: the arguments of %s are not JSON", at, c.Name)
	}
	if err := plaintext.Escapes(arguments); err != nil {
		return chat.ToolCall{}, Invalid(at+".arguments", "%s.arguments: the arguments of %s: %v", at, c.Name, err)
	}
	return chat.ToolCall{Name: c.Name, Arguments: arguments}, nil
}

// Tools are what a request offers to the model.
type Tools []Tool

// Limit implements strict.Limited.
func (Tools) Limit() *limits.Limit { return limits.Tools }

// Tool is a function that the model may call.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"` // the schema of its arguments; none if it takes none
		Strict      *bool           `json:"strict,omitempty"`     // calls that must be made follow the schema anyway
	} `json:"function"`

	Raw json.RawMessage `json:"-"` // as the model is shown it

	within string // where its fields stand: "" beside the type
}

// ReadStrictly implements strict.Reader.
func (t *Tool) ReadStrictly(raw []byte, at string) error {
	type fields Tool
	if err := strict.Read(raw, at, (*fields)(t)); err != nil {
		return err
	}
	t.Raw, t.within = bytes.Clone(raw), ".function"
	return t.check(at)
}

// check refuses a tool that is no function, or lacks something.
func (t *Tool) check(at string) error {
	switch p := t.Function.Parameters; {
	case t.Type != "function":
		return strict.Wrong(at+".type", "%q must be function", t.Type)
	case t.Function.Name == "":
		return strict.Wrong(at+t.within+".name", "is missing")
	case p != nil && !bytes.HasPrefix(p, []byte("{")):
		return strict.Wrong(at+t.within+".parameters", "must be an object")
	}
	return nil
}

// toolChoice says whether the reply calls tools: "none", "auto", "required", "" for what is usual; or which one.
type toolChoice struct{ Mode, Name string }

// ReadStrictly implements strict.Reader. A function that is named is required.
func (c *toolChoice) ReadStrictly(raw []byte, at string) error {
	if json.Unmarshal(raw, &c.Mode) == nil && slices.Contains([]string{"auto", "none", "required"}, c.Mode) {
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
	c.Mode, c.Name = "required", one.Function.Name
	return nil
}

// String says which call is demanded, for errors.
func (c toolChoice) String() string {
	if c.Name != "" {
		return fmt.Sprintf("of %q", c.Name)
	}
	return c.Mode
}

// Callable returns the tools that the model is shown, and how it calls them; both are nil if the reply calls none.
// Where the reply has to be a call, it sets the request's grammar so that it must be one.
func (r *ChatRequest) Callable(ctx context.Context, calls *chat.Calls, model string) ([]Tool, *chat.Calls, error) {
	choice := cmp.Or(r.ToolChoice.Mode, "auto")
	if choice == "none" || len(r.Tools) == 0 && choice == "auto" {
		return nil, nil, nil
	}
	shapes, err := r.shapes()
	switch {
	case err != nil:
		return nil, nil, err
	case calls == nil:
		return nil, nil, Invalid("tools", "how %s writes calls of tools is not known: this server reads those of Qwen "+
			"(Hermes) and of Llama from 3.1 on", model)
	case choice == "auto":
		return r.Tools, calls, nil
	case len(shapes) > 0:
		return nil, nil, Invalid("tool_choice", "tool_choice %s and %s both say what the reply must be: leave one out",
			r.ToolChoice, shapes[0].field)
	}
	var wanted []Tool
	for i, t := range r.Tools {
		if name := r.ToolChoice.Name; name != "" && t.Function.Name != name {
			continue
		}
		if t.Function.Parameters != nil {
			at := fmt.Sprintf("tools[%d]%s.parameters", i, t.within)
			if _, err := compileSchema(ctx, t.Function.Parameters, at); err != nil {
				return nil, nil, err
			}
		}
		wanted = append(wanted, t)
	}
	if len(wanted) == 0 {
		return nil, nil, Invalid("tool_choice", "tool_choice %s: there is no such tool among the %d of the request",
			r.ToolChoice, len(r.Tools))
	}
	r.Grammar, err = oneCall(ctx, wanted, calls)
	return r.Tools, calls, err
}

// oneCall returns the grammar of a reply that is one call of one of these tools. Their schemas become definitions of
// one schema, in which their own references lead to where they stand now.
func oneCall(ctx context.Context, tools []Tool, calls *chat.Calls) (string, error) {
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
