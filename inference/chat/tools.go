package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/inference/chat/jinja"
)

// ToolCall is a call of a tool. Arguments are a JSON object.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
}

// Turn is a message of a conversation with other programs: its speaker may have a name, one of the assistant may call
// tools, and those of the role "tool" are what calls returned.
type Turn struct {
	Message
	Name  string // "" for none; most templates have no place for it
	Calls []ToolCall
}

// ErrVariables is the error of variables that a template is not given.
var ErrVariables = errors.New("variables of the chat template")

// Extras are what a template is given besides a conversation.
type Extras struct {
	Tools     []json.RawMessage // that the reply may call, each the JSON object of OpenAI's field tools
	Variables json.RawMessage   // an object with variables of the template, such as enable_thinking; nil for none
}

// RenderTurns writes a conversation like Render, with names, tools, the calls of earlier replies, and variables. Keys
// stay in their order, as in transformers. It refuses tools of a template that has none, and variables that it does not
// read. Where tools are involved, a last message of the assistant is not continued.
func (t *Template) RenderTurns(ctx context.Context, turns []Turn, more Extras) ([]Segment, error) {
	messages, calling := make([]turn, len(turns)), false
	for i, one := range turns {
		messages[i] = turn{Message: one.Message, name: one.Name}
		for _, c := range one.Calls {
			arguments, err := readOrdered(c.Arguments)
			if err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
			}
			messages[i].calls = append(messages[i].calls, dict("type", "function", "function", dict("name", c.Name,
				"arguments", arguments)))
		}
		calling = calling || len(one.Calls) > 0
	}
	r, err := t.given(more)
	if err != nil {
		return nil, err
	}
	r.continued = endsBegun(messages) && len(more.Tools) == 0 && !calling && !slices.ContainsFunc(turns,
		func(t Turn) bool { return t.Role == "tool" })
	segments, err := t.render(ctx, messages, r)
	if err != nil {
		return nil, err
	}
	lost := func(messages []turn, tools []any) bool { // what a rendering without it lacks
		bare := r
		bare.tools = tools
		without, err := t.render(ctx, messages, bare)
		return err == nil && whole(segments) == whole(without)
	}
	if len(more.Tools) > 0 && lost(messages, nil) || calling && lost(withoutCalls(messages), r.tools) {
		return nil, errors.New("the model's chat template has no tools: leave tools and their calls out, or use " +
			"another model")
	}
	return segments, nil
}

// given reads what a template is given besides a conversation.
func (t *Template) given(more Extras) (rendering, error) {
	r := rendering{generation: true}
	for i, text := range more.Tools {
		tool, err := readOrdered(text)
		if err != nil {
			return r, fmt.Errorf("tool %d: %w", i, err)
		}
		r.tools = append(r.tools, tool)
	}
	if more.Variables == nil {
		return r, nil
	}
	value, err := readOrdered(more.Variables)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrVariables, err)
	}
	variables, ok := value.(*jinja.Dict)
	if !ok {
		return r, fmt.Errorf("%w: must be an object", ErrVariables)
	}
	for _, p := range variables.Pairs() {
		switch name := p.Key.(string); {
		case slices.Contains(reserved, name):
			return r, fmt.Errorf("%w: %q follows from the conversation: leave it out", ErrVariables, name)
		case t != nil && !t.reads(name):
			return r, fmt.Errorf("%w: the model's chat template does not read %q: leave it out", ErrVariables, name)
		}
	}
	r.variables = variables
	return r, nil
}

// reads reports whether the template names a variable.
func (t *Template) reads(variable string) bool {
	return slices.Contains(strings.FieldsFunc(t.source, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), variable)
}

// reserved are the variables that render sets.
var reserved = []string{"messages", "add_generation_prompt", "bos_token", "eos_token", "tools", "documents"}

func withoutCalls(turns []turn) []turn {
	turns = slices.Clone(turns)
	for i := range turns {
		turns[i].calls = nil
	}
	return turns
}

// whole returns the text of a prompt, to compare prompts whatever they are cut into.
func whole(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// dict returns an object of names and values.
func dict(namesAndValues ...any) *jinja.Dict {
	var pairs []jinja.Pair
	for i := 0; i < len(namesAndValues); i += 2 {
		pairs = append(pairs, jinja.Pair{Key: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return jinja.NewDict(pairs...)
}

// deepestNesting bounds how deep the values of tools are nested.
const deepestNesting = 100

// readOrdered reads JSON; objects keep the order of their keys.
func readOrdered(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := orderedValue(d, 0)
	if err == nil {
		if _, err := d.Token(); err != io.EOF {
			return nil, errors.New("there is something behind its JSON value")
		}
	}
	return value, err
}

// orderedValue reads one value. Whole numbers become int, so that templates print them without a point.
func orderedValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > deepestNesting {
		return nil, fmt.Errorf("values are nested over %d deep", deepestNesting)
	}
	switch token := token.(type) {
	case json.Number:
		if n, err := token.Int64(); err == nil {
			return int(n), nil
		}
		return token.Float64()
	case json.Delim:
		var items []any
		for d.More() {
			item, err := orderedValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if token == '{' {
			return dict(items...), nil
		}
		return append([]any{}, items...), nil
	}
	return token, nil
}

// texts visits all texts in a value, those of keys among them, and returns it with what visit makes of them.
func texts(value any, visit func(string) string) any {
	switch v := value.(type) {
	case string:
		return visit(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = texts(item, visit)
		}
		return list
	case *jinja.Dict:
		var pairs []any
		for _, p := range v.Pairs() {
			pairs = append(pairs, visit(p.Key.(string)), texts(p.Value, visit))
		}
		return dict(pairs...)
	}
	return value
}
