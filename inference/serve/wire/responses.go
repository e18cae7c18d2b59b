package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
)

// ResponsesRequest is a body of /v1/responses. It becomes a ChatRequest: the two protocols ask for the same replies in
// other words.
type ResponsesRequest struct {
	Common
	inference.Chosen
	Input             input              `json:"input"`
	Instructions      string             `json:"instructions"`
	Include           []string           `json:"include"`
	MaxOutputTokens   *int               `json:"max_output_tokens"`
	ParallelToolCalls *bool              `json:"parallel_tool_calls"`
	Seed              *int64             `json:"seed"`
	Stream            bool               `json:"stream"`
	Text              *responseText      `json:"text"`
	ToolChoice        responseToolChoice `json:"tool_choice"`
	Tools             responseTools      `json:"tools"`
	TopLogprobs       *int               `json:"top_logprobs"`
	User              string             `json:"user"`

	Store        bool            `json:"store"`
	Background   bool            `json:"background"`
	Previous     string          `json:"previous_response_id"`
	Conversation json.RawMessage `json:"conversation"`
}

// Besides implements strict.Besides.
func (ResponsesRequest) Besides() map[string][]string {
	all := maps.Clone(besides)
	maps.Copy(all, map[string][]string{"truncation": {`"disabled"`}, "reasoning": {"{}"}, "max_tool_calls": {},
		"prompt": {}, "stream_options": {`{"include_obfuscation":false}`}})
	return all
}

// responseText says what form the text of a reply has.
type responseText struct {
	Format *struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      *bool           `json:"strict"`
	} `json:"format"`
}

// Besides implements strict.Besides.
func (responseText) Besides() map[string][]string {
	return map[string][]string{"verbosity": {`"medium"`}}
}

// input is the conversation so far: a text, or items.
type input []item

// Limit implements strict.Limited.
func (input) Limit() *limits.Limit { return limits.Messages }

// ReadStrictly implements strict.Reader.
func (in *input) ReadStrictly(raw []byte, at string) error {
	if bytes.HasPrefix(raw, []byte("[")) {
		return strict.Read(raw, at, (*items)(in))
	}
	text := new(itemContent)
	if err := text.ReadStrictly(raw, at); err != nil {
		return err
	}
	*in = input{{Role: "user", Content: text}}
	return nil
}

// items are read like input where it is a list.
type items []item

// Limit implements strict.Limited.
func (items) Limit() *limits.Limit { return limits.Messages }

// item is a message, a call of a function, or what a call returned. Items of earlier replies come back as they were.
type item struct {
	Type      string       `json:"type"`
	Role      string       `json:"role"`
	Content   *itemContent `json:"content"`
	CallID    string       `json:"call_id"`
	Name      string       `json:"name"`
	Arguments string       `json:"arguments"`
	Output    *itemContent `json:"output"`
}

// Besides implements strict.Besides.
func (item) Besides() map[string][]string {
	return map[string][]string{"id": anything, "status": anything, "summary": anything, "encrypted_content": anything}
}

// itemContent is a text, or a list of parts that are texts.
type itemContent string

// ReadStrictly implements strict.Reader.
func (c *itemContent) ReadStrictly(raw []byte, at string) error {
	if json.Unmarshal(raw, (*string)(c)) == nil {
		return nil
	}
	var list itemParts
	if err := strict.Read(raw, at, &list); err != nil {
		return err
	}
	texts := make([]string, len(list))
	for i, p := range list {
		if !slices.Contains([]string{"input_text", "output_text", "text", "reasoning_text"}, p.Type) {
			return strict.Wrong(fmt.Sprintf("%s[%d].type", at, i), "%q: this server reads parts of type input_text "+
				"and output_text alone", p.Type)
		}
		texts[i] = p.Text
	}
	*c = itemContent(strings.Join(texts, "\n"))
	return nil
}

// itemParts are the texts of an item.
type itemParts []itemPart

// Limit implements strict.Limited.
func (itemParts) Limit() *limits.Limit { return limits.Parts }

// itemPart is one of the texts of an item.
type itemPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Besides implements strict.Besides.
func (itemPart) Besides() map[string][]string {
	return map[string][]string{"annotations": anything, "logprobs": anything}
}

// responseToolChoice is a toolChoice whose function is named without an object of its own.
type responseToolChoice struct{ toolChoice }

// ReadStrictly implements strict.Reader.
func (c *responseToolChoice) ReadStrictly(raw []byte, at string) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return c.toolChoice.ReadStrictly(raw, at)
	}
	var one struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := strict.Read(raw, at, &one); err != nil {
		return err
	}
	if one.Type != "function" || one.Name == "" {
		return strict.Wrong(at, `%.100s must be "none", "auto", "required" or {"type": "function", "name": NAME}`, raw)
	}
	c.Mode, c.Name = "required", one.Name
	return nil
}

// responseTools are tools of which each is a function whose fields stand beside its type.
type responseTools []responseTool

// Limit implements strict.Limited.
func (responseTools) Limit() *limits.Limit { return limits.Tools }

// responseTool is a function that the model may call.
type responseTool struct {
	Tool
	Given json.RawMessage // as the client wrote it
}

// ReadStrictly implements strict.Reader.
func (t *responseTool) ReadStrictly(raw []byte, at string) error {
	var kind struct{ Type string }
	if _ = json.Unmarshal(raw, &kind); kind.Type != "" && kind.Type != "function" {
		return strict.Wrong(at+".type", "%q: this server has no tools of its own: must be function", kind.Type)
	}
	var flat struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	}
	if err := strict.Read(raw, at, &flat); err != nil {
		return err
	}
	t.Given = bytes.Clone(raw)
	t.Type, t.Function.Name, t.Function.Description = flat.Type, flat.Name, flat.Description
	t.Function.Parameters = flat.Parameters
	shown, err := Compact(t.Tool)
	if err != nil {
		return strict.Wrong(at, "%v", err)
	}
	t.Raw = shown
	return t.check(at)
}

// ChatRequest returns the same request in the words of /v1/chat/completions.
func (r *ResponsesRequest) ChatRequest() (*ChatRequest, error) {
	const whole = "send the whole conversation in input"
	switch {
	case r.Store:
		return nil, Invalid("store", "store: this server keeps no responses: leave it out, or set it to false, and %s",
			whole)
	case r.Previous != "":
		return nil, Invalid("previous_response_id", "previous_response_id: this server keeps no responses: %s", whole)
	case r.Conversation != nil:
		return nil, Invalid("conversation", "conversation: this server keeps no conversations: %s", whole)
	case r.Background:
		return nil, Invalid("background", "background: this server answers while the client waits: leave it out")
	}
	c := &ChatRequest{Settings: Settings{Common: r.Common, Chosen: r.Chosen, Seed: r.Seed, MaxTokens: r.MaxOutputTokens,
		Stream: r.Stream, User: r.User, Fields: Fields{"input", "max_output_tokens"}}, TopLogprobs: r.TopLogprobs,
		ToolChoice: r.ToolChoice.toolChoice, ParallelToolCalls: r.ParallelToolCalls}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, t.Tool)
	}
	for i, name := range r.Include {
		switch name {
		case "message.output_text.logprobs":
			c.Logprobs = true
		case "reasoning.encrypted_content": // reasoning is given as it is
		default:
			at := fmt.Sprintf("include[%d]", i)
			return nil, Invalid(at, "%s: %q is not supported by this server: leave it out", at, name)
		}
	}
	if r.TopLogprobs != nil && *r.TopLogprobs > 0 {
		c.Logprobs = true
	}
	if r.Text != nil && r.Text.Format != nil {
		f := r.Text.Format
		c.ResponseFormat = &responseFormat{Type: f.Type, in: "text.format"}
		if f.Type == "json_schema" {
			c.ResponseFormat.JSONSchema = &namedSchema{Schema: f.Schema}
		}
	}
	return c, nil
}

// Turns returns the conversation of the input, with the instructions before it.
func (r *ResponsesRequest) Turns() (list []chat.Turn, err error) {
	if len(r.Input) == 0 {
		return nil, Invalid("input", "input is missing or empty")
	}
	if r.Instructions != "" {
		list = append(list, chat.Turn{Message: chat.Message{Role: "system", Content: r.Instructions}})
	}
	for i, it := range r.Input {
		at := fmt.Sprintf("input[%d]", i)
		switch it.Type {
		case "", "message":
			if it.Role == "developer" {
				it.Role = "system"
			}
			m := message{Role: it.Role, Content: (*content)(it.Content)}
			if err := m.check(at); err != nil {
				return nil, err
			}
			list = append(list, chat.Turn{Message: chat.Message{Role: it.Role, Content: string(*it.Content)}})
		case "function_call":
			call, err := (&CalledTool{it.Name, it.Arguments}).chatCall(at)
			if err != nil {
				return nil, err
			}
			if last := len(list) - 1; last < 0 || list[last].Role != "assistant" {
				list = append(list, chat.Turn{Message: chat.Message{Role: "assistant"}})
			}
			last := &list[len(list)-1]
			last.Calls = append(last.Calls, call)
		case "function_call_output":
			if it.Output == nil {
				return nil, Invalid(at+".output", "%s.output: is missing", at)
			}
			list = append(list, chat.Turn{Message: chat.Message{Role: "tool", Content: string(*it.Output)}})
		case "reasoning": // of an earlier reply: as in messages, it is not shown to the model
		default:
			return nil, Invalid(at+".type", "%s.type: %q must be message, function_call, function_call_output or "+
				"reasoning", at, it.Type)
		}
	}
	return list, nil
}
