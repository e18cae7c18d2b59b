package inference

import (
	"errors"

	"parley/bounds"
	"parley/inference/step"
	"parley/scheduler"
)

// The bounds of the numbers of a request and of an engine, for all who set them: flags, files of protocols and
// experiments, callers. Those of Sampling are declared with it.
var (
	TemperatureRange   = step.TemperatureRange
	TopKRange          = step.TopKRange
	TopPRange          = step.TopPRange
	MinPRange          = step.MinPRange
	RepeatPenaltyRange = step.RepeatPenaltyRange
	RepeatLastNRange   = step.RepeatLastNRange
	MaxTokensRange     = bounds.From(1, 10_000_000)

	ThreadsRange   = bounds.From(1, 512)
	ParallelRange  = bounds.From(1, scheduler.MaxSequences)
	ContextRange   = bounds.From(1, 2_000_000_000)
	GPULayersRange = bounds.From(-1, 10_000)
)

// validate refuses a request with a number out of bounds.
func (r Request) validate() error {
	return errors.Join(r.Sampling.Validate(), bounds.Check("max-tokens", r.MaxTokens, MaxTokensRange.OrZero()))
}
