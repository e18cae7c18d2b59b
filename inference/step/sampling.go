package step

import (
	"encoding/json"
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
//
// What else is to be known of its numbers, the list below says.
type Sampling struct {
	Temperature float32 `json:"temperature"`
	// only so many of the likeliest tokens are drawn; 0 is off
	TopK int `json:"top_k,omitempty"`
	// only the likeliest tokens of this total probability are drawn; 0 and 1 are off
	TopP float32 `json:"top_p,omitempty"`
	// only tokens with this share of the highest probability are drawn; 0 is off
	MinP float32 `json:"min_p,omitempty"`
	// the logits of tokens that were there are divided by it; 0 and 1 are off
	RepeatPenalty float32 `json:"repeat_penalty,omitempty"`
	// tokens that the penalty looks back on; 0 means 64
	RepeatLastN int `json:"repeat_last_n,omitempty"`
	// FrequencyPenalty is taken from the logit of a token for each time that the reply has it, and PresencePenalty once
	// if the reply has it, as with OpenAI. The prompt does not count. 0 is off.
	FrequencyPenalty float32 `json:"frequency_penalty,omitempty"`
	PresencePenalty  float32 `json:"presence_penalty,omitempty"`
	// Bias is added to logits before all else. Its tokens are in ascending order.
	Bias []TokenBias `json:"bias,omitempty"`
	// IgnoreEnd goes on to the bound on tokens even if the model ends its reply, for measurements. The scheduler reads
	// it; no sampler does.
	IgnoreEnd bool `json:"ignore_end,omitempty"`
	// a reply that has so many tokens of reasoning goes on with its answer: see inference.Request.MaxTokens
	ReasoningTokens Budget `json:"reasoning_tokens,omitzero"`
	// so often the reasoning goes on with another word where the model would end it
	ReasoningWaits int    `json:"reasoning_waits,omitempty"`
	Seed           uint64 `json:"seed"` // the random stream
	// Alternatives is how many of the best other tokens are reported for each position. Records call them rivals.
	Alternatives int `json:"rivals,omitempty"`
}

// openServers are the programs that let a client choose more than OpenAI does.
var openServers = []string{"vLLM", "SGLang", "llama-server", "Ollama", "parley serve"}

// parameters are all parameters, in the order of Sampling.
var parameters = []Parameter{
	{Name: "temperature", JSON: "temperature", Title: "temperature", Doc: "sampling temperature, 0 for greedy",
		Range: bounds.From(0.001, 100).OrZero(), Servers: []string{ServersAll}, Chosen: true, old: true,
		field: at(func(s *Sampling) *float32 { return &s.Temperature })},
	{Name: "top-k", JSON: "top_k", Title: "top-k", Doc: "sample among the k most likely tokens; 0 for all",
		Range: bounds.From(0, 1_000_000), Servers: openServers, Chosen: true, shapesDraw: true, old: true,
		field: at(func(s *Sampling) *int { return &s.TopK })},
	{Name: "top-p", JSON: "top_p", Title: "top-p",
		Doc:   "sample among the most likely tokens up to this total probability; 0 for all",
		Range: bounds.From(0, 1), Default: 1, Servers: []string{ServersAll}, Chosen: true, shapesDraw: true, old: true,
		field: at(func(s *Sampling) *float32 { return &s.TopP })},
	{Name: "min-p", JSON: "min_p", Title: "min-p",
		Doc:   "sample among tokens with at least this share of the best one's probability; 0 for all",
		Range: bounds.From(0, 1), Servers: openServers, Chosen: true, shapesDraw: true, old: true,
		field: at(func(s *Sampling) *float32 { return &s.MinP })},
	{Name: "repeat-penalty", JSON: "repeat_penalty", Title: "repeat penalty",
		Doc:   "penalty on the logits of the last 64 tokens; 0 and 1 for none",
		Range: bounds.From(0.01, 100).OrZero(), Default: 1, Servers: []string{"llama-server", "Ollama"}, old: true,
		field: at(func(s *Sampling) *float32 { return &s.RepeatPenalty })},
	{Name: "repeat-last-n", JSON: "repeat_last_n", Title: "tokens that the penalty looks back on",
		Range: bounds.From(0, 1_000_000), Default: 64, Servers: []string{"llama-server", "Ollama"}, old: true,
		field: at(func(s *Sampling) *int { return &s.RepeatLastN })},
	{Name: "frequency-penalty", JSON: "frequency_penalty", Title: "frequency penalty",
		Range: bounds.From(-2, 2), Servers: []string{"vLLM", "SGLang", "parley serve", "OpenAI-shaped"}, old: true,
		field: at(func(s *Sampling) *float32 { return &s.FrequencyPenalty })},
	{Name: "presence-penalty", JSON: "presence_penalty", Title: "presence penalty",
		Range: bounds.From(-2, 2), Servers: []string{"vLLM", "SGLang", "parley serve", "OpenAI-shaped"}, old: true,
		field: at(func(s *Sampling) *float32 { return &s.PresencePenalty })},
	{Name: "reasoning-tokens", JSON: "reasoning_tokens", Title: "reasoning tokens",
		Doc: "most tokens of reasoning before the answer, to which --max-tokens then applies alone; 0 has the model " +
			"answer without, by the switch of its template if it has one (enable_thinking, /no_think)",
		Range: bounds.From(0, 10_000_000), Chosen: true,
		Servers: []string{"llama-server", "vLLM", "SGLang", "Ollama", "parley serve"},
		field:   at(func(s *Sampling) *Budget { return &s.ReasoningTokens })},
	{Name: "reasoning-waits", JSON: "reasoning_waits", Title: "reasoning waits",
		Doc: "how often the reasoning is made to go on by \"Wait\" where the model would end it; needs " +
			"--reasoning-tokens",
		Range: bounds.From(0, 1000), Chosen: true, Servers: []string{"a model in this process"},
		field: at(func(s *Sampling) *int { return &s.ReasoningWaits })},
	{Name: "alternatives", JSON: "rivals", Title: "alternative tokens", Range: bounds.From(0, 1000), old: true,
		field: at(func(s *Sampling) *int { return &s.Alternatives })},
}

// Chosen are the parameters of a Sampling that experiments, members of a team and clients of a server choose, each by
// the name of its field in Sampling, where all else is said of it; nil leaves one as it is.
type Chosen struct {
	Temperature *float32 `yaml:"temperature,omitempty" json:"temperature,omitempty"`
	TopK        *int     `yaml:"top-k,omitempty" json:"top_k,omitempty"`
	TopP        *float32 `yaml:"top-p,omitempty" json:"top_p,omitempty"`
	MinP        *float32 `yaml:"min-p,omitempty" json:"min_p,omitempty"`

	ReasoningTokens *Budget `yaml:"reasoning-tokens,omitempty" json:"reasoning_tokens,omitempty"`
	ReasoningWaits  *int    `yaml:"reasoning-waits,omitempty" json:"reasoning_waits,omitempty"`
}

// Budget is a number of tokens of which 0 is one, and which need not be set: it is one more than the number, so that
// the zero value says that there is none. Records and files have the number.
type Budget int

// BudgetOf returns a budget of so many tokens.
func BudgetOf(tokens int) Budget { return Budget(tokens + 1) }

// Tokens returns the number; set reports whether there is one. What is below 0 was no budget where it was read.
func (b Budget) Tokens() (n int, set bool) { return int(b - min(1, max(0, b))), b != 0 }

// String returns the number, or "none".
func (b Budget) String() string {
	if n, set := b.Tokens(); set {
		return fmt.Sprint(n)
	}
	return "none"
}

// MarshalJSON implements json.Marshaler.
func (b Budget) MarshalJSON() ([]byte, error) {
	n, _ := b.Tokens()
	return json.Marshal(n)
}

// UnmarshalJSON implements json.Unmarshaler. Validate refuses what is below 0.
func (b *Budget) UnmarshalJSON(text []byte) error {
	var n int
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*b = BudgetOf(n)
	if n < 0 {
		*b = Budget(n)
	}
	return nil
}

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (b *Budget) UnmarshalYAML(text []byte) error { return b.UnmarshalJSON(text) }

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
	for _, p := range Parameters()[1:] {
		if value := p.Of(s); p.Doc != "" && p.Given(s) && (value == 0 || value != p.Default) {
			text += fmt.Sprintf(", %s %g", p.Title, float32(value))
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
		s.Seed = 0
		for _, p := range Parameters() {
			if p.shapesDraw {
				p.Copy(&s, Sampling{})
			}
		}
	}
	return s
}

// biasRange is what can be added to the logit of a token.
var biasRange = bounds.From(-100, 100)

// Validate refuses numbers out of their ranges.
func (s Sampling) Validate() error {
	var wrong []error
	for _, p := range Parameters() {
		if !p.Range.Has(p.Of(s)) {
			wrong = append(wrong, bounds.Error{Name: p.Name, Value: fmt.Sprint(p.Value(s)), Range: p.Range})
		}
	}
	if n, _ := s.ReasoningTokens.Tokens(); s.ReasoningWaits > 0 && n <= 0 {
		wrong = append(wrong, fmt.Errorf("reasoning-waits %d without reasoning-tokens: say how long the model may "+
			"reason", s.ReasoningWaits))
	}
	return errors.Join(append(wrong, s.checkBias())...)
}

func (s Sampling) checkBias() error {
	for i, b := range s.Bias {
		if i > 0 && b.Token <= s.Bias[i-1].Token {
			return fmt.Errorf("bias of token %d after that of token %d: must be in ascending order", b.Token,
				s.Bias[i-1].Token)
		}
		if err := bounds.Check("logit-bias", b.Bias, biasRange); err != nil {
			return err
		}
	}
	return nil
}
