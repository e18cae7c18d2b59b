package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Calls is how the models of one family write calls of tools. A reply that is one call is Before, an object whose
// fields are "name" and Arguments, and After.
type Calls struct {
	Before, After string
	Arguments     string
	// Read tells the calls in a reply from the rest of its text.
	Read func(reply string) (text string, calls []ToolCall)
}

// CallsOf returns how the models that a chat template is for write calls, nil if that is not known: Qwen and others
// after Hermes, each as an object between <tool_call> and </tool_call>; Llama from 3.1 on, as a reply that is nothing
// but objects with "name" and "parameters", and semicolons between them.
func CallsOf(template string) *Calls {
	switch {
	case strings.Contains(template, "<tool_call>") && !strings.Contains(template, "<function="):
		return &Calls{Before: "<tool_call>\n", After: "\n</tool_call>", Arguments: "arguments", Read: hermesCalls}
	case strings.Contains(template, "ipython") && strings.Contains(template, `"parameters"`):
		return &Calls{Arguments: "parameters", Read: llamaCalls}
	}
	return nil
}

var hermesCall = regexp.MustCompile(`(?s)<tool_call>\s*(\{.*?\})\s*</tool_call>`)

// hermesCalls reads calls between tags. An object that is no call stays in the text.
func hermesCalls(reply string) (text string, calls []ToolCall) {
	last := 0
	for _, at := range hermesCall.FindAllStringSubmatchIndex(reply, -1) {
		var call struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal([]byte(reply[at[2]:at[3]]), &call) != nil || !callable(call.Name, call.Arguments) {
			continue // stays text: nothing that the model wrote is lost
		}
		calls = append(calls, ToolCall(call))
		text += reply[last:at[0]]
		last = at[1]
	}
	if text += reply[last:]; len(calls) > 0 {
		text = strings.TrimSpace(text)
	}
	return text, calls
}

// llamaCalls reads a reply that is nothing but calls, with semicolons between them. Anything else makes all of it
// text: Llama's templates mark calls by nothing, so a JSON object within an answer must not become one.
func llamaCalls(reply string) (text string, calls []ToolCall) {
	for left := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(reply), "<|python_tag|>")); ; {
		d := json.NewDecoder(strings.NewReader(left))
		var call struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if d.Decode(&call) != nil || !callable(call.Name, call.Parameters) {
			return reply, nil
		}
		calls = append(calls, ToolCall{call.Name, call.Parameters})
		left = strings.TrimSpace(left[d.InputOffset():])
		if left == "" {
			return "", calls
		}
		after, more := strings.CutPrefix(left, ";")
		if !more {
			return reply, nil
		}
		left = after
	}
}

// callable reports whether a call has a name, and arguments that are an object, as clients expect them.
func callable(name string, arguments json.RawMessage) bool {
	var object map[string]json.RawMessage
	return name != "" && json.Unmarshal(arguments, &object) == nil && object != nil
}
