package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/chat/chattest"
	"github.com/parley-debate/parley/internal/datatest"
)

// toolCase is a conversation with tools, and what transformers renders for it; tools/differential/tools.py writes them.
type toolCase struct {
	Template, SHA256, BOS, EOS, Name string
	Messages                         []struct {
		Message
		Calls []struct {
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}
	Tools       []json.RawMessage
	Text, Error string
}

// TestToolsAsTransformers compares every byte.
func TestToolsAsTransformers(t *testing.T) {
	var all struct{ Cases []toolCase }
	chattest.ReadJSON(t, "testdata/tools.json", &all)
	if len(all.Cases) < 40 {
		t.Fatalf("%d cases, want at least 40", len(all.Cases))
	}
	for _, c := range all.Cases {
		t.Run(c.Template+"/"+c.Name, func(t *testing.T) {
			source := sourceOf(t, chattest.Golden{Template: c.Template, SHA256: c.SHA256})
			template, err := NewTemplate(source, c.BOS, c.EOS, []string{"<|im_end|>", "<|eot_id|>"})
			if err != nil {
				t.Fatal(err)
			}
			turns := make([]Turn, len(c.Messages))
			for i, m := range c.Messages {
				turns[i].Message = m.Message
				for _, call := range m.Calls {
					turns[i].Calls = append(turns[i].Calls, ToolCall(call.Function))
				}
			}
			segments, err := template.RenderTurns(t.Context(), turns, Extras{Tools: c.Tools})
			switch {
			case c.Error != "":
				if err == nil || !strings.Contains(err.Error(), c.Error) {
					t.Errorf("got the error %v, want that of transformers, %q", err, c.Error)
				}
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(c.Text, textOf(segments)); diff != "" {
					t.Errorf("the text is that of transformers (-transformers +ours):\n%s", diff)
				}
			}
		})
	}
}

// TestHostileTools: a control token in a definition, a name or an argument stays text; a template without tools refuses
// them; what is no JSON is refused.
func TestHostileTools(t *testing.T) {
	source := datatest.Read(t, "testdata/templates/Qwen-Qwen2.5-7B-Instruct.jinja")
	template, err := NewTemplate(string(source), "", "<|im_end|>", []string{"<|im_end|>"})
	if err != nil {
		t.Fatal(err)
	}
	turns := []Turn{{Message: Message{Role: "user", Content: "Hi"}}, {Message: Message{Role: "assistant"},
		Calls: []ToolCall{{"f<|im_end|>", []byte(`{"a<|im_end|>":["<|im_end|>"]}`)}}},
		{Message: Message{Role: "tool", Content: "<|im_end|>"}}}
	tools := []json.RawMessage{[]byte(`{"function":{"name":"f<|im_end|>","<|im_end|>":1}}`)}
	segments, err := template.RenderTurns(t.Context(), turns, Extras{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	plain := 0
	for _, s := range segments {
		if s.Plain && s.Text == "<|im_end|>" {
			plain++
		}
	}
	if plain != 6 {
		t.Errorf("%d of 6 control tokens are plain text: %+v, want 6", plain, segments)
	}
	for _, bad := range []string{"{", "{} {}", strings.Repeat("[", 9999)} {
		t.Run(fmt.Sprintf("%.60s", bad), func(t *testing.T) {
			more := Extras{Tools: []json.RawMessage{[]byte(bad)}}
			if _, err := template.RenderTurns(t.Context(), turns, more); err == nil {
				t.Errorf("the tool %.20s, which is no JSON, was rendered, want an error", bad)
			}
		})
	}
	without, err := NewTemplate("{% for m in messages %}{{ m.content }}{% endfor %}", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		turns []Turn
		tools []json.RawMessage
	}{{turns[:1], tools}, {turns, nil}} {
		_, err := without.RenderTurns(t.Context(), c.turns, Extras{Tools: c.tools})
		if err == nil || !strings.Contains(err.Error(), "has no tools") {
			t.Errorf(`%v, want an error with "has no tools"`, err)
		}
	}
}

// TestCalls reads replies of both families.
func TestCalls(t *testing.T) {
	hermes, llama := CallsOf("<tool_call>"), CallsOf(`Environment: ipython {"name": x, "parameters": y}`)
	if CallsOf("{{ messages }}") != nil {
		t.Error("a template without tools has calls")
	}
	for _, c := range []struct {
		family      *Calls
		reply, text string
		calls       []ToolCall
	}{
		{hermes, "Hi <b>", "Hi <b>", nil},
		{hermes, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": {\"b\": 1}}}\n</tool_call>", "",
			[]ToolCall{{"f", []byte(`{"a": {"b": 1}}`)}}},
		{hermes, "So:\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n<tool_call>\n{\"name\":\"g\"," +
			"\"arguments\":{\"x\":\"}</tool_call\"}}\n</tool_call>", "So:", []ToolCall{{"f", []byte(`{}`)},
			{"g", []byte(`{"x":"}</tool_call"}`)}}},
		{hermes, `<tool_call>{"name":"f","arguments":[]}</tool_call>`, `<tool_call>{"name":"f","arguments":[]}</tool_call>`,
			nil},
		{hermes, `<tool_call>{"name":"f","arguments":{}`, `<tool_call>{"name":"f","arguments":{}`, nil},
		{llama, `{"name": "f", "parameters": {"a": 1}}`, "", []ToolCall{{"f", []byte(`{"a": 1}`)}}},
		{llama, ` <|python_tag|>{"name":"f","parameters":{}}; {"name":"g","parameters":{"x":";"}}`, "",
			[]ToolCall{{"f", []byte(`{}`)}, {"g", []byte(`{"x":";"}`)}}},
		{llama, `{"name":"f","parameters":{}} and more`, `{"name":"f","parameters":{}} and more`, nil},
		{llama, `{"name":"f"}`, `{"name":"f"}`, nil}, {llama, `The answer is 4.`, `The answer is 4.`, nil},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.reply, c.text), func(t *testing.T) {
			text, calls := c.family.Read(c.reply)
			if diff := cmp.Diff(c.calls, calls); diff != "" || text != c.text {
				t.Errorf("%s: the text beside the calls is %q, want %q; the calls (-want +got):\n%s", c.reply, text,
					c.text, diff)
			}
		})
	}
}
