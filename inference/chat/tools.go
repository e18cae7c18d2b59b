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

	"github.com/parley-debate/parley/inference/chat/jinja"
)

// ToolCall is a call of a tool. Arguments are a JSON object.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
}

// Turn is a message of a conversation with tools: one of the assistant may call some, and those of the role "tool" are
// what calls returned.
type Turn struct {
	Message
	Calls []ToolCall
}

// RenderTools writes a conversation like Render, with the definitions of tools that the reply may call, each the JSON
// object of OpenAI's field tools, and the calls of earlier replies. Keys stay in their order, as in transformers. It
// refuses tools of a template that has none.
func (t *Template) RenderTools(ctx context.Context, turns []Turn, tools []json.RawMessage) ([]Segment, error) {
	messages := make([]Message, len(turns))
	r := rendering{generation: true}
	for i, turn := range turns {
		messages[i] = turn.Message
		var calls []any
		for _, c := range turn.Calls {
			arguments, err := readOrdered(c.Arguments)
			if err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
			}
			calls = append(calls, dict("type", "function", "function", dict("name", c.Name, "arguments", arguments)))
		}
		r.calls = append(r.calls, calls)
	}
	for i, text := range tools {
		tool, err := readOrdered(text)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i, err)
		}
		r.tools = append(r.tools, tool)
	}
	segments, err := t.render(ctx, messages, r)
	if err != nil {
		return nil, err
	}
	var bare []rendering
	if len(tools) > 0 {
		bare = append(bare, rendering{generation: true, calls: r.calls})
	}
	if slices.ContainsFunc(turns, func(t Turn) bool { return len(t.Calls) > 0 }) {
		bare = append(bare, rendering{generation: true, tools: r.tools})
	}
	for _, r := range bare {
		without, err := t.render(ctx, messages, r)
		if err == nil && whole(segments) == whole(without) {
			return nil, errors.New("the model's chat template has no tools: leave tools and their calls out, or use " +
				"another model")
		}
	}
	return segments, nil
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
