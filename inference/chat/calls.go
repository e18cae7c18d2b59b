package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Calls reads the calls of tools in replies of one family of models.
type Calls func(reply string) (text string, calls []ToolCall)

// CallsOf is how the models that a chat template is for write calls, nil if that is not known: Qwen and others after
// Hermes, each as an object between <tool_call> and </tool_call>; Llama from 3.1 on, as a reply that is nothing but
// objects with "name" and "parameters", and semicolons between them.
func CallsOf(template string) Calls {
	switch {
	case strings.Contains(template, "<tool_call>") && !strings.Contains(template, "<function="):
		return hermesCalls
	case strings.Contains(template, "ipython") && strings.Contains(template, `"parameters"`):
		return llamaCalls
	}
	return nil
}

var hermesCall = regexp.MustCompile(`(?s)<tool_call>\s*(\{.*?\})\s*</tool_call>`)

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

func callable(name string, arguments json.RawMessage) bool {
	var object map[string]json.RawMessage
	return name != "" && json.Unmarshal(arguments, &object) == nil && object != nil
}
