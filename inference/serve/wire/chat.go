package wire

import "github.com/parley-debate/parley/inference/serve/limits"

// ChatRequest is a body of /v1/chat/completions.
type ChatRequest struct {
	Settings
	Messages            Messages   `json:"messages"`
	MaxCompletionTokens *int       `json:"max_completion_tokens"`
	Logprobs            bool       `json:"logprobs"`
	TopLogprobs         *int       `json:"top_logprobs"`
	Tools               Tools      `json:"tools"`
	ToolChoice          toolChoice `json:"tool_choice"`
	ParallelToolCalls   *bool      `json:"parallel_tool_calls"`
	TemplateVariables
	thinking
}

// Settle decides what fields with two names say, and what errors call them.
func (r *ChatRequest) Settle() error {
	r.Fields = Fields{"messages", "max_tokens"}
	if err := r.settleThinking(); err != nil || r.MaxCompletionTokens == nil {
		return err
	}
	if r.MaxTokens != nil && *r.MaxTokens != *r.MaxCompletionTokens {
		return Invalid("max_tokens", "max_tokens and max_completion_tokens differ: leave one out")
	}
	r.MaxTokens, r.Fields.Bound = r.MaxCompletionTokens, "max_completion_tokens"
	return nil
}

// Alternatives returns how many of the best tokens are asked for at each position.
func (r *ChatRequest) Alternatives() (n int, err error) {
	Set(&n, r.TopLogprobs)
	switch {
	case n < 0 || int64(n) > limits.Alternatives.Most:
		return 0, Invalid("top_logprobs", "top_logprobs %d: must be from 0 to %d", n, limits.Alternatives.Most)
	case n > 0 && !r.Logprobs:
		return 0, Invalid("top_logprobs", "top_logprobs needs logprobs: true")
	}
	return n, nil
}
