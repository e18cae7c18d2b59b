package serve

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// divided is what a client has of a reply.
type divided struct {
	content, reasoning string
	thought            int // tokens
}

// chatSaid reads a reply of chat completions, or the chunks of a stream.
func chatSaid(t *testing.T, text string) (s divided) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data: "))
		if line == "" || line == "[DONE]" {
			continue
		}
		type part struct {
			Content   *string
			Reasoning string `json:"reasoning_content"`
		}
		var got struct {
			Choices []struct{ Message, Delta *part }
			Usage   *usage
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("an answer or event is JSON: %v, want no error: %s", err, line)
		}
		for _, c := range got.Choices {
			for _, p := range []*part{c.Message, c.Delta} {
				if p != nil {
					s.reasoning += p.Reasoning
				}
				if p != nil && p.Content != nil {
					s.content += *p.Content
				}
			}
		}
		if got.Usage != nil && got.Usage.CompletionDetails != nil {
			s.thought = got.Usage.CompletionDetails.ReasoningTokens
		}
	}
	return s
}

// TestReasoningFormats: reasoning stands apart as clients of llama-server expect, in replies and streams of both
// protocols, is counted as the engine counts it, and comes back without harm.
func TestReasoningFormats(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen3.5-4B"))
	want := generate(t, s.engine, []inference.Request{{Messages: []inference.Message{{Role: "user", Content: "Hi."}},
		MaxTokens: 6, Sampling: inference.Sampling{Temperature: 1, Seed: 3, IgnoreEnd: true,
			ReasoningTokens: inference.BudgetOf(5)}}})[0]
	const one = `"messages":[{"role":"user","content":"Hi."}],"seed":3,"temperature":1,"ignore_eos":true,"max_tokens":6,` +
		`"reasoning_budget":5`
	apart := divided{want.Text, want.Reasoning, want.ReasoningTokens}
	if want.ReasoningTokens != 5 || want.Reasoning == "" || want.Text == "" {
		t.Fatalf("%+v, want reasoning of 5 tokens and an answer", want)
	}
	_, text := s.post(t, chatPath, `{`+one+`,"reasoning_format":"none"}`)
	whole := chatSaid(t, text)
	if split := chat.Split(chat.MarksOf("<think>"), true, whole.content); whole.reasoning != "" || whole.thought != 0 ||
		split.Answer != apart.content || split.Reasoning != apart.reasoning {
		t.Errorf("%+v, want all of %+v in content", whole, apart)
	}
	for more, want := range map[string]divided{"": apart, `,"reasoning_format":"auto"`: apart, `,"n":1`: apart,
		`,"reasoning_format":"deepseek"`: apart, `,"reasoning_format":null`: apart, `,"reasoning_format":"none"`: whole,
		`,"reasoning_format":"deepseek-legacy"`: {whole.content, apart.reasoning, apart.thought},
		`,"logprobs":true`:                      apart, `,"reasoning_format":"none","logprobs":true`: whole,
		`,"tool_choice":"none"`: apart} {
		for _, stream := range []string{"", `,"stream":true,"stream_options":{"include_usage":true}`} {
			status, text := s.post(t, chatPath, `{`+one+more+stream+`}`)
			if got := chatSaid(t, text); status != 200 || got != want {
				t.Errorf("%s %s: %d, %+v, want %+v", more, stream, status, got, want)
			}
		}
	}
	for _, off := range []string{`"enable_thinking":false`,
		`"enable_thinking":false,"response_format":{"type":"json_object"}`, `"guided_regex":"[a-z]{3}"`} {
		_, text := s.post(t, chatPath, strings.Replace(`{`+one+`}`, `"reasoning_budget":5`, off, 1))
		if got := chatSaid(t, text); got.reasoning != "" || got.content == "" || got.thought != 0 {
			t.Errorf("%s: %+v, want an answer alone", off, got)
		}
	}
	s.refused(t, chatPath, `{`+one+`,"reasoning_format":"deepsek"}`, "reasoning_format", "deepseek")
	s.ok(t, chatPath, `{"max_tokens":2,"messages":[{"role":"user","content":"Hi."},`+
		`{"role":"assistant","content":"Ho.","reasoning_content":"Hm."},`+
		`{"role":"user","content":"Hi."}]}`, new(chatAnswer))
}

// TestReasoningBetweenControlTokens: marks that are no part of a text tell reasoning and answer apart all the same.
func TestReasoningBetweenControlTokens(t *testing.T) {
	file := modeltest.Parse(datatest.Read(t, modeltest.Embedded(t)))
	tokens := slices.Clone(file.Get("tokenizer.ggml.tokens").([]string))
	types := slices.Clone(file.Get("tokenizer.ggml.token_type").([]int32))
	last := len(tokens) - 1
	tokens[last], types[last] = "</think>", 3
	path := filepath.Join(t.TempDir(), "other.gguf")
	datatest.Write(t, path, file.Set("tokenizer.chat_template", publicTemplate(t, "Qwen3.5-4B")).
		Set("tokenizer.ggml.tokens", tokens).Set("tokenizer.ggml.token_type", types).Bytes())
	s := startOn(t, path, []string{"other"})
	want := generate(t, s.engine, []inference.Request{{Messages: []inference.Message{{Role: "user", Content: "Hi."}},
		MaxTokens: 6, Sampling: inference.Sampling{Temperature: 1, Seed: 3, IgnoreEnd: true,
			ReasoningTokens: inference.BudgetOf(5)}}})[0]
	for _, more := range []string{"", `,"stream":true,"stream_options":{"include_usage":true}`} {
		_, text := s.post(t, chatPath, `{"messages":[{"role":"user","content":"Hi."}],"seed":3,"temperature":1,`+
			`"ignore_eos":true,"max_tokens":6,"reasoning_budget":5`+more+`}`)
		got := chatSaid(t, text)
		if got != (divided{want.Text, want.Reasoning, want.ReasoningTokens}) || got.content == "" {
			t.Errorf("%s: %+v, want %+v", more, got, want)
		}
	}
}

// TestReasoningOfResponses: the responses protocol has reasoning as an item of its own, which may come back.
func TestReasoningOfResponses(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen3.5-4B"))
	for more, kinds := range map[string]string{`"reasoning_tokens":5`: "reasoning message", `"top_p":1`: "reasoning"} {
		one := `"input":"Hi.","seed":7,"temperature":1,"max_output_tokens":9,` + more
		var got struct {
			Status string
			Output []map[string]any
			Usage  responseUsage
		}
		s.ok(t, responsesPath, `{`+one+`}`, &got)
		var types, texts []string
		for _, item := range got.Output {
			types = append(types, item["type"].(string))
			texts = append(texts, item["content"].([]any)[0].(map[string]any)["text"].(string))
		}
		if n := got.Usage.OutputDetails.ReasoningTokens; strings.Join(types, " ") != kinds || n == 0 || texts[0] == "" {
			t.Fatalf("%s: %+v, %d tokens of reasoning; want %s", more, got.Output, n, kinds)
		}
		_, events := s.post(t, responsesPath, `{`+one+`,"stream":true}`)
		streamed := make([]string, len(texts))
		for _, line := range strings.Split(events, "\n") {
			var e struct {
				Type, Delta string
				At          int `json:"output_index"`
				Item        map[string]any
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok || json.Unmarshal([]byte(data), &e) != nil {
				continue
			}
			if strings.HasSuffix(e.Type, "_text.delta") {
				streamed[e.At] += e.Delta
			}
			if e.Type == "response.output_item.done" && !reflect.DeepEqual(e.Item, got.Output[e.At]) {
				t.Errorf("%s: item %d is %+v, want %+v", more, e.At, e.Item, got.Output[e.At])
			}
		}
		if !slices.Equal(streamed, texts) {
			t.Errorf("%s: %q, want %q", more, streamed, texts)
		}
		back, err := json.Marshal(append(got.Output, map[string]any{"role": "user", "content": "Ho."}))
		if err != nil {
			t.Fatal(err)
		}
		s.ok(t, responsesPath, `{"max_output_tokens":2,"input":`+string(back)+`}`, &got)
	}
}
