package wire

import (
	"encoding/json"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
)

// TextRequest is a body of /v1/completions.
type TextRequest struct {
	Settings
	Prompt         Prompts `json:"prompt"`
	Echo           bool    `json:"echo"`
	Logprobs       *int    `json:"logprobs"`
	ReturnTokenIDs bool    `json:"return_token_ids"`
}

// Prompts are one or several texts, or lists of token ids.
type Prompts []prompt

// prompt is one prompt: its tokens are known once the server has made them, its text only if the client gave that.
type prompt struct {
	Text   *string // nil where the client gave tokens
	Tokens []int32
}

// ReadStrictly implements strict.Reader.
func (p *Prompts) ReadStrictly(raw []byte, at string) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && len(items) > 0 {
		switch items[0][0] {
		case '[':
			return p.lists(raw, at)
		case '"':
		default:
			*p = make(Prompts, 1)
			return strict.Read(raw, at, &(*p)[0].Tokens)
		}
	}
	var list texts
	if json.Unmarshal(raw, new(string)) != nil && items == nil {
		return strict.Wrong(at, "must be a text, a list of texts, a list of token ids, or a list of such lists")
	}
	err := list.ReadStrictly(raw, at)
	for _, text := range list {
		*p = append(*p, prompt{Text: &text})
	}
	return err
}

// lists reads lists of token ids.
func (p *Prompts) lists(raw []byte, at string) error {
	var lists [][]int32
	err := strict.Read(raw, at, &lists)
	for _, tokens := range lists {
		*p = append(*p, prompt{Tokens: tokens})
	}
	return err
}

// ScoresOnly reports whether nothing is to be generated: prompts are only scored.
func (r *TextRequest) ScoresOnly() bool { return r.Echo && r.MaxTokens != nil && *r.MaxTokens == 0 }

// Alternatives returns how many of the best tokens are asked for at each position.
func (r *TextRequest) Alternatives() (n int) {
	Set(&n, r.Logprobs)
	return n
}

// Check refuses what cannot be served, and returns how many choices each prompt has.
func (r *TextRequest) Check(most int) (n int, err error) {
	r.Fields = Fields{"prompt", "max_tokens"}
	if len(r.Prompt) == 0 {
		return 0, Invalid("prompt", "prompt is missing or empty")
	}
	const outside = "%s belong to conversations: leave them out, or use /v1/chat/completions"
	switch {
	case r.ReasoningTokens != nil:
		return 0, Invalid("reasoning_tokens", outside, "reasoning_tokens")
	case r.ReasoningWaits != nil:
		return 0, Invalid("reasoning_waits", outside, "reasoning_waits")
	}
	if k := r.Alternatives(); k < 0 || int64(k) > limits.Alternatives.Most {
		return 0, Invalid("logprobs", "logprobs %d: must be from 0 to %d", k, limits.Alternatives.Most)
	}
	if r.ScoresOnly() && r.Stream {
		return 0, Invalid("stream", "there is nothing to stream where max_tokens is 0")
	}
	if n, err = r.Choices(most); err == nil && n*len(r.Prompt) > most {
		err = Invalid("prompt", "%d prompts with %d choices each: at most %d choices are allowed in all (parley serve "+
			"--max-choices)", len(r.Prompt), n, most)
	}
	return n, err
}
