package step

import (
	"errors"

	"github.com/parley-debate/parley/bounds"
)

// Sampling is how the next token is drawn. The zero value is greedy. The chain is that of llama.cpp, in its order:
// repetition penalty, top-k, top-p, min-p, temperature, draw. Of equally likely tokens, the lowest id comes first.
//
// The draw uses a random number that is a hash of Seed and the token's index in its generation: it depends on nothing
// else, so that a generation is the same in any batch and beside any neighbours.
type Sampling struct {
	Temperature   float32 `json:"temperature"`              // 0 is greedy
	TopK          int     `json:"top_k,omitempty"`          // 0 is off
	TopP          float32 `json:"top_p,omitempty"`          // 0 and 1 are off
	MinP          float32 `json:"min_p,omitempty"`          // 0 is off
	RepeatPenalty float32 `json:"repeat_penalty,omitempty"` // 0 and 1 are off
	RepeatLastN   int     `json:"repeat_last_n,omitempty"`  // tokens that the penalty looks back on; 0 means 64
	// IgnoreEnd goes on to the bound on tokens even if the model ends its reply, for measurements. The scheduler reads
	// it; no sampler does.
	IgnoreEnd bool   `json:"ignore_end,omitempty"`
	Seed      uint64 `json:"seed"` // the random stream
	// Alternatives is how many of the best other tokens are reported for each position. Records call them rivals.
	Alternatives int `json:"rivals,omitempty"`
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
)

// Validate refuses numbers out of their ranges.
func (s Sampling) Validate() error {
	return errors.Join(
		bounds.Check("temperature", s.Temperature, TemperatureRange), bounds.Check("top-k", s.TopK, TopKRange),
		bounds.Check("top-p", s.TopP, TopPRange),
		bounds.Check("min-p", s.MinP, MinPRange), bounds.Check("repeat-penalty", s.RepeatPenalty, RepeatPenaltyRange),
		bounds.Check("repeat-last-n", s.RepeatLastN, RepeatLastNRange),
		bounds.Check("alternatives", s.Alternatives, AlternativesRange),
	)
}
