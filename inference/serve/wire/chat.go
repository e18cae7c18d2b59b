package wire

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
}

// mostAlternatives is how many alternatives a client may ask for, as with OpenAI.
const mostAlternatives = 20

// Alternatives returns how many of the best tokens are asked for at each position.
func (r *ChatRequest) Alternatives() (n int, err error) {
	Set(&n, r.TopLogprobs)
	switch {
	case n < 0 || n > mostAlternatives:
		return 0, Invalid("top_logprobs", "top_logprobs %d: must be from 0 to %d", n, mostAlternatives)
	case n > 0 && !r.Logprobs:
		return 0, Invalid("top_logprobs", "top_logprobs needs logprobs: true")
	}
	return n, nil
}
