package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/bench/trial"
	"parley/bounds"
	"parley/debate"
	"parley/debate/prompts"
	"parley/inference"
	"parley/inference/llamacpp"
	"parley/models"
)

// engineFlags choose the model and how it is run.
type engineFlags struct {
	model     string
	threads   int
	parallel  int
	context   int
	speculate bool
	gpuLayers int
	device    string
	kernels   string
	mode      string
	kv        string
}

func (f *engineFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.model, "model", "m", models.EmbeddedName,
		"GGUF file, or the name of one that `parley models` lists")
	addNumber(flags, &f.threads, "threads", "t", 0, inference.ThreadsRange.OrZero(),
		"threads that compute (default one per physical core)")
	addNumber(flags, &f.parallel, "parallel", "p", 0, inference.ParallelRange.OrZero(),
		"most generations at once (default by what a step costs, measured once and kept)")
	addNumber(flags, &f.context, "context", "c", 0, inference.ContextRange.OrZero(),
		"KV cells, in tokens, for all that runs or is kept "+
			"(default 32,768, 8,192 for the embedded model, fewer where memory is short)")
	flags.BoolVar(&f.speculate, "speculate", true,
		"decode ahead what other agents' texts and earlier answers suggest, where it pays; only what would be drawn "+
			"anyway is kept")
	addNumber(flags, &f.gpuLayers, "gpu-layers", "", 0, inference.GPULayersRange, "layers on the GPU, -1 for all")
	flags.StringVar(&f.kernels, "kernels", "parley",
		"what computes on the CPU: parley, whose results do not depend on the batch, or llama.cpp's with flash or "+
			"plain attention")
	flags.StringVar(&f.mode, "mode", inference.Fast,
		"fast, or reproducible: the same text whatever else is in the batch, refused where that does not hold")
	flags.StringVar(&f.kv, "kv", "f16", "elements of the KV cache: f16, or q8_0, which takes half the memory and rounds")
	flags.StringVar(&f.device, "device", "", "GPU to use, as `parley doctor` names it")
}

// open starts the engine, and warns where the build leaves the machine's vector units unused.
func (f *engineFlags) open(cmd *cobra.Command, more ...inference.Option) (*inference.Local, error) {
	path, err := models.Resolve(f.model)
	if err != nil {
		return nil, input(err)
	}
	if kernels := cmd.Flag("kernels"); f.gpuLayers != 0 && kernels != nil && kernels.Changed && f.kernels == "parley" {
		return nil, usage(errors.New("--kernels parley are for the CPU, and --gpu-layers puts layers elsewhere: " +
			"take flash or plain"))
	}
	options := []inference.Option{
		inference.Threads(f.threads), inference.Parallel(f.parallel), inference.Context(f.context),
		inference.GPULayers(f.gpuLayers), inference.Device(f.device),
		inference.Kernels(f.kernels), inference.Mode(f.mode), inference.KV(f.kv), inference.Calibrated(cacheDir()),
		inference.Speculate(f.speculate),
	}
	if vectors := examineFeatures(llamacpp.Build()); vectors.Verdict == "warning" {
		fmt.Fprintln(cmd.ErrOrStderr(), "parley: warning:", vectors.Detail)
	}
	engine, err := inference.Open(path, append(options, more...)...)
	return engine, input(err)
}

// cacheDir is where this user keeps what programs can find out again.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "parley")
}

// askingFlags say how agents are asked.
type askingFlags struct {
	sampling  inference.Sampling
	maxTokens int
	seed      uint64
}

func (f *askingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	addNumber(flags, &f.sampling.Temperature, "temperature", "", 1, inference.TemperatureRange,
		"0 is greedy; the sources set none, which was 1.0 at their provider")
	addNumber(flags, &f.sampling.TopK, "top-k", "", 0, inference.TopKRange, "keep the best k tokens (0 keeps all)")
	addNumber(flags, &f.sampling.TopP, "top-p", "", 0, inference.TopPRange,
		"keep the best tokens that make up this probability (0 keeps all)")
	addNumber(flags, &f.sampling.MinP, "min-p", "", 0, inference.MinPRange,
		"keep tokens with at least this share of the best one's probability (0 keeps all)")
	addNumber(flags, &f.sampling.RepeatPenalty, "repeat-penalty", "", 0, inference.RepeatPenaltyRange,
		"divide the logits of the last 64 tokens (0 and 1 are off)")
	addNumber(flags, &f.maxTokens, "max-tokens", "", 0, inference.MaxTokensRange,
		"longest reply in tokens (default 256 for the embedded model, else 1024)")
	addNumber(flags, &f.seed, "seed", "s", 1, seedRange,
		"seed of the run: equal seeds give equal runs on one machine and build")
}

// asking completes how a model is asked.
func (f *askingFlags) asking(model inference.ModelInfo) (debate.Asking, error) {
	maxTokens := f.maxTokens
	if maxTokens == 0 && model.Embedded {
		maxTokens = 256
	}
	return debate.Asking{Sampling: f.sampling, MaxTokens: maxTokens, Seeds: debate.Seeds{Run: f.seed}}, nil
}

// societyFlags describe a debate to compare.
type societyFlags struct {
	askingFlags
	agents, rounds   int
	reading, prompts string
}

func (f *societyFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	addNumber(flags, &f.agents, "agents", "n", 3, settingRange("agents"), "agents")
	addNumber(flags, &f.rounds, "rounds", "r", 2, settingRange("rounds"),
		"rounds, the first one included in which all answer alone")
	flags.StringVar(&f.reading, "reading", debate.ReadingCode,
		"of source 0 where its paper and code differ: code or paper")
	flags.StringVar(&f.prompts, "prompts", "", "prompt set, or a .yaml file (default tiny for the embedded model, "+
		"madc-math for MATH, else madc)")
	f.askingFlags.register(cmd)
}

// settingRange is what a number among a protocol's settings can be.
func settingRange(name string) bounds.Range {
	r, _ := debate.RangeOf(name)
	return r
}

// society completes a debate for a model and an answer rule, and names the prompts if nobody did.
func (f *societyFlags) society(model inference.ModelInfo, rule string) (debate.Society, error) {
	order, err := debate.ParseOrder("", f.reading)
	if err != nil {
		return debate.Society{}, usage(err)
	}
	f.prompts = cmp.Or(f.prompts, trial.PromptSet(model, rule))
	set, err := prompts.Load(f.prompts)
	if err != nil {
		return debate.Society{}, input(err)
	}
	asking, err := f.asking(model)
	return debate.Society{Asking: asking, Agents: f.agents, Rounds: f.rounds, Exchange: debate.Exchange{Order: order},
		Prompts: set}, err
}
