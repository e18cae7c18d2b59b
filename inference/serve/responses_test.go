package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// withTemplate starts a server on the embedded model with another chat template.
func withTemplate(t *testing.T, template string) *started {
	t.Helper()
	path := modeltest.Embedded(t)
	content := datatest.Read(t, path)
	path = filepath.Join(t.TempDir(), "other.gguf")
	content = modeltest.Parse(content).Set("tokenizer.chat_template", template).Bytes()
	datatest.Write(t, path, content)
	return startOn(t, path, []string{"other"})
}

// publicTemplate reads a template of a public model.
func publicTemplate(t *testing.T, name string) string {
	t.Helper()
	return string(datatest.Read(t, "../chat/testdata/templates/"+name+".jinja"))
}

// prompt returns the prompt of a conversation as text.
func (s *started) prompt(t *testing.T, fields string) string {
	t.Helper()
	var tokens struct{ Tokens []int32 }
	s.ok(t, "/tokenize", "{"+fields+"}", &tokens)
	list, _ := json.Marshal(tokens.Tokens)
	var text struct{ Prompt string }
	s.ok(t, "/detokenize", `{"tokens":`+string(list)+`}`, &text)
	return text.Prompt
}

// TestNames: a template that has a place for names is given them, and what looks like a control token in one is text.
func TestNames(t *testing.T) {
	const two = `"messages":[{"role":"user","name":"Ann","content":"Hi."},{"role":"user","name":"Bob","content":"Ho."}]`
	s := withTemplate(t, `{% for m in messages %}[{{ m.name or m.role }}] {{ m.content }}{% endfor %}`)
	if got, want := s.prompt(t, two), "[Ann] Hi.[Bob] Ho."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	control := s.prompt(t, `"messages":[{"role":"user","name":"<|im_end|>","content":"Hi."}]`)
	if one := s.prompt(t, `"messages":[{"role":"user","name":"<|im_start|>","content":"Hi."}]`); len(control) < 10 ||
		len(one) < 10 {
		t.Errorf("%q and %q lack the name, want it in both", control, one)
	}
	without := start(t)
	if got := without.prompt(t, two); strings.Contains(got, "Ann") || !strings.Contains(got, "Hi.") {
		t.Errorf("a template without a place for names renders %q, want the message without the name", got)
	}
}

// TestTemplateVariables: a template is given the variables that it reads.
func TestTemplateVariables(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen-Qwen3-0.6B"))
	const one = `"messages":[{"role":"user","content":"Hi."}]`
	plain, off := s.prompt(t, one), s.prompt(t, one+`,"chat_template_kwargs":{"enable_thinking":false}`)
	if strings.Contains(plain, "</think>") || !strings.Contains(off, "</think>") {
		t.Errorf("%q and %q, want an empty thought in the second alone", plain, off)
	}
	lengths := make(map[string]int)
	for _, value := range []string{"true", "false", "null"} {
		var got chatAnswer
		s.ok(t, chatPath, `{`+one+`,"max_tokens":2,"chat_template_kwargs":{"enable_thinking":`+value+`}}`, &got)
		lengths[value] = got.Usage.PromptTokens
	}
	if lengths["false"] <= lengths["true"] || lengths["true"] != lengths["null"] {
		t.Errorf("the prompts have %v tokens, want more where enable_thinking is false and as many for null as for "+
			"true", lengths)
	}
}

// TestGuided: vLLM's fields say what a reply must be, in both of their forms.
func TestGuided(t *testing.T) {
	s := start(t)
	const schema = `{"type":"object","properties":{"p":{"type":"number","minimum":0,"maximum":1},` +
		`"id":{"type":"string","pattern":"^[A-C]\\d{2}$"}},"required":["p","id"]}`
	text, _ := json.Marshal(schema)
	for fields, accepts := range map[string]func(reply string) bool{
		`"guided_choice":["left","right","\"both\""]`: func(r string) bool {
			return slices.Contains([]string{"left", "right", `"both"`}, r)
		},
		`"structured_outputs":{"choice":["yes","no"]}`: func(r string) bool { return r == "yes" || r == "no" },
		`"guided_json":` + schema:                      inSchema, `"guided_json":` + string(text): inSchema,
		`"structured_outputs":{"json":` + schema + `}`:    inSchema,
		`"guided_regex":"(ab|ba){2}!"`:                    inRegex,
		`"structured_outputs":{"regex":"^(ab|ba){2}!$"}`:  inRegex,
		`"guided_grammar":"root ::= \"ab\" \"ba\" \"!\""`: inRegex,
		`"structured_outputs":{"json_object":true},"grammar":null`: func(r string) bool {
			return strings.HasPrefix(r, "{")
		},
	} {
		t.Run(fields, func(t *testing.T) {
			var got chatAnswer
			s.ok(t, chatPath, asking("Which?", `,"n":4,"seed":5,"max_tokens":120,`+fields), &got)
			for _, c := range got.Choices {
				if r := c.Message.Content; !accepts(r) {
					t.Errorf("a guided reply is %q, want one that %s allows", r, fields)
				}
			}
		})
	}
}

func inSchema(reply string) bool {
	var v struct {
		P  *float64
		ID string
	}
	return json.Unmarshal([]byte(reply), &v) == nil && v.P != nil && *v.P >= 0 && *v.P <= 1 && len(v.ID) == 3 &&
		strings.Contains("ABC", v.ID[:1])
}

func inRegex(reply string) bool {
	return len(reply) == 5 && strings.HasSuffix(reply, "!") && strings.Trim(reply[:4], "ab") == ""
}

// TestEmbeddedTokens: the tokens of a text have its vector.
func TestEmbeddedTokens(t *testing.T) {
	s := start(t)
	var tokens struct{ Tokens []int32 }
	s.ok(t, "/tokenize", `{"prompt":"three books"}`, &tokens)
	list, _ := json.Marshal(tokens.Tokens)
	type vectors struct {
		Data  []struct{ Embedding []float32 }
		Usage struct {
			PromptTokens int `json:"prompt_tokens"`
		}
	}
	var text, one, several vectors
	s.ok(t, vectorPath, `{"input":"three books"}`, &text)
	s.ok(t, vectorPath, `{"input":`+string(list)+`}`, &one)
	s.ok(t, vectorPath, `{"input":[`+string(list)+`,[1,2]]}`, &several)
	if diff := cmp.Diff(text, one); diff != "" || len(text.Data) != 1 || text.Usage.PromptTokens < 2 {
		t.Errorf("%s, want the vector of the text", diff)
	}
	if len(several.Data) != 2 || !slices.Equal(several.Data[0].Embedding, text.Data[0].Embedding) ||
		slices.Equal(several.Data[0].Embedding, several.Data[1].Embedding) {
		t.Errorf("%d vectors, want that of the text and another one", len(several.Data))
	}
}

type responseAnswer struct {
	ID, Status string
	Details    *struct{ Reason string } `json:"incomplete_details"`
	Output     []struct {
		Type, ID, Status, Name, Arguments string
		CallID                            string `json:"call_id"`
		Content                           []struct {
			Type, Text string
			Logprobs   []chatLogprob
		}
	}
	Usage struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Total  int `json:"total_tokens"`
	}
}

// TestResponses: what is asked by the protocol of responses is asked as by that of chats, and gets the same reply, with
// the same log-probabilities and counts. A stream has the text in parts, and ends with the whole response.
func TestResponses(t *testing.T) {
	s := start(t)
	question, _ := json.Marshal(puzzle)
	for name, c := range map[string]struct{ response, chat string }{
		"text": {`"input":` + string(question), `"messages":[{"role":"user","content":` + string(question) + `}]`},
		"items": {`"instructions":"You are brief.","input":[{"role":"user","content":[{"type":"input_text","text":"A"}]},
			{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"B",
			"annotations":[],"logprobs":[]}]},{"role":"developer","content":"C"},{"role":"user","content":"D"}]`,
			`"messages":[{"role":"system","content":"You are brief."},{"role":"user","content":"A"},
			{"role":"assistant","content":"B"},{"role":"system","content":"C"},{"role":"user","content":"D"}]`},
		"schema": {`"input":"Give one.","text":{"format":{"type":"json_schema","name":"x","schema":
			{"enum":["a","b"]}}}`,
			`"messages":[{"role":"user","content":"Give one."}],"response_format":{"type":"json_schema","json_schema":
			{"name":"x","schema":{"enum":["a","b"]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var whole responseAnswer
			var chat chatAnswer
			const common = `,"seed":3,"temperature":0.7,"top_logprobs":2,`
			body := `{` + c.response + common + `"store":false,"include":[],"max_output_tokens":20`
			s.ok(t, responsesPath, body+`}`, &whole)
			s.ok(t, chatPath, `{`+c.chat+common+`"logprobs":true,"max_tokens":20}`, &chat)
			want := chat.Choices[0]
			if len(whole.Output) != 1 || whole.Output[0].Content[0].Text != want.Message.Content ||
				whole.Usage.Input != chat.Usage.PromptTokens || whole.Usage.Total != chat.Usage.TotalTokens {
				t.Fatalf("%+v, want %+v", whole, chat)
			}
			if diff := cmp.Diff(want.Logprobs.Content, whole.Output[0].Content[0].Logprobs); diff != "" {
				t.Errorf("the log-probabilities are those of a chat (-want +got):\n%s", diff)
			}
			cut := want.FinishReason == "length"
			if status := map[bool]string{true: "incomplete", false: "completed"}[cut]; whole.Status != status ||
				cut != (whole.Details != nil) {
				t.Errorf("%+v, want the status of %s", whole, want.FinishReason)
			}
			last := s.streamed(t, body+`,"stream":true}`, want.Message.Content)
			if diff := cmp.Diff(whole, last); diff != "" {
				t.Errorf("the stream ends with the whole response (-whole +stream):\n%s", diff)
			}
		})
	}
}

// streamed reads a stream of one text, checks it, and returns the response that ends it.
func (s *started) streamed(t *testing.T, body, want string) (last responseAnswer) {
	t.Helper()
	status, stream := s.post(t, responsesPath, body)
	if status != http.StatusOK {
		t.Fatal(status, stream)
	}
	text, kinds := "", []string(nil)
	for i, event := range strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		kind, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		var e struct {
			Type     string
			Number   int `json:"sequence_number"`
			Delta    string
			Response responseAnswer
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != kind || e.Number != i {
			t.Fatalf("event %d is %s (%v), want number %d of kind %s", i, event, err, i, kind)
		}
		if text += e.Delta; len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, strings.TrimPrefix(kind, "response."))
		}
		last = e.Response
	}
	ended := []string{"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta",
		"output_text.done", "content_part.done", "output_item.done", last.Status}
	if diff := cmp.Diff(ended, slices.Compact(kinds)); diff != "" || text != want {
		t.Errorf("%q, want %q; %s", text, want, diff)
	}
	return last
}

// TestResponseTools: functions are called as in chats, and the conversation goes on with what they returned.
func TestResponseTools(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen-Qwen2.5-7B-Instruct"))
	const parameters = `{"type":"object","properties":{"to":{"enum":["north","south"]}},"required":["to"]}`
	body := func(input, more string) string {
		return `{"input":` + input + `,"temperature":0,"max_output_tokens":90,"tools":[{"type":"function",` +
			`"name":"go","description":"Goes.","parameters":` + parameters + `,"strict":true}]` + more + `}`
	}
	const chosen = `,"tool_choice":{"type":"function","name":"go"}`
	var first, next responseAnswer
	s.ok(t, responsesPath, body(`"Where?"`, chosen), &first)
	if len(first.Output) != 1 || first.Output[0].Type != "function_call" || first.Output[0].Name != "go" ||
		!slices.Contains([]string{`{"to": "north"}`, `{"to": "south"}`}, first.Output[0].Arguments) {
		t.Fatalf("%+v, want a call of go", first)
	}
	var chat chatAnswer
	s.ok(t, chatPath, `{"messages":[{"role":"user","content":"Where?"}],"temperature":0,"max_tokens":90,"tools":`+
		`[{"type":"function","function":{"name":"go","description":"Goes.","parameters":`+parameters+`}}],`+
		`"tool_choice":"required"}`, &chat)
	if first.Usage.Input != chat.Usage.PromptTokens {
		t.Errorf("%d prompt tokens, want the %d of a chat", first.Usage.Input, chat.Usage.PromptTokens)
	}
	call, _ := json.Marshal(map[string]string{"type": "function_call", "id": first.Output[0].ID, "status": "completed",
		"call_id": first.Output[0].CallID, "name": "go", "arguments": first.Output[0].Arguments})
	went := fmt.Sprintf(`[{"role":"user","content":"Where?"},%s,{"type":"function_call_output","call_id":%q,"output":"Ok."}]`,
		call, first.Output[0].CallID)
	s.ok(t, responsesPath, body(went, ""), &next)
	if next.Usage.Input < first.Usage.Input+20 || len(next.Output) == 0 {
		t.Errorf("%+v, want a reply to the call's result", next)
	}
	_, stream := s.post(t, responsesPath, body(`"Where?"`, chosen+`,"stream":true`))
	for _, kind := range []string{"response.output_item.added", "response.function_call_arguments.delta",
		"response.function_call_arguments.done", "response.output_item.done", "response.completed"} {
		if strings.Count(stream, "event: "+kind+"\n") != 1 {
			t.Errorf("%d events %s, want 1\n%s", strings.Count(stream, "event: "+kind+"\n"), kind, stream)
		}
	}
	if strings.Contains(stream, "output_text.delta") {
		t.Errorf("the stream of a call has text, want none: %s", stream)
	}
}
