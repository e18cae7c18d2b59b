package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

const (
	chatPath, textPath = "/v1/chat/completions", "/v1/completions"
	vectorPath         = "/v1/embeddings"
	responsesPath      = "/v1/responses"
)

// refused posts a body and checks that it is the client's error, about the path.
func (s *started) refused(t *testing.T, path, body, param, want string) {
	t.Helper()
	status, text := s.post(t, path, body)
	var got struct {
		Error struct{ Message, Type, Param string }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusBadRequest ||
		got.Error.Param != param || !strings.Contains(got.Error.Message, want) ||
		!strings.Contains(got.Error.Message, param) {
		t.Errorf("%s %.300s: %d %s; want %q, %q", path, body, status, text, param, want)
	}
}

// TestPaths: what would have no effect is refused at every level by its path, and so is a value of another type.
func TestPaths(t *testing.T) {
	s := start(t)
	message := func(fields string) string { return `{"messages":[{"role":"user","content":"x"},{` + fields + `}]}` }
	format := func(fields string) string { return asking("x", `,"response_format":{`+fields+`}`) }
	function := func(fields string) string {
		return asking("x", `,"tools":[{"type":"function","function":{"name":"f"`+fields+`}}]`)
	}
	for _, c := range []struct{ path, body, param, want string }{
		{chatPath, message(`"role":"user","content":"x","nam":"y"`), "messages[1].nam", "did you mean name?"},
		{chatPath, message(`"Role":"user","content":"x"`), "messages[1].Role", "did you mean role?"},
		{chatPath, message(`"role":"user"`), "messages[1].content", "no text"},
		{chatPath, message(`"role":"user","content":null`), "messages[1].content", "no text"},
		{chatPath, message(`"role":"assistant","content":null,"tool_calls":[]`), "messages[1].content", "no text"},
		{chatPath, message(`"role":"tool","content":null,"tool_call_id":"a"`), "messages[1].content", "no text"},
		{chatPath, message(`"role":"user","content":[]`), "messages[1].content", "empty"},
		{chatPath, message(`"role":"user","content":7`), "messages[1].content", "a text or a list of parts"},
		{chatPath, message(`"role":"user","content":{"type":"text","text":"x"}`), "messages[1].content", "list of " +
			"parts"},
		{chatPath, message(`"role":"user","content":["x"]`), "messages[1].content[0]", "read as an object"},
		{chatPath, message(`"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y","foo":1}]`),
			"messages[1].content[1].foo", "unrecognized"},
		{chatPath, message(`"role":"user","content":[{"type":"text"}]`), "messages[1].content[0].text", "missing"},
		{chatPath, message(`"role":"user","content":[{"text":"x"}]`), "messages[1].content[0].type", "missing"},
		{chatPath, message(`"role":"user","content":[{"type":"text","text":7}]`), "messages[1].content[0].text",
			"string"},
		{chatPath, message(`"role":"user","content":"x","name":7`), "messages[1].name", "a number cannot be read"},
		{chatPath, message(`"role":"user","content":"x","tool_call_id":"a"`), "messages[1].tool_call_id", "role tool"},
		{chatPath, message(`"role":"user","content":"x","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]`),
			"messages[1].tool_calls", "assistant"},
		{chatPath, message(`"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]`),
			"messages[1].tool_calls[0].function.arguments", "cannot be read as a string"},
		{chatPath, message(`"role":"assistant","tool_calls":[{"type":"x","function":{"name":"f","arguments":"{}"}}]`),
			"messages[1].tool_calls[0].type", "must be function"},
		{chatPath, message(`"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}","z":0}}]`),
			"messages[1].tool_calls[0].function.z", "unrecognized"},
		{chatPath, message(`"role":"assistant","content":"x","refusal":"No."`), "messages[1].refusal", "leave it out"},
		{chatPath, `{"messages":[null]}`, "messages[0]", "null"},
		{chatPath, `{"messages":{"role":"user","content":"x"}}`, "messages", "an object cannot be read as a list"},
		{chatPath, `{"messages":"x"}`, "messages", "a string cannot be read as a list"},
		{chatPath, asking("x", `,"seed":1,"seed":2`), "seed", "occurs twice"},
		{chatPath, asking("x", `,"Seed":1`), "Seed", "did you mean seed?"},
		{chatPath, asking("x", `,"n":1.5`), "n", "number 1.5 cannot be read as a whole number"},
		{chatPath, asking("x", `,"temperature":"1"`), "temperature", "a string cannot be read as a number"},
		{chatPath, asking("x", `,"stop":["a",null]`), "stop[1]", "null"},
		{chatPath, asking("x", `,"stop":7`), "stop", "a text or a list of texts"},
		{chatPath, asking("x", `,"stream":true,"stream_options":{"include_usag":true}`), "stream_options.include_usag",
			"did you mean include_usage?"},
		{chatPath, asking("x", `,"stream":true,"stream_options":{"include_obfuscation":true}`),
			"stream_options.include_obfuscation", "set it to false"},
		{chatPath, asking("x", `,"stream_options":{"include_usage":true}`), "stream_options", "stream: true"},
		{chatPath, format(`"type":"json_schema","json_schema":{"name":"x","schema":{},"y":1}`),
			"response_format.json_schema.y", "unrecognized"},
		{chatPath, format(`"type":"json_schema","schema":{}`), "response_format.schema", "json_schema.schema"},
		{chatPath, format(`"type":"json_schema"`), "response_format.json_schema.schema", "missing"},
		{chatPath, format(`"type":"json_object","json_schema":{"schema":{}}`), "response_format.json_schema",
			"belongs"},
		{chatPath, format(`"type":"text","schema":{}`), "response_format.schema", "belongs"},
		{chatPath, format(`"type":"json_object","schema":{"type":"boolean","nullable":true}`), "response_format.schema",
			"nullable"},
		{chatPath, format(`"type":"json_schema","json_schema":{"schema":{"properties":{"a":{"nullable":true}}}}`),
			"response_format.json_schema.schema", "#/properties/a: the keyword \"nullable\""},
		{chatPath, format(`"type":"json_schema","json_schema":{"schema":{"$ref":"#"}}`),
			"response_format.json_schema.schema", "without end"},
		{chatPath, format(`"type":"json_schema","json_schema":{"schema":{"anyOf":[{"$ref":"#"}]}}`),
			"response_format.json_schema.schema", "without end"},
		{chatPath, format(`"type":"json_schema","json_schema":{"schema":[]}`), "response_format.json_schema.schema",
			"must be an object"},
		{chatPath, function(`,"x":1`), "tools[0].function.x", "unrecognized"},
		{chatPath, function(`,"parameters":[]`), "tools[0].function.parameters", "an object"},
		{chatPath, function(`,"strict":"yes"`), "tools[0].function.strict", "true or false"},
		{chatPath, asking("x", `,"tools":[{"type":"function","function":{"name":"f"},"x":1}]`), "tools[0].x",
			"unrecog"},
		{chatPath, asking("x", `,"tool_choice":{"type":"function","function":{"name":"f"},"x":1}`), "tool_choice.x",
			"unr"},
		{textPath, `{"prompt":["a",7]}`, "prompt[1]", "a number cannot be read as a string"},
		{textPath, `{"prompt":[1,null]}`, "prompt[1]", "null"},
		{textPath, `{"prompt":[[1,2],[3,"x"]]}`, "prompt[1][1]", "a string cannot be read as a whole number"},
		{textPath, `{"prompt":{}}`, "prompt", "a text, a list of texts, a list of token ids"},
		{textPath, `{"prompt":"a","suffix":"b"}`, "suffix", `set it to ""`},
		{textPath, `{"prompt":"a","top_logprobs":1}`, "top_logprobs", "did you mean logprobs"},
		{vectorPath, `{"input":["a",7]}`, "input[1]", "a number cannot be read as a string"},
		{vectorPath, `{"input":[1,999999]}`, "input", "check_embedding_ctx_length"},
		{chatPath, asking("x", `,"guided_choice":[]`), "guided_choice", "at least one"},
		{chatPath, asking("x", `,"guided_choice":["a",""]`), "guided_choice", "empty"},
		{chatPath, asking("x", `,"guided_choice":["b","a\u0000b"]`), "guided_choice", "zero byte"},
		{chatPath, asking("x", `,"guided_json":"{"`), "guided_json", "EOF"},
		{chatPath, asking("x", `,"guided_json":{"type":"strin"}`), "guided_json", "did you mean string"},
		{chatPath, asking("x", `,"guided_regex":"(?=a)"`), "guided_regex", "lookarounds"},
		{chatPath, asking("x", `,"guided_regex":"a","grammar":"root ::= \"a\""`), "grammar", "guided_regex both"},
		{chatPath, asking("x", `,"structured_outputs":{"choices":["a"]}`), "structured_outputs.choices", "choice?"},
		{chatPath, asking("x", `,"structured_outputs":{"regex":"a","choice":["a"]}`), "structured_outputs.choice",
			"both"},
		{chatPath, asking("x", `,"chat_template_kwargs":{"enable_thinking":false}`), "chat_template_kwargs",
			`does not read "enable_thinking"`},
		{chatPath, asking("x", `,"chat_template_kwargs":{"messages":[]}`), "chat_template_kwargs", "follows from"},
		{chatPath, asking("x", `,"chat_template_kwargs":7`), "chat_template_kwargs", "must be an object"},
		{"/tokenize", `{"prompt":"x","chat_template_kwargs":{}}`, "chat_template_kwargs", "messages"},
		{responsesPath, `{"input":"x","store":true}`, "store", "keeps no responses"},
		{responsesPath, `{"input":"x","previous_response_id":"resp_1"}`, "previous_response_id", "whole conversation"},
		{responsesPath, `{"input":"x","conversation":"c"}`, "conversation", "keeps no conversations"},
		{responsesPath, `{"input":"x","background":true}`, "background", "leave it out"},
		{responsesPath, `{}`, "input", "missing"},
		{responsesPath, `{"input":[]}`, "input", "missing"},
		{responsesPath, `{"input":[{"role":"user"}]}`, "input[0].content", "no text"},
		{responsesPath, `{"input":[{"role":"user","content":[{"type":"input_image"}]}]}`, "input[0].content[0].type",
			"input_text"},
		{responsesPath, `{"input":[{"type":"item_reference","id":"x"}]}`, "input[0].type", "must be message"},
		{responsesPath, `{"input":[{"type":"function_call","name":"f","arguments":"{"}]}`, "input[0].arguments",
			"not JSON"},
		{responsesPath, `{"input":[{"type":"function_call_output","call_id":"x"}]}`, "input[0].output", "missing"},
		{responsesPath, `{"input":"x","tools":[{"type":"web_search"}]}`, "tools[0].type", "must be function"},
		{responsesPath, `{"input":"x","tools":[{"type":"function"}]}`, "tools[0].name", "missing"},
		{responsesPath, `{"input":"x","tools":[{"type":"function","name":"f","parameters":3}]}`, "tools[0].parameters",
			"must be an object"},
		{responsesPath, `{"input":"x","max_output_tokens":0}`, "max_output_tokens", "must be at least 1"},
		{responsesPath, `{"input":"x","max_output_tokens":900000}`, "max_output_tokens",
			"lower max_output_tokens to 40"},
		{responsesPath, `{"input":"` + strings.Repeat("x", 300<<10) + `"}`, "input", "262144 are allowed"},
		{responsesPath, `{"input":[{"type":"function_call","name":"f","arguments":"{}"}]}`, "input", "has no tools"},
		{chatPath, asking("Hi", `,"max_completion_tokens":0`), "max_completion_tokens", "must be at least 1"},
		{chatPath, asking("Hi", `,"max_completion_tokens":8,"min_tokens":9,"ignore_eos":true`), "min_tokens",
			"from 0 to max_completion_tokens, 8"},
		{responsesPath, `{"input":"x","tool_choice":{"type":"function"}}`, "tool_choice", "NAME"},
		{responsesPath, `{"input":"x","include":["web_search_call.action.sources"]}`, "include[0]", "leave it out"},
		{responsesPath, `{"input":"x","text":{"format":{"type":"json_schema"}}}`, "text.format.schema", "missing"},
		{responsesPath, `{"input":"x","text":{"format":{"type":"json"}}}`, "text.format.type", "must be text"},
		{responsesPath, `{"input":"x","text":{"verbosity":"low"}}`, "text.verbosity", "medium"},
		{responsesPath, `{"input":"x","reasoning":{"effort":"low"}}`, "reasoning", "leave it out"},
		{responsesPath, `{"input":"x","max_tokens":9}`, "max_tokens", "unrecognized"},
		{vectorPath, `{"input":"a","dimensions":7}`, "dimensions", "leave it out"},
		{"/tokenize", `{"messages":[{"role":"user","content":"x","foo":1}]}`, "messages[0].foo", "unrecognized"},
		{"/tokenize", `{"prompt":"x","tools":[{"type":"function","function":{"name":"f"}}]}`, "tools", "messages"},
		{"/tokenize", `{"prompt":"x","add_generation_prompt":false}`, "add_generation_prompt", "set it to true"},
		{"/detokenize", `{"tokens":[1,"x"]}`, "tokens[1]", "a string cannot be read as a whole number"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.path, c.body), func(t *testing.T) {
			s.refused(t, c.path, c.body, c.param, c.want)
		})
	}
}

// TestAccepted: what real clients send besides goes on working.
func TestAccepted(t *testing.T) {
	s := start(t)
	for _, body := range []string{
		`{"messages":[{"role":"user","name":"Alice","content":"Hi"},{"role":"assistant","name":"Bob","content":"Ho",
			"refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":[],"reasoning_content":null},
			{"role":"user","content":[{"type":"text","text":"A"},{"type":"text","text":""}]}],"max_tokens":2}`,
		asking("x", `,"max_tokens":2,"length_penalty":1.0,"parallel_tool_calls":false,"best_of":null,"nothing":null`),
		asking("x", `,"max_tokens":2,"stream_options":null,"response_format":{"type":"text","json_schema":null}`),
		asking("x", `,"max_tokens":2,"stream_options":{"include_usage":false,"include_obfuscation":false}`),
		asking("", `,"max_tokens":2,"tool_choice":"none","tools":[{"type":"function","function":{"name":"f",
			"description":"d","strict":true,"parameters":{"type":"object","x-order":1}}}]`),
		`{"messages":[{"role":"user","content":"x"}],"max_tokens":2,"tool_choice":null,"stop":[]}`,
	} {
		t.Run(fmt.Sprintf("%.60s", body), func(t *testing.T) {
			if status, text := s.post(t, chatPath, body); status != http.StatusOK {
				t.Errorf("%s: %d %s, want %v", body, status, text, http.StatusOK)
			}
		})
	}
	for _, prompt := range []string{`"x"`, `["x","null"]`, `[5,6]`, `[[5,6],[7]]`} {
		t.Run(prompt, func(t *testing.T) {
			if status, text := s.post(t, textPath, `{"max_tokens":1,"prompt":`+prompt+`}`); status != http.StatusOK {
				t.Errorf("%s: %d %s, want %v", prompt, status, text, http.StatusOK)
			}
		})
	}
}

// TestObjectSchema: a schema beside json_object is followed.
func TestObjectSchema(t *testing.T) {
	s := start(t)
	var got chatAnswer
	s.ok(t, chatPath, asking("Give JSON", `,"max_tokens":40,"n":4,"seed":3,"response_format":{"type":"json_object",`+
		`"schema":{"type":"boolean"}}`), &got)
	for _, c := range got.Choices {
		if !slices.Contains([]string{"true", "false"}, c.Message.Content) {
			t.Errorf("a reply by the schema of a boolean is true or false: got %q", c.Message.Content)
		}
	}
}

// TestTextOffsets: each token stands where its offset, in characters, says, in the prompt and in the reply, whole or as
// a stream.
func TestTextOffsets(t *testing.T) {
	s := start(t)
	const prompt = "Zwölf Äpfel – 十二 🍎🍎, ok?"
	var ids struct{ Tokens []int32 }
	s.ok(t, "/tokenize", `{"prompt":"`+prompt+`","add_special_tokens":false}`, &ids)
	list, _ := json.Marshal(ids.Tokens)
	for _, given := range []string{`"` + prompt + `"`, string(list)} {
		type choices struct {
			Choices []struct {
				Text     string
				Logprobs *textLogprobs
			}
		}
		body := fmt.Sprintf(`{"prompt":%s,"echo":true,"logprobs":0,"max_tokens":12,"seed":1`, given)
		var whole choices
		s.ok(t, textPath, body+"}", &whole)
		text, l := []rune(whole.Choices[0].Text), whole.Choices[0].Logprobs
		for i, token := range l.Tokens {
			at := l.TextOffset[i]
			if i > 0 && at < l.TextOffset[i-1] || at > len(text) {
				t.Fatalf("token %d, %q, is at offset %d, want offsets that do not fall and are at most %d: %v", i,
					token, at, len(text), l.TextOffset)
			}
			if rest := string(text[at:]); !strings.HasPrefix(token, "bytes:") && !strings.HasPrefix(token, "<|") &&
				!strings.HasPrefix(rest, token) {
				t.Errorf("token %d, %q, is at %d, where %q stands, want the token there", i, token, at, rest)
			}
		}
		_, streamed := s.post(t, textPath, body+`,"stream":true}`)
		var offsets []int
		for event := range strings.SplitSeq(streamed, "\n\n") {
			var c choices
			if json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &c) == nil && c.Choices[0].Logprobs != nil {
				offsets = append(offsets, c.Choices[0].Logprobs.TextOffset...)
			}
		}
		if !slices.Equal(offsets, l.TextOffset) {
			t.Errorf("a stream has the text offsets %v, want those of the whole reply, %v", offsets, l.TextOffset)
		}
	}
}

// TestRoom: a prompt of exactly the context is scored, one more is refused, and errors name the limit that binds and
// what helps.
func TestRoom(t *testing.T) {
	for name, c := range map[string]struct {
		server      *started
		limit, help string
	}{
		"trained": {start(t), "the model was trained for", ""},
		"context": {start(t, inference.Context(256), inference.Parallel(1)), "the context (--context) has room for",
			" or raise --context"},
	} {
		room, trained := c.server.models[0].Vocabulary.Room()
		if trained != (c.help == "") {
			t.Fatalf("%s: a room of %d is from the model's training: %v, want %v", name, room, trained, c.help == "")
		}
		prompt := func(n int) string {
			text, _ := json.Marshal(slices.Repeat([]int{300, 301}, n)[:n])
			return `{"prompt":` + string(text)
		}
		const score, one = `,"max_tokens":0,"echo":true,"logprobs":1}`, `,"max_tokens":1}`
		if name == "context" { // the other one takes longer
			var got struct {
				Choices []struct{ Logprobs textLogprobs }
			}
			c.server.ok(t, textPath, prompt(room)+score, &got)
			if l := got.Choices[0].Logprobs.TokenLogprobs; len(l) != room || l[room-1] == nil {
				t.Errorf("%s: a prompt that fills the room has %d log-probabilities, want %d and the last one known",
					name, len(l), room)
			}
			c.server.ok(t, textPath, prompt(room-1)+one, &got)
		}
		for body, want := range map[string]string{
			prompt(room+1) + score: fmt.Sprintf("%d prompt tokens: %s %d in all; shorten the prompt%s", room+1, c.limit,
				room, c.help),
			prompt(room) + one: fmt.Sprintf("%d prompt tokens and at least one new one: %s %d in all; shorten the "+
				"prompt%s", room, c.limit, room, c.help),
			prompt(room) + "}": "shorten the prompt",
			prompt(room-5) + `,"max_tokens":6}`: fmt.Sprintf("%d prompt tokens and up to 6 new ones: %s %d in "+
				"all; lower "+
				"max_tokens to 5%s", room-5, c.limit, room, c.help),
		} {
			status, text := c.server.post(t, textPath, body)
			if status != http.StatusBadRequest || !strings.Contains(text, want+`"`) && !strings.Contains(text,
				want+c.help) ||
				!strings.Contains(text, "context_length_exceeded") {
				t.Errorf("%s: %d %s, want %s", name, status, text, want)
			}
		}
	}
}
