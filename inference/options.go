package inference

import (
	"errors"
	"fmt"

	"parley/bounds"
	"parley/inference/llamacpp"
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
	calibration string // directory of measured costs, "" to measure nothing
	stepCost    float64
	speculate   bool
	generation  func(Generation) error
	known       func(key string) (Reply, bool)
}

func defaults() options {
	return options{
		kernels: "parley",
		mode:    Fast,
		kv:      "f16",
		context: llamacpp.ContextOptions{Batch: 512},
	}
}

// Threads sets how many threads compute; 0, the default, is one per physical core.
func Threads(n int) Option { return func(o *options) { o.context.Threads = n } }

// Parallel sets how many generations run at once; 0, the default, is 64, or as many as Calibrated finds worth while. Up
// to four times as many finished ones are kept for their prefixes, 256 in all.
func Parallel(n int) Option { return func(o *options) { o.parallel = n } }

// Context sets the number of KV cells for everything that runs or is kept; 0, the default, is 32,768 tokens (8,192 for
// the embedded model), or fewer where memory is short. It bounds the longest single request too.
func Context(cells int) Option { return func(o *options) { o.context.Cells = cells } }

// Modes of an engine.
const (
	// whatever is fastest; results may depend on the batch where our kernels do not cover the model
	Fast = "fast"
	// the same bits whatever the batch, the cache, the threads and what else runs; Open refuses where that does not
	// hold
	Reproducible = "reproducible"
)

// Mode chooses one; the default is Fast.
func Mode(name string) Option { return func(o *options) { o.mode = name } }

// KV sets the element type of the KV cache: "f16" (the default), or "q8_0", which takes half the memory and rounds.
func KV(name string) Option { return func(o *options) { o.kv = name } }

// GPULayers sets how many layers go to a GPU, where the build has one; -1 is all.
func GPULayers(n int) Option { return func(o *options) { o.model.GPULayers = n } }

// Device names the device that takes the GPU layers; the default is to let llama.cpp choose.
func Device(name string) Option { return func(o *options) { o.model.Device = name } }

// Calibrated measures what a step costs, once for each model, machine and build (a second or a few; kept in dir), and
// plans with that.
func Calibrated(dir string) Option { return func(o *options) { o.calibration = dir } }

// StepCost says what a step costs whatever is in it, in rows of its batch, for plans that are the same everywhere. 0,
// the default, leaves it to Calibrated.
func StepCost(rows float64) Option { return func(o *options) { o.stepCost = rows } }

// Speculate has tokens decoded ahead that other agents' texts, earlier answers or other samples suggest, where that
// pays by what a step costs. Only what would have been drawn without is accepted; replies are the same wherever they do
// not depend on the batch (see Mode).
func Speculate(on bool) Option { return func(o *options) { o.speculate = on } }

// Kernels chooses what computes on the CPU: "parley" (the default), our own, whose results do not depend on the batch,
// or "flash" or "plain", llama.cpp's with the one or the other attention.
func Kernels(name string) Option { return func(o *options) { o.kernels = name } }

// OnGeneration is called with every generation that was computed, in an order that depends on the work alone, before
// anybody sees its reply. An error ends the engine. The function must not call the engine.
func OnGeneration(f func(Generation) error) Option { return func(o *options) { o.generation = f } }

// Known gives replies that an earlier run has computed, by the content keys of Reply.Key: they are taken as they are,
// and not observed again. The function may be called from several goroutines.
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
	Participant   int // the order it joined with
	Agent, Sample int
	Reply         Reply
}

func (o *options) complete() error {
	if err := errors.Join(
		bounds.Check("threads", o.context.Threads, ThreadsRange.OrZero()), bounds.Check("parallel", o.parallel,
			ParallelRange.OrZero()),
		bounds.Check("context", o.context.Cells, ContextRange.OrZero()), bounds.Check("gpu-layers", o.model.GPULayers,
			GPULayersRange),
	); err != nil {
		return err
	}
	if o.model.GPULayers != 0 && o.kernels == "parley" {
		o.kernels = "flash" // ours are for the CPU
	}
	kernels, ok := map[string]llamacpp.Kernels{"parley": llamacpp.KernelsParley, "flash": llamacpp.KernelsFlash,
		"plain": llamacpp.KernelsPlain}[o.kernels]
	if !ok {
		return fmt.Errorf("kernels %q: must be parley, flash or plain; change --kernels", o.kernels)
	}
	o.model.Kernels = kernels
	kv, ok := map[string]llamacpp.KVType{"f16": llamacpp.KVF16, "q8_0": llamacpp.KVQ8_0}[o.kv]
	if !ok {
		return fmt.Errorf("KV cache of %q: must be f16 or q8_0; change --kv", o.kv)
	}
	o.context.KeyType, o.context.ValueType = kv, kv
	switch {
	case o.mode != Fast && o.mode != Reproducible:
		return fmt.Errorf("mode %q: must be %s or %s; change --mode", o.mode, Fast, Reproducible)
	case o.mode == Reproducible && o.model.GPULayers != 0:
		return fmt.Errorf("mode %s: nobody has shown it on a GPU; use --gpu-layers 0, or --mode %s", Reproducible, Fast)
	}
	return nil
}

// AnyGPU is where layers are that llama.cpp was left to place.
const AnyGPU = "any GPU"

// device is where the layers are computed, for records.
func (o *options) device() string {
	switch {
	case o.model.GPULayers == 0:
		return "CPU"
	case o.model.Device == "":
		return AnyGPU
	}
	return o.model.Device
}
