package inference

import (
	"errors"

	"parley/bounds"
	"parley/scheduler"
)

// What the numbers of a request and of an engine can be, for all who set them: flags, files of protocols and
// experiments, callers.
var (
	TemperatureRange   = bounds.From(0.001, 100).OrZero() // below, logits divided by it are infinite
	TopKRange          = bounds.From(0, 1_000_000)
	TopPRange          = bounds.From(0, 1)
	MinPRange          = bounds.From(0, 1)
	RepeatPenaltyRange = bounds.From(0.01, 100).OrZero()
	RepeatLastNRange   = bounds.From(0, 1_000_000)
	RivalsRange        = bounds.From(0, 1000)
	MaxTokensRange     = bounds.From(1, 10_000_000)

	ThreadsRange   = bounds.From(1, 512)
	ParallelRange  = bounds.From(1, scheduler.MaxSequences)
	ContextRange   = bounds.From(1, 2_000_000_000)
	GPULayersRange = bounds.From(-1, 10_000)
)

// Validate refuses what is no way to draw a token. The zero value is one.
func (s Sampling) Validate() error {
	return errors.Join(
		bounds.Check("temperature", s.Temperature, TemperatureRange), bounds.Check("top-k", s.TopK, TopKRange),
		bounds.Check("top-p", s.TopP, TopPRange),
		bounds.Check("min-p", s.MinP, MinPRange), bounds.Check("repeat-penalty", s.RepeatPenalty, RepeatPenaltyRange),
		bounds.Check("repeat-last-n", s.RepeatLastN, RepeatLastNRange), bounds.Check("rivals", s.Rivals, RivalsRange),
	)
}

// validate refuses a request with a number that means nothing.
func (r Request) validate() error {
	return errors.Join(r.Sampling.Validate(), bounds.Check("max-tokens", r.MaxTokens, MaxTokensRange.OrZero()))
}
