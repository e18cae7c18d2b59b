package serve

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestTools: the embedded model with Qwen's chat template is shown tools, and a grammar has it call one. The reply has
// the call, whole or as a stream; the conversation goes on with what the call returned. Each part of it is in the
// prompt, since its length changes with it.
func TestTools(t *testing.T) {
	path := modeltest.Embedded(t)
	content := datatest.Read(t, path)
	template := datatest.Read(t, "../chat/testdata/templates/Qwen-Qwen2.5-7B-Instruct.jinja")
	path = filepath.Join(t.TempDir(), "tools.gguf")
	content = modeltest.Parse(content).Set("tokenizer.chat_template", string(template)).Bytes()
	datatest.Write(t, path, content)
	s := startOn(t, path, []string{"tools"})
	toolsAreChosen(t, s)
	type answer struct {
		Choices []struct {
			Message struct {
				Content   *string         `json:"content"`
				ToolCalls []wire.ToolCall `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
		Usage usage
	}
	ask := func(messages, fields string) (a answer) {
		t.Helper()
		s.ok(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"What is 2+2?"}`+messages+
			`],"temperature":0,"max_tokens":200`+fields+`}`, &a)
		return a
	}
	const tools = `,"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}]`
	grammar, _ := json.Marshal(`root ::= "So: <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>"`)
	calling := tools + `,"grammar":` + string(grammar)
	plain, called := ask("", ""), ask("", calling)
	c := called.Choices[0]
	if len(c.Message.ToolCalls) != 1 || *c.Message.Content != "So:" || c.FinishReason != "tool_calls" {
		t.Fatalf("a call of a tool ends the reply, behind the text before it: got %+v", c)
	}
	call := c.Message.ToolCalls[0]
	if call.Function != (wire.CalledTool{Name: "add", Arguments: `{"a": 2}`}) || call.Type != "function" ||
		len(call.ID) != 29 {
		t.Errorf(`the call is add of {"a": 2}, with an id of its own: got %+v`, call)
	}
	twice, _ := json.Marshal(`root ::= ("<tool_call>\n{\"name\": \"add\", \"arguments\": {}}\n</tool_call>"){2}`)
	for fields, want := range map[string]int{"": 2, `,"parallel_tool_calls":true`: 2,
		`,"parallel_tool_calls":false`: 1} {
		t.Run(fields, func(t *testing.T) {
			several := ask("", tools+`,"grammar":`+string(twice)+fields)
			if got := several.Choices[0].Message.ToolCalls; len(got) != want {
				t.Errorf("%s: %d calls, want %d", fields, len(got), want)
			}
		})
	}
	none := ask("", tools+`,"tool_choice":"none"`)
	again, _ := json.Marshal(c.Message)
	returned := `,` + strings.Replace(string(again), `{`, `{"role":"assistant",`, 1)
	went := ask(returned+`,{"role":"tool","tool_call_id":"x","content":"4"}`, tools)
	if p, n, d, w := plain.Usage.PromptTokens, none.Usage.PromptTokens, called.Usage.PromptTokens,
		went.Usage.PromptTokens; n != p || d < p+50 || w < d+10 {
		t.Errorf("prompts of %d tokens, with no tools called %d, with tools %d and with a result %d; want the second "+
			"as the first, 50 more, and 10 more than that", p, n, d, w)
	}
	status, text := s.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"What is 2+2?"}],`+
		`"temperature":0,"max_tokens":200,"stream":true`+calling+`}`)
	events := strings.Split(text, "\n\n")
	if status != http.StatusOK || len(events) != 5 || !strings.Contains(events[2], `"finish_reason":"tool_calls"`) {
		t.Fatalf("a streamed call comes in 5 events, whose third says how it ended: got %d %s", status, text)
	}
	var chunk struct {
		Choices []struct {
			Delta struct {
				Content   string
				ToolCalls []wire.ToolCall `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(events[1], "data: ")), &chunk); err != nil {
		t.Fatal(err)
	}
	zero := 0
	call.Index = &zero
	if diff := cmp.Diff([]wire.ToolCall{call}, chunk.Choices[0].Delta.ToolCalls); diff != "" ||
		chunk.Choices[0].Delta.Content != "So:" {
		t.Errorf("the text and the call come in one event: %s (-want +got):\n%s", events[1], diff)
	}
}

// toolsAreChosen: a reply that has to be a call is one, of the tool that is named or of any, with arguments that the
// tool's schema accepts.
func toolsAreChosen(t *testing.T, s *started) {
	t.Helper()
	const tools = `,"tools":[{"type":"function","function":{"name":"stop"}},{"type":"function","function":{"name":"go",
		"parameters":{"type":"object","properties":{"to":{"$ref":"#/$defs/place"}},"required":["to"],
		"$defs":{"place":{"enum":["north","south"]}}}}}]`
	ask := func(choice string) string {
		return asking("Where?", tools+`,"max_tokens":90,"seed":4,"tool_choice":`+choice)
	}
	stop := wire.CalledTool{Name: "stop", Arguments: "{}"}
	north := wire.CalledTool{Name: "go", Arguments: `{"to": "north"}`}
	south := wire.CalledTool{Name: "go", Arguments: `{"to": "south"}`}
	for choice, want := range map[string][]wire.CalledTool{
		`"required"`: {stop, north, south},
		`{"type":"function","function":{"name":"go"}}`:   {north, south},
		`{"type":"function","function":{"name":"stop"}}`: {stop},
	} {
		var a struct {
			Choices []struct {
				Message struct {
					Content   *string
					ToolCalls []wire.ToolCall `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		s.ok(t, "/v1/chat/completions", ask(choice), &a)
		m := a.Choices[0].Message
		if len(m.ToolCalls) != 1 || m.Content != nil || !slices.Contains(want, m.ToolCalls[0].Function) ||
			a.Choices[0].FinishReason != "tool_calls" {
			t.Errorf("choice %s: one call of %v and no text: got %+v", choice, want, a)
		}
	}
	for choice, want := range map[string]string{
		`{"type":"function","function":{"name":"turn"}}`: "no such tool among the 2",
		`"required","grammar":"root ::= \"x\""`:          "leave one out",
		`"required","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object",
			"properties":{"x":{"type":"string","format":"a"}}}}}]`: "format",
	} {
		body := strings.Replace(ask(choice), tools, "", strings.Count(choice, `"tools"`))
		if status, text := s.post(t, "/v1/chat/completions", body); status != http.StatusBadRequest ||
			!strings.Contains(text, want) {
			t.Errorf("choice %s: refused with %q: got %d %s", choice, want, status, text)
		}
	}
}
