package step

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/parley-debate/parley/internal/bounds"
)

// Sampling is how the next token is drawn. The zero value is greedy. The chain is that of llama.cpp, in its order:
// logit bias, penalties, top-k, top-p, min-p, temperature, draw. Of equally likely tokens, the lowest id comes first.
//
// The draw uses a random number that is a hash of Seed and the token's index in its generation: it depends on nothing
// else, so that a generation is the same in any batch and beside any neighbours.
type Sampling struct {
	// 0 is greedy
	Temperature float32 `json:"temperature" run:"identity,temperature"`
	// only so many of the likeliest tokens are drawn; 0 is off
	TopK int `json:"top_k,omitempty" run:"identity,top-k"`
	// only the likeliest tokens of this total probability are drawn; 0 and 1 are off
	TopP float32 `json:"top_p,omitempty" run:"identity,top-p"`
	// only tokens with this share of the highest probability are drawn; 0 is off
	MinP float32 `json:"min_p,omitempty" run:"identity,min-p"`
	// the logits of tokens that were there are divided by it; 0 and 1 are off
	RepeatPenalty float32 `json:"repeat_penalty,omitempty" run:"identity,repeat penalty"`
	// tokens that the penalty looks back on; 0 means 64
	RepeatLastN int `json:"repeat_last_n,omitempty" run:"identity,tokens that the penalty looks back on"`
	// FrequencyPenalty is taken from the logit of a token for each time that the reply has it, and PresencePenalty once
	// if the reply has it, as with OpenAI. The prompt does not count. 0 is off.
	FrequencyPenalty float32 `json:"frequency_penalty,omitempty" run:"identity,frequency penalty"`
	PresencePenalty  float32 `json:"presence_penalty,omitempty" run:"identity,presence penalty"`
	// Bias is added to logits before all else. Its tokens are in ascending order.
	Bias []TokenBias `json:"bias,omitempty" run:"identity,logit bias"`
	// IgnoreEnd goes on to the bound on tokens even if the model ends its reply, for measurements. The scheduler reads
	// it; no sampler does.
	IgnoreEnd bool   `json:"ignore_end,omitempty" run:"identity,end ignored"`
	Seed      uint64 `json:"seed" run:"-"` // the random stream
	// Alternatives is how many of the best other tokens are reported for each position. Records call them rivals.
	Alternatives int `json:"rivals,omitempty" run:"identity,alternative tokens"`
}

// Chosen are the parameters of a Sampling that files and flags choose, under the names in their tags yaml; nil leaves
// one as it is. They have the names of their fields in Sampling.
type Chosen struct {
	Temperature *float32 `yaml:"temperature,omitempty" json:"temperature,omitempty" schema:"range=temperature" doc:"0 is greedy"`
	TopK        *int     `yaml:"top-k,omitempty" json:"top_k,omitempty" schema:"range=top-k" doc:"keep only this many most likely tokens"`
	TopP        *float32 `yaml:"top-p,omitempty" json:"top_p,omitempty" schema:"range=top-p" doc:"keep only the likeliest tokens of this total probability"`
	MinP        *float32 `yaml:"min-p,omitempty" json:"min_p,omitempty" schema:"range=min-p" doc:"keep only tokens with this share of the highest probability"`
}

// ChosenOf chooses the parameters that are known by a name for which given is true, with their values in s.
func ChosenOf(s Sampling, given func(name string) bool) (c Chosen) {
	all := reflect.ValueOf(&c).Elem()
	for f, v := range all.Fields() {
		if given(nameOf(f)) {
			own := reflect.New(f.Type.Elem())
			own.Elem().Set(reflect.ValueOf(s).FieldByName(f.Name))
			v.Set(own)
		}
	}
	return c
}

// In returns a sampling with what is chosen.
func (c Chosen) In(s Sampling) Sampling {
	for f, v := range reflect.ValueOf(c).Fields() {
		if !v.IsNil() {
			reflect.ValueOf(&s).Elem().FieldByName(f.Name).Set(v.Elem())
		}
	}
	return s
}

// With returns what is chosen after others have chosen too, whose choices count.
func (c Chosen) With(others Chosen) Chosen {
	for f, v := range reflect.ValueOf(others).Fields() {
		if !v.IsNil() {
			reflect.ValueOf(&c).Elem().FieldByName(f.Name).Set(v)
		}
	}
	return c
}

// Any reports whether anything is chosen.
func (c Chosen) Any() bool { return c != Chosen{} }

// Said lists what is chosen, as NAME=VALUE.
func (c Chosen) Said() (list []string) {
	for f, v := range reflect.ValueOf(c).Fields() {
		if !v.IsNil() {
			list = append(list, fmt.Sprintf("%s=%v", nameOf(f), v.Elem()))
		}
	}
	return list
}

// nameOf returns the name of a parameter in files and flags.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// TokenBias is what is added to the logit of a token.
type TokenBias struct {
	Token Token   `json:"token"`
	Bias  float32 `json:"bias"`
}

// Named names the parameters that are set, as people write them.
func (s Sampling) Named() string {
	text := fmt.Sprintf("temperature %g", s.Temperature)
	for _, p := range []struct {
		name  string
		value float64
		off   float64
	}{{"top-k", float64(s.TopK), 0}, {"top-p", float64(s.TopP), 1}, {"min-p", float64(s.MinP), 0},
		{"repeat penalty", float64(s.RepeatPenalty), 1}} {
		if p.value != 0 && p.value != p.off {
			text += fmt.Sprintf(", %s %g", p.name, float32(p.value))
		}
	}
	return text
}

// Penalizes reports whether what is drawn depends on the tokens before it otherwise than by the logits: on those of the
// prompt, or on those of the reply.
func (s Sampling) Penalizes() (prompt, reply bool) {
	prompt = s.RepeatPenalty != 0 && s.RepeatPenalty != 1
	return prompt, prompt || s.FrequencyPenalty != 0 || s.PresencePenalty != 0
}

// Deciding returns the part of the settings that decides what is drawn: at temperature 0 neither the seed does nor what
// shapes a draw.
func (s Sampling) Deciding() Sampling {
	if s.Temperature == 0 {
		s.Seed, s.TopK, s.TopP, s.MinP = 0, 0, 0, 0
	}
	return s
}

// The ranges of the numbers in Sampling.
var (
	TemperatureRange   = bounds.From(0.001, 100).OrZero() // a logit divided by less could be infinite
	TopKRange          = bounds.From(0, 1_000_000)
	TopPRange          = bounds.From(0, 1)
	MinPRange          = bounds.From(0, 1)
	RepeatPenaltyRange = bounds.From(0.01, 100).OrZero()
	RepeatLastNRange   = bounds.From(0, 1_000_000)
	AlternativesRange  = bounds.From(0, 1000)
	ReplyPenaltyRange  = bounds.From(-2, 2)     // of FrequencyPenalty and PresencePenalty
	BiasRange          = bounds.From(-100, 100) // of each token
)

// Validate refuses numbers out of their ranges.
func (s Sampling) Validate() error {
	return errors.Join(
		bounds.Check("temperature", s.Temperature, TemperatureRange), bounds.Check("top-k", s.TopK, TopKRange),
		bounds.Check("top-p", s.TopP, TopPRange),
		bounds.Check("min-p", s.MinP, MinPRange), bounds.Check("repeat-penalty", s.RepeatPenalty, RepeatPenaltyRange),
		bounds.Check("repeat-last-n", s.RepeatLastN, RepeatLastNRange),
		bounds.Check("alternatives", s.Alternatives, AlternativesRange),
		bounds.Check("frequency-penalty", s.FrequencyPenalty, ReplyPenaltyRange),
		bounds.Check("presence-penalty", s.PresencePenalty, ReplyPenaltyRange), s.checkBias(),
	)
}

func (s Sampling) checkBias() error {
	for i, b := range s.Bias {
		if i > 0 && b.Token <= s.Bias[i-1].Token {
			return fmt.Errorf("bias of token %d after that of token %d: must be in ascending order", b.Token,
				s.Bias[i-1].Token)
		}
		if err := bounds.Check("logit-bias", b.Bias, BiasRange); err != nil {
			return err
		}
	}
	return nil
}
