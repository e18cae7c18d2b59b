package serve

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/remote"
)

// TestReasoningBudget: clients bound the reasoning under any of the names that they know, and switch it off; the answer
// has max_tokens of its own, and what ends the reasoning is in the text but not among the tokens that were drawn. A
// stream has the same text.
func TestReasoningBudget(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen3.5-4B"))
	const one = `"messages":[{"role":"user","content":"Hi."}],"seed":3,"temperature":1,"ignore_eos":true,` +
		`"max_tokens":6,"reasoning_format":"none"`
	ask := func(more string) (got chatAnswer) {
		t.Helper()
		s.ok(t, chatPath, `{`+one+more+`}`, &got)
		return got
	}
	plain := ask("")
	var bounded chatAnswer
	for _, name := range []string{"reasoning_tokens", "reasoning_budget", "reasoning_budget_tokens",
		"thinking_budget_tokens", "thinking_token_budget", "thinking_budget"} {
		got := ask(`,"` + name + `":5`)
		text := got.Choices[0].Message.Content
		if n := got.Usage.CompletionTokens; n != 11 || !strings.Contains(text, "\n</think>\n\n") ||
			got.Choices[0].FinishReason != "length" {
			t.Errorf("%s 5: %d tokens, %q, want 11 that end for their length, with the reasoning ended among them",
				name, n, text)
		}
		if bounded.Choices != nil && bounded.Choices[0].Message.Content != text {
			t.Errorf("%s: %q, want %q", name, text, bounded.Choices[0].Message.Content)
		}
		bounded = got
		_, chunks := s.post(t, chatPath, `{`+one+`,"stream":true,"`+name+`":5}`)
		streamed := ""
		for _, m := range regexp.MustCompile(`"content":("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(chunks, -1) {
			part, err := strconv.Unquote(m[1])
			if streamed += part; err != nil {
				t.Fatal(err)
			}
		}
		if streamed != text {
			t.Errorf("%s: streamed %q, want %q", name, streamed, text)
		}
	}
	for _, none := range []string{`"reasoning_budget":-1`, `"thinking_budget_tokens":-1`, `"enable_thinking":true`} {
		if got := ask("," + none); got.Choices[0].Message != plain.Choices[0].Message {
			t.Errorf("%s: %+v, want %+v", none, got.Choices, plain.Choices)
		}
	}
	off := ask(`,"chat_template_kwargs":{"enable_thinking":false}`)
	for _, field := range []string{`"reasoning_budget":0`, `"thinking_budget_tokens":0`, `"enable_thinking":false`,
		`"reasoning_effort":"none"`, `"reasoning_tokens":0`} {
		if got := ask("," + field); got.Choices[0].Message != off.Choices[0].Message ||
			got.Usage.PromptTokens != off.Usage.PromptTokens || got.Usage.CompletionTokens != 6 {
			t.Errorf("%s: %+v %+v, want %+v", field, got.Choices, got.Usage, off)
		}
	}
	for body, field := range map[string]string{
		`,"reasoning_budget":3,"thinking_budget_tokens":4`:                        "budget",
		`,"reasoning_budget":3,"enable_thinking":false`:                           "enable_thinking",
		`,"reasoning_budget":-2`:                                                  "reasoning_budget",
		`,"reasoning_effort":"high"`:                                              "chat_template_kwargs",
		`,"enable_thinking":true,"chat_template_kwargs":{"enable_thinking":true}`: "enable_thinking",
		`,"reasoning_tokens":1e9`:                                                 "reasoning_tokens",
		`,"reasoning_budget":5000`:                                                "reasoning_tokens",
	} {
		if status, answer := s.post(t, chatPath, `{`+one+body+`}`); status != 400 || !strings.Contains(answer, field) {
			t.Errorf("%s got %d %s, want 400 and the field %q named", body, status, answer, field)
		}
	}
	effort := withTemplate(t, publicTemplate(t, "openai-gpt-oss-120b"))
	prompts := map[int]bool{}
	for _, word := range []string{"high", "none", "an effort of many words"} {
		var got chatAnswer
		effort.ok(t, chatPath, `{`+one+`,"reasoning_effort":"`+word+`"}`, &got)
		prompts[got.Usage.PromptTokens] = true
	}
	if len(prompts) != 3 {
		t.Errorf("prompts of %v tokens, want three", prompts)
	}
	start(t).refused(t, chatPath, `{`+one+`,"reasoning_budget":3}`, "reasoning_tokens", "no marks")
	s.refused(t, "/v1/completions", `{"prompt":"a","reasoning_tokens":3}`, "reasoning_tokens", "conversations")
	s.refused(t, "/v1/completions", `{"prompt":"a","reasoning_waits":3}`, "reasoning_waits", "conversations")
	s.refused(t, chatPath, `{`+one+`,"resoning_effort":"low"}`, "resoning_effort", "did you mean reasoning_effort?")
}

// TestReasoningThroughServer: a model behind this server keeps to the bounds that it is sent in messages, and its
// reasoning, which has no opening mark, stays apart: what peers would hear is the answer that the engine gives here.
func TestReasoningThroughServer(t *testing.T) {
	s := withTemplate(t, publicTemplate(t, "Qwen3.5-4B"))
	var requests []inference.Request
	for i, n := range []int{0, 3, 9, 9} {
		requests = append(requests, inference.Request{Messages: []inference.Message{{Role: "user", Content: puzzle}},
			MaxTokens: 7, Agent: i, Sampling: inference.Sampling{Temperature: 1, Seed: uint64(i),
				ReasoningTokens: inference.BudgetOf(n)}})
	}
	want := generate(t, s.engine, requests)
	engine, err := remote.Open(t.Context(), s.url+"/v1/#other", remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ended := 0
	for i, got := range generate(t, engine, requests) {
		if got.Err != nil || got.Text != want[i].Text || got.Reasoning != want[i].Reasoning ||
			got.Tokens != want[i].Tokens || got.Stop != want[i].Stop || strings.Contains(got.Text, "think>") {
			t.Errorf("%d: %+v, want %+v", i, got, want[i])
		}
		if want[i].ReasoningEnded {
			ended++
		}
	}
	if ended < 2 {
		t.Errorf("%d replies came to their bound, want at least 2", ended)
	}
}
