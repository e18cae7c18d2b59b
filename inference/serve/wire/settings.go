package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bounds"
)

// Settings are the fields that chat and text completions share. A pointer is nil where the client left the field out or
// sent null; what has another default than zero needs one.
type Settings struct {
	Common
	inference.Chosen
	shaping
	N                 *int           `json:"n"`
	Seed              *int64         `json:"seed"`
	RepetitionPenalty *float32       `json:"repetition_penalty"`
	FrequencyPenalty  *float32       `json:"frequency_penalty"`
	PresencePenalty   *float32       `json:"presence_penalty"`
	LogitBias         logitBias      `json:"logit_bias"`
	IgnoreEOS         bool           `json:"ignore_eos"`
	Stop              texts          `json:"stop"`
	MaxTokens         *int           `json:"max_tokens"`
	MinTokens         int            `json:"min_tokens"`
	Stream            bool           `json:"stream"`
	StreamOptions     *streamOptions `json:"stream_options"`
	User              string         `json:"user"`

	Fields Fields `json:"-"`
}

// Fields are what the client calls what each protocol has under a name of its own, for errors.
type Fields struct {
	Prompt string // what the model is to reply to
	Bound  string // on the tokens of the reply
}

// streamOptions are OpenAI's options of streams.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Besides implements strict.Besides.
func (streamOptions) Besides() map[string][]string {
	return map[string][]string{"include_obfuscation": {"false"}, "continuous_usage_stats": {"false"}}
}

// logitBias are numbers that are added to the logits of tokens, by token, in ascending order.
type logitBias []step.TokenBias

// ReadStrictly implements strict.Reader. The tokens are keys, and so texts.
func (l *logitBias) ReadStrictly(raw []byte, at string) error {
	// Each token is two values of an object. They are counted before they are read.
	d := json.NewDecoder(bytes.NewReader(raw))
	for i := int64(0); ; i++ {
		if _, err := d.Token(); err != nil {
			break
		}
		if i > 2*limits.Biases.Most+2 {
			return limits.Biases.Over(at)
		}
	}
	var byToken map[int32]float32
	if err := json.Unmarshal(raw, &byToken); err != nil {
		return strict.Wrong(at, "must be an object whose keys are token ids, and whose values are numbers")
	}
	*l = nil
	for _, token := range slices.Sorted(maps.Keys(byToken)) {
		if byToken[token] != 0 {
			*l = append(*l, step.TokenBias{Token: step.Token(token), Bias: byToken[token]})
		}
	}
	return nil
}

// Sampling checks the fields that say how tokens are drawn. Their defaults are OpenAI's.
func (s *Settings) Sampling(alternatives int) (inference.Sampling, error) {
	out := s.In(inference.Sampling{Temperature: 1, Alternatives: alternatives, IgnoreEnd: s.IgnoreEOS})
	Set(&out.FrequencyPenalty, s.FrequencyPenalty)
	Set(&out.PresencePenalty, s.PresencePenalty)
	out.Bias = s.LogitBias
	if out.TopK == -1 { // vLLM's word for all
		out.TopK = 0
	}
	if s.TopP != nil && *s.TopP == 0 {
		return out, Invalid("top_p", "top_p 0: must be above 0, up to 1")
	}
	if s.RepetitionPenalty != nil { // on the whole prompt and reply
		back, _ := inference.ParameterNamed("repeat-last-n")
		out.RepeatPenalty, out.RepeatLastN = *s.RepetitionPenalty, int(back.Range.High)
	}
	if err := out.Validate(); err != nil {
		wrong := new(bounds.Error)
		field := ""
		if errors.As(err, wrong) {
			field = strings.NewReplacer("repeat-penalty", "repetition_penalty", "-", "_").Replace(wrong.Name)
		}
		return out, Invalid(field, "%v", err)
	}
	return out.Deciding(), nil // what decides nothing would make equal requests differ; it has no seed yet
}

// CheckLeast refuses min_tokens, which the engine does not have, unless the reply has as many tokens anyway.
func (s *Settings) CheckLeast(most int) error {
	switch {
	case s.MinTokens < 0 || s.MinTokens > most:
		return Invalid("min_tokens", "min_tokens %d: must be from 0 to %s, %d", s.MinTokens, s.Fields.Bound, most)
	case s.MinTokens > 0 && (!s.IgnoreEOS || len(s.Stop) > 0):
		return Invalid("min_tokens", "min_tokens %d is supported only with ignore_eos and without stop, where a reply "+
			"has %s", s.MinTokens, s.Fields.Bound)
	}
	return nil
}

// Choices returns how many replies are asked for, and refuses more than most.
func (s *Settings) Choices(most int) (int, error) {
	n := 1
	Set(&n, s.N)
	if n < 1 || n > most {
		return 0, Invalid("n", "n %d: must be from 1 to %d (parley serve --max-choices)", n, most)
	}
	return n, nil
}
