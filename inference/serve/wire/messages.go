package wire

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/limits"
)

// TemplateVariables are what a request gives to the chat template besides its messages, as with vLLM.
type TemplateVariables struct {
	Variables json.RawMessage `json:"chat_template_kwargs"`
}

// Messages are a conversation.
type Messages []message

// Limit implements strict.Limited.
func (Messages) Limit() *limits.Limit { return limits.Messages }

// message is one message of a conversation, as clients send it.
type message struct {
	Role    string   `json:"role"`
	Content *content `json:"content"`
	Name    string   `json:"name"` // of the speaker; shown to the model if its chat template has a place for it

	ToolCalls []ToolCall `json:"tool_calls"`
	CallID    string     `json:"tool_call_id"` // templates tell results by their order
}

// Besides implements strict.Besides: replies of OpenAI's, of vLLM and of this server, sent back as they came, have
// these. Reasoning of earlier replies is not shown to the model, as most templates do.
func (message) Besides() map[string][]string {
	return map[string][]string{"refusal": {`""`}, "annotations": {"[]"}, "audio": {}, "function_call": {},
		"reasoning": anything, "reasoning_content": anything}
}

// Turns returns the conversation as the model is shown it. It refuses messages of which the model would not see
// everything, and those that say nothing.
func (all Messages) Turns() ([]chat.Turn, error) {
	if len(all) == 0 {
		return nil, Invalid("messages", "messages is missing or empty")
	}
	list := make([]chat.Turn, len(all))
	for i, m := range all {
		at := fmt.Sprintf("messages[%d]", i)
		if m.Role == "developer" { // OpenAI's newer name
			m.Role = "system"
		}
		if err := m.check(at); err != nil {
			return nil, err
		}
		list[i].Role, list[i].Name = m.Role, m.Name
		if m.Content != nil {
			list[i].Content = string(*m.Content)
		}
		for k, c := range m.ToolCalls {
			at := fmt.Sprintf("%s.tool_calls[%d]", at, k)
			if c.Type != "" && c.Type != "function" {
				return nil, Invalid(at+".type", "%s.type: %q must be function", at, c.Type)
			}
			call, err := c.Function.chatCall(at + ".function")
			if err != nil {
				return nil, err
			}
			list[i].Calls = append(list[i].Calls, call)
		}
	}
	return list, nil
}

// check refuses a message whose fields do not belong together; at is where it stands.
func (m *message) check(at string) error {
	switch {
	case !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role):
		return Invalid(at+".role", "%s.role: %q must be system, developer, user, assistant or tool", at, m.Role)
	case len(m.ToolCalls) > 0 && m.Role != "assistant":
		return Invalid(at+".tool_calls", "%s.tool_calls: only the assistant calls tools", at)
	case m.CallID != "" && m.Role != "tool":
		return Invalid(at+".tool_call_id", "%s.tool_call_id: only messages of the role tool have one", at)
	case m.Content == nil && len(m.ToolCalls) == 0:
		return Invalid(at+".content", "%s.content: is missing; the message has no text", at)
	}
	return nil
}
