package inference

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/scheduler"
)

// Option sets one property of a local engine.
type Option func(*options)

type options struct {
	model       llamacpp.ModelOptions
	context     llamacpp.ContextOptions
	parallel    int
	kernels     string
	mode        string
	kv          string
	calibration string // directory of measured costs; "" measures nothing
	stepCost    float64
	speculate   bool
	others      []modelFile
	placements  map[string]placement // of models that are not where GPULayers and Device say, by name
	forget      bool
	member      bool
	// in the place of the first model's own template, and for others that have none
	chatTemplate string
	generation   func(Generation) error
	known        func(key string) (Reply, bool)
}

func defaults() options {
	return options{
		kernels: "parley",
		mode:    Fast,
		kv:      "f16",
		context: llamacpp.ContextOptions{Batch: 512},
	}
}

// modelFile is a file, and how requests name the model in it.
type modelFile struct{ name, path string }

// Also opens another GGUF file, which replies to requests that name it (Request.Model). A file with the content of one
// that is open already is not opened again: it has two names. All options hold for each of the models, but for Place;
// the memory for their KV cells is shared out between them.
func Also(name, path string) Option {
	return func(o *options) { o.others = append(o.others, modelFile{name, path}) }
}

// Threads sets how many threads compute; 0, the default, is one per physical core.
func Threads(n int) Option { return func(o *options) { o.context.Threads = n } }

// Parallel sets how many generations run at once; 0, the default, is 64, or as many as Calibrated finds worthwhile. Up
// to four times as many sequences, at most 256, hold running and finished generations; the finished are kept for their
// prefixes.
func Parallel(n int) Option { return func(o *options) { o.parallel = n } }

// Context sets the number of KV cells for everything that runs or is kept; 0, the default, is 32,768 tokens (8,192 for
// the embedded model), or fewer if memory is short. It also bounds the longest single request.
func Context(cells int) Option { return func(o *options) { o.context.Cells = cells } }

// Modes of an engine.
const (
	// Fast allows whatever is fastest. Results may depend on the batch if our kernels do not cover the model.
	Fast = "fast"
	// Reproducible demands the same bits whatever the batch, the cache, the threads and the other requests. Open fails
	// if that does not hold for the model and machine.
	Reproducible = "reproducible"
)

// Mode chooses Fast, the default, or Reproducible.
func Mode(name string) Option { return func(o *options) { o.mode = name } }

// KV sets the element type of the KV cache: "f16" (the default), or "q8_0", which takes half the memory and is less
// precise.
func KV(name string) Option { return func(o *options) { o.kv = name } }

// GPULayers sets how many layers a GPU computes, if the build supports one; -1 is all.
func GPULayers(n int) Option { return func(o *options) { o.model.GPULayers = n } }

// Device names the device that computes the GPU layers; by default llama.cpp chooses.
func Device(name string) Option { return func(o *options) { o.model.Device = name } }

// ChatTemplate has conversations rendered with this template (Jinja), and not with the file's own. Of several models
// it is that of the first, and of others that have none.
func ChatTemplate(source string) Option { return func(o *options) { o.chatTemplate = source } }

// Place sets GPULayers and Device for one model of several, by the name that requests have for it, "" being the first:
// one of a team may be on a GPU, another on the CPU, a third on another GPU.
func Place(name string, gpuLayers int, device string) Option {
	return func(o *options) {
		if o.placements == nil {
			o.placements = make(map[string]placement)
		}
		o.placements[name] = placement{gpuLayers, device}
	}
}

// placement says where a model is computed.
type placement struct {
	gpuLayers int
	device    string
}

// placedAt returns the options of a model that is computed at a place.
func (o options) placedAt(p placement) (options, error) {
	o.model.GPULayers, o.model.Device = p.gpuLayers, p.device
	return o.complete()
}

// Calibrated measures the cost of a step and plans with it. The measurement takes a few seconds; its result is kept in
// dir/steps.json for each model, machine and build, with the load of the machine, until the steps of a run take twice
// or half as long or other work that held the cores then has ended.
func Calibrated(dir string) Option { return func(o *options) { o.calibration = dir } }

// StepCost sets the fixed cost of a step, in rows of its batch, so that plans are the same on every machine. 0, the
// default, leaves it to Calibrated.
func StepCost(rows float64) Option { return func(o *options) { o.stepCost = rows } }

// Speculate lets generations decode tokens before they are drawn, drafted from other agents' texts, earlier answers or
// other samples, if the cost of a step makes that pay. A draft is accepted only if its tokens would have been drawn
// without it, so replies stay the same unless they depend on the batch (see Mode).
func Speculate(on bool) Option { return func(o *options) { o.speculate = on } }

// Kernels chooses the code that computes on the CPU: "parley" (the default), our own kernels, whose results do not
// depend on the batch; or "flash" or "plain", those of llama.cpp with flash attention or without. "parley:" with the
// name of a target of package kernels forces the instructions that ours use; all targets give the same bits.
func Kernels(name string) Option { return func(o *options) { o.kernels = name } }

// Forget drops generations when they have finished, instead of keeping them for equal requests: for engines that run
// for days. Their cells stay as long as there is room.
func Forget() Option { return func(o *options) { o.forget = true } }

// Member has replies name their model (Reply.Model) also where the engine has only one: it is in a team.Engine.
func Member() Option { return func(o *options) { o.member = true } }

// OnGeneration sets a function that is called with every computed generation, in an order that depends on the work
// alone, before anybody sees its reply. An error from it ends the engine. The function must not call the engine.
func OnGeneration(f func(Generation) error) Option { return func(o *options) { o.generation = f } }

// Known sets a function that returns replies of an earlier run by their content keys (Reply.Key). Such a reply is used
// as it is and is not shown to OnGeneration. The function may be called from several goroutines.
func Known(f func(key string) (Reply, bool)) Option { return func(o *options) { o.known = f } }

// Generation is one computed generation, for a journal.
type Generation struct {
	Name          string
	Case          string // as in the request, like Round
	Round         int
	Messages      []Message
	Continuations []string // of a request that had them scored
	Sampling      Sampling
	Grammar       string
	MaxTokens     int
	Stop          []string
	EndLoops      bool
	Tool          string
	Joined        bool // nothing was computed for it: at temperature 0 one with another seed is the same
	Participant   int  // the order it joined with
	Agent, Sample int
	Reply         Reply
}

// Generation returns the generation of a request by the participant that joined with this order, without its reply.
func (r Request) Generation(participant int) Generation {
	return Generation{Name: r.Name, Case: r.Case, Round: r.Round, Messages: r.Messages, Continuations: r.Continuations,
		Sampling: r.Sampling, Grammar: r.Grammar, MaxTokens: r.MaxTokens, Stop: r.Stop, EndLoops: r.EndLoops,
		Tool:        r.Tool,
		Participant: participant, Agent: r.Agent, Sample: r.Sample}
}

// complete checks options and fills in those that follow from others.
func (o options) complete() (options, error) {
	if err := errors.Join(
		bounds.Check("threads", o.context.Threads, ThreadsRange.OrZero()), bounds.Check("parallel", o.parallel,
			ParallelRange.OrZero()),
		bounds.Check("context", o.context.Cells, ContextRange.OrZero()), bounds.Check("gpu-layers", o.model.GPULayers,
			GPULayersRange),
	); err != nil {
		return o, err
	}
	var named bool
	if o.kernels, o.model.Target, named = strings.Cut(o.kernels, ":"); named {
		if _, err := kernels.Choose(o.model.Target); err != nil || o.kernels != "parley" || o.model.Target == "" {
			return o, errors.Join(fmt.Errorf("kernels %s:%s: only parley has instructions to choose, of those that "+
				"parley doctor lists; change --kernels", o.kernels, o.model.Target), err)
		}
	}
	if o.model.GPULayers != 0 && o.kernels == "parley" {
		o.kernels = "flash" // ours are for the CPU
	}
	chosen, ok := map[string]llamacpp.Kernels{"parley": llamacpp.KernelsParley, "flash": llamacpp.KernelsFlash,
		"plain": llamacpp.KernelsPlain}[o.kernels]
	if !ok {
		return o, fmt.Errorf("kernels %q: must be parley, flash or plain; change --kernels", o.kernels)
	}
	o.model.Kernels = chosen
	kv, ok := map[string]llamacpp.KVType{"f16": llamacpp.KVF16, "q8_0": llamacpp.KVQ8_0}[o.kv]
	if !ok {
		return o, fmt.Errorf("KV cache of %q: must be f16 or q8_0; change --kv", o.kv)
	}
	o.context.KeyType, o.context.ValueType = kv, kv
	switch {
	case o.mode != Fast && o.mode != Reproducible:
		return o, fmt.Errorf("mode %q: must be %s or %s; change --mode", o.mode, Fast, Reproducible)
	case o.mode == Reproducible && o.model.GPULayers != 0:
		return o, fmt.Errorf("mode %s has not been shown to hold on a GPU; use --gpu-layers 0, or --mode %s",
			Reproducible, Fast)
	}
	return o, nil
}

// AnyGPU stands in records for the GPU that llama.cpp chose itself.
const AnyGPU = "any GPU"

// device names where the layers are computed, for records.
func (o *options) device() string {
	switch {
	case o.model.GPULayers == 0:
		return "CPU"
	case o.model.Device == "":
		return AnyGPU
	}
	return o.model.Device
}

// The bounds of the numbers of a request and of an engine, for all who set them: flags, files of protocols and
// experiments, callers. Those of Sampling are in its tags.
var (
	MaxTokensRange = bounds.From(1, 10_000_000)

	ThreadsRange   = bounds.From(1, 512)
	ParallelRange  = bounds.From(1, scheduler.MaxSequences)
	ContextRange   = bounds.From(1, 2_000_000_000)
	GPULayersRange = bounds.From(-1, 10_000)
)

// validate refuses a request with a number out of bounds.
func (r Request) validate() error {
	return errors.Join(r.Sampling.Validate(), bounds.Check("max-tokens", r.MaxTokens, MaxTokensRange.OrZero()),
		ending.CheckStops(r.Stop), r.checkTool())
}
