package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// askingFlags are the sampling of replies, their length, and the seed.
type askingFlags struct {
	sampling  samplingFlags
	maxTokens int
	endLoops  bool
	// of the embedded model only if the flag is given
	endLoopsGiven func() bool
	reasoning     string
	closing       bool
	seed          uint64
}

func (f *askingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.sampling.register(flags, " (default with all other sampling what the model's file or card says, or else 0.7 "+
		"with "+
		"--top-p 0.9; 1 for the embedded model)")
	addNumber(flags, &f.sampling.given.RepeatPenalty, "repeat-penalty", "", 0, inference.RepeatPenaltyRange,
		"penalty on the logits of the last 64 tokens; 0 and 1 for none")
	addNumber(flags, &f.maxTokens, "max-tokens", "", 0, inference.MaxTokensRange,
		"maximum length of a reply in tokens (default 256 for the embedded model, else 1024)")
	flags.BoolVar(&f.endLoops, "end-loops", true, "end a reply where it repeats itself, instead of at its length "+
		"(default with all but the embedded model)")
	f.endLoopsGiven = func() bool { return flags.Changed("end-loops") }
	addReasoning(flags, &f.reasoning, debate.HideReasoning)
	flags.BoolVar(&f.closing, "closing", true, "where a reply states no answer, ask for the answer alone; the "+
		"rules of "+
		"papers' programs do not tell, so that it is never asked with them")
	addNumber(flags, &f.seed, "seed", "s", 1, seedRange,
		"seed of the run; equal seeds give equal runs on the same machine and build")
}

// asking is how a model is asked, with the defaults for that model.
func (f *askingFlags) asking(model inference.ModelInfo) (a debate.Asking, err error) {
	a = debate.Asking{MaxTokens: cmp.Or(f.maxTokens, protocol.MaxTokens(model)),
		EndLoops:  f.endLoops && (!model.Embedded || f.endLoopsGiven()),
		Reasoning: f.reasoning, Closing: f.closing, Seeds: debate.Seeds{Run: f.seed}}
	a.Sampling, a.SamplingFrom, err = f.sampling.sampling(model)
	return a, exit.Usage(err)
}
