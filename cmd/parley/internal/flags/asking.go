package flags

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// Asking has the flags that say how a model is asked: the sampling of replies, their length, and the seed.
type Asking struct {
	sampling  Sampling
	maxTokens int
	endLoops  bool
	// endLoopsGiven tells whether the user set the flag: replies of the embedded model end in loops only then
	endLoopsGiven func() bool
	Reasoning     string
	closing       bool
	beliefs       bool
	Seed          uint64
}

// Register adds the flags.
func (f *Asking) Register(set *pflag.FlagSet) {
	f.sampling.Register(set, " (default with all other sampling what the model's file or card says, or else 0.7 "+
		"with --top-p 0.9; 1 for the embedded model)")
	Number(set, &f.maxTokens, "max-tokens", "", 0, inference.MaxTokensRange,
		"maximum length of a reply in tokens (default 256 for the embedded model, else 1024)")
	set.BoolVar(&f.endLoops, "end-loops", true, "end a reply where it repeats itself, instead of at its length "+
		"(default with all but the embedded model)")
	f.endLoopsGiven = func() bool { return set.Changed("end-loops") }
	AddReasoning(set, &f.Reasoning, debate.HideReasoning)
	set.BoolVar(&f.closing, "closing", true, "where a reply states no answer, ask for the answer alone; the "+
		"rules of "+
		"papers' programs do not tell, so that it is never asked with them")
	AddBeliefs(set, &f.beliefs)
	Number(set, &f.Seed, "seed", "s", 1, SeedRange,
		"seed of the run; equal seeds give equal runs on the same machine and build")
}

// AddBeliefs adds the flag that has beliefs measured.
func AddBeliefs(set *pflag.FlagSet, to *bool) {
	set.BoolVar(to, "beliefs", false, "measure how probable each answer is to an agent before and behind "+
		"each of its messages, without a reply depending on it; only models of this process tell")
}

// For returns how a model is asked, with the defaults for that model.
func (f *Asking) For(model inference.ModelInfo) (a debate.Asking, err error) {
	a = debate.Asking{MaxTokens: cmp.Or(f.maxTokens, protocol.MaxTokens(model)),
		EndLoops:  f.endLoops && (!model.Embedded || f.endLoopsGiven()),
		Reasoning: f.Reasoning, Closing: f.closing, Beliefs: f.beliefs,
		Seeds: debate.Seeds{Run: f.Seed}}
	a.Sampling, a.SamplingFrom, err = f.sampling.For(model)
	if !f.sampling.set.Changed("reasoning-tokens") {
		a.Sampling, a.SamplingFrom = model.BoundReasoning(a.Sampling, a.SamplingFrom, a.MaxTokens)
		a.UsualBound = true
	}
	return a, exit.Usage(err)
}
