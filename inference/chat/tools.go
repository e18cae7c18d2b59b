package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
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
			arguments, err := ordered(c.Arguments)
			if err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
			}
			calls = append(calls, dict("type", "function", "function", dict("name", c.Name, "arguments", arguments)))
		}
		r.calls = append(r.calls, calls)
	}
	for i, text := range tools {
		tool, err := ordered(text)
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

func whole(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// dict is an object of names and values.
func dict(pairs ...any) exec.Dict {
	d := exec.NewDict()
	for i := 0; i < len(pairs); i += 2 {
		d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(pairs[i]), Value: exec.AsValue(pairs[i+1])})
	}
	return *d
}

// ordered reads JSON; objects keep the order of their keys.
func ordered(text []byte) (any, error) {
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
	case exec.Dict:
		pairs := make([]any, 0, 2*len(v.Pairs))
		for _, p := range v.Pairs {
			pairs = append(pairs, visit(p.Key.String()), texts(p.Value.Interface(), visit))
		}
		return dict(pairs...)
	}
	return value
}

// python writes a value as Python's json.dumps does with ensure_ascii off, as transformers does for the filter tojson.
// Of indent blanks, none are written on one line if it is negative.
func python(value any, indent, depth int) (string, error) {
	var open, shut string
	var parts []string
	switch v := value.(type) {
	case exec.Dict:
		open, shut = "{", "}"
		for _, p := range v.Pairs {
			key, err := python(p.Key.String(), indent, depth)
			if err != nil {
				return "", err
			}
			text, err := python(p.Value.Interface(), indent, depth+1)
			if err != nil {
				return "", err
			}
			parts = append(parts, key+": "+text)
		}
	case []any:
		open, shut = "[", "]"
		for _, item := range v {
			text, err := python(item, indent, depth+1)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
	case float64:
		return pythonFloat(v), nil
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(value)
		return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", "\u007f", "\u007f").
			Replace(strings.TrimSuffix(b.String(), "\n")), err
	}
	if indent < 0 || len(parts) == 0 {
		return open + strings.Join(parts, ", ") + shut, nil
	}
	line := "\n" + strings.Repeat(" ", indent*(depth+1))
	return open + line + strings.Join(parts, ","+line) + "\n" + strings.Repeat(" ", indent*depth) + shut, nil
}

// pythonFloat is a number as Python's repr writes it.
func pythonFloat(x float64) string {
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// structured reports whether a value holds objects whose keys have an order; the filter tojson of gonja sorts them.
func structured(value any) bool {
	switch v := value.(type) {
	case exec.Dict:
		return true
	case []any:
		return len(v) > 0 && structured(v[0])
	}
	return false
}

// toJSON is the filter tojson for such values.
func toJSON(in *exec.Value, params *exec.VarArgs) *exec.Value {
	indent := -1
	if v := params.KwArgs["indent"]; v != nil && v.IsInteger() {
		indent = v.Integer()
	} else if len(params.Args) > 0 && params.Args[0].IsInteger() {
		indent = params.Args[0].Integer()
	}
	text, err := python(in.Interface(), indent, 0)
	if err != nil {
		return exec.AsValue(err)
	}
	return exec.AsSafeValue(text)
}
