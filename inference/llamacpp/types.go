package llamacpp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/kernels"
)

var (
	// ErrNoCgo is returned by all functions of a build without cgo.
	ErrNoCgo = errors.New("this build has no llama.cpp in it: build with `make build`, which needs gcc and g++")
	// ErrAborted is returned by a step whose context was cancelled.
	ErrAborted = errors.New("aborted")
	// ErrNoSlot is returned by a step for which the KV cache has no free cells.
	ErrNoSlot = errors.New("no room in the KV cache")
)

// A step is described in the types of package step, which the scheduler uses too.
type (
	Token       = step.Token
	SeqID       = step.SeqID
	MemoryOp    = step.MemoryOp
	Row         = step.Row
	Sample      = step.Sample
	Start       = step.Start
	Sampling    = step.Sampling
	TokenBias   = step.TokenBias
	Batch       = step.Batch
	Sampled     = step.Sampled
	Alternative = step.Alternative
)

// See package step.
const (
	NoSeq        = step.NoSeq
	MemoryRemove = step.Remove
	MemoryCopy   = step.Copy
)

// ModelOptions say how to load a model. The zero value maps the file into memory and computes on the CPU.
type ModelOptions struct {
	GPULayers int // layers on the GPU, -1 for all; 0 computes on the CPU
	// name of the device for these layers (see Devices); "" leaves the choice to llama.cpp
	Device    string
	NoMmap    bool                        // read the file instead of mapping it, into large pages on Linux
	VocabOnly bool                        // no weights: enough to tokenize
	Kernels   Kernels                     // default KernelsParley
	Target    string                      // the instructions that our kernels use; "" chooses (kernels.Choose)
	Progress  func(fraction float32) bool // called from 0 to 1; false gives up
}

// Kernels are the functions that compute most of a graph on the CPU: products with weights, and attention.
type Kernels int32

const (
	// KernelsParley are our own (matmul.hpp, attention.hpp). What several rows need is read once for all of them, and a
	// row's result does not depend on its neighbours, on where its cells lie or on the number of threads. llama.cpp
	// computes what they do not support (rare quantisations, ALiBi, separate caches, anything on a GPU); Context.Work
	// counts both. It also computes the states of recurrent layers, token by token or in chunks.
	KernelsParley Kernels = iota
	KernelsFlash          // llama.cpp's, with repacked weights and flash attention
	// llama.cpp's, with repacked weights and attention as two products over all cells, seen or not
	KernelsPlain
)

// KVType is the element type of the KV cache.
type KVType int32

// Element types of the KV cache.
const (
	KVF16 KVType = iota
	KVF32
	KVQ8_0
)

// kvTypes are ggml's numbers and the sizes of a row of 32 elements: Q8_0 has a two-byte scale for each.
var kvTypes = map[KVType]struct {
	ggml    int32
	bytes32 int64
}{KVF16: {1, 64}, KVF32: {0, 128}, KVQ8_0: {8, 34}}

// ContextOptions size a context. The zero value is completed by defaults.
type ContextOptions struct {
	Cells      int    // KV cells for all sequences together; default 4096
	Sequences  int    // 1 to 256; default 1
	Batch      int    // most rows of one step, which are computed at once; default 512
	Threads    int    // default: machine.Threads
	SeparateKV bool   // a KV cache of its own for each sequence, of Cells/Sequences cells; the default shares one
	KeyType    KVType // default F16
	ValueType  KVType // default F16; Q8_0 does not go with KernelsPlain
	Poll       int    // how long idle threads spin before they sleep, 0 to 100; default 0
}

func (o *ContextOptions) ensureDefaults() {
	setDefault(&o.Cells, 4096)
	setDefault(&o.Sequences, 1)
	setDefault(&o.Batch, 512)
	setDefault(&o.Threads, machine.Threads())
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Speed is the peak rate of a machine, see package kernels.
type Speed = kernels.Speed

// MeasureSpeed measures the peak rates of the machine with some number of threads. It takes about a second.
func MeasureSpeed(threads int) Speed {
	target, err := kernels.Choose("")
	if err != nil {
		return Speed{}
	}
	return target.Measure(threads)
}

// DeviceInfo describes a device that llama.cpp can compute on.
type DeviceInfo struct {
	Name, Description string
	Kind              string // "cpu", "gpu", "integrated gpu" or "accelerator"
	FreeBytes         int64
	TotalBytes        int64
}

// GPU reports whether the device can compute layers of a model.
func (d DeviceInfo) GPU() bool { return d.Kind == "gpu" || d.Kind == "integrated gpu" }

// BackendInfo describes a part of llama.cpp that computes on one kind of device.
type BackendInfo struct {
	Name    string // "CPU", "CUDA", "Vulkan", ...
	Devices int    // that it finds on this machine
}

// BuildInfo describes what was compiled in.
type BuildInfo struct {
	Llama    string          // version and tree of the sources of llama.cpp, version of ggml; or "none"
	Compiler string          // it compiled the shim, and is named with its version
	Features map[string]bool // CPU features that ggml was compiled for: AVX2, FMA, REPACK, ...
}

// String names the sources, the compiler and the CPU features. Runs record it.
func (b BuildInfo) String() string {
	var features []string
	for _, name := range slices.Sorted(maps.Keys(b.Features)) {
		if b.Features[name] {
			features = append(features, name)
		}
	}
	if b.Llama == "none" {
		return "no llama.cpp"
	}
	return fmt.Sprintf("llama.cpp %s, %s, %s", b.Llama, b.Compiler, strings.Join(features, " "))
}

// Memory is what a context has allocated, in bytes, by purpose. All fields but Cells are as of the last step.
type Memory struct {
	Cells    int64 // keys and values
	States   int64 // of recurrent layers
	Compute  int64 // the buffers that graphs are computed in; 0 if a GPU computes, since its graphs are not watched
	Logits   int64 // reserved for the rows that tokens are drawn from
	Kernels  int64 // kept by our kernels: rounded activations, cells in order, scratch memory of the threads
	Sampling int64 // scratch memory of the threads that draw
}

// Work counts the operations of a context's graphs so far, by who computed them.
type Work struct {
	Attention int // by our kernel: one for each layer and step
	Products  int // with weights, by our kernel
	Left      int // operations that llama.cpp computed in a way that depends on the batch
	Unordered int // rows whose cells had to be sorted into the order of their positions
}

// maxSequences is the limit that llama.cpp is compiled with (LLAMA_MAX_SEQ).
const maxSequences = 256

// Operation is a kind of operation of a model's graph.
type Operation struct {
	Name  string // in ggml, with the type of the weights of a product: "MUL_MAT_ID q4_K"
	By    string // one of the constants below
	Count int    // in one step
}

// Who computes an operation.
const (
	ByParley = "parley" // our kernels
	ByBatch  = "batch"  // llama.cpp, in an order that depends on what else is in the batch
	ByRow    = "row"    // llama.cpp, each row of the batch alone
)

// Invariance is the result of computing one prompt in several ways and comparing the bits of the logits.
type Invariance struct {
	Ways      int  // in which the prompt was computed besides the plain one
	Different int  // of these, those in which some bit differed
	Logits    int  // compared in each way
	Attends   bool // the model has layers with attention
	Theirs    bool // llama.cpp's kernels were asked for
	Work      Work // of all ways together

	Operations []Operation // of the last step
}

// left names the operations that depend on the batch.
func (i Invariance) left() string {
	var names []string
	for _, o := range i.Operations {
		if o.By == ByBatch {
			names = append(names, fmt.Sprintf("%d %s", o.Count, o.Name))
		}
	}
	return strings.Join(names, ", ")
}

// Holds reports whether the bits were the same in all ways.
func (i Invariance) Holds() bool { return i.Ways > 0 && i.Different == 0 }

// Err says why it does not hold, nil if it does.
func (i Invariance) Err() error {
	switch {
	case i.Work.Left > 0:
		why := "this architecture, quantisation or build has no kernels of ours"
		if i.Theirs {
			why = "its kernels were asked for"
		}
		return fmt.Errorf("operations were left to llama.cpp, whose results depend on the batch (%s in a step): %s",
			i.left(), why)
	case i.Work.Products == 0 || i.Attends && i.Work.Attention == 0:
		return errors.New("products or attention were left to llama.cpp, whose results depend on the batch: this " +
			"architecture, or a GPU, has no kernel of ours")
	case !i.Holds():
		return fmt.Errorf("in %d of %d ways to compute a prompt some bit of its logits differs", i.Different, i.Ways)
	}
	return nil
}

// Offloaded returns the share of a model's layers that devices compute, and whose weights and cells are there.
// llama.cpp 0.5 counts the output as one more layer, so that the share may be lower by one layer.
func (o ModelOptions) Offloaded(layers int) float64 {
	if o.GPULayers < 0 || o.GPULayers >= layers {
		return 1
	}
	return float64(o.GPULayers) / float64(layers)
}

// roomForCells returns how many bytes of cells fit where a share of them lies on devices with so much free memory and
// the others in that of the host; 0 stands for an unknown amount.
func roomForCells(share float64, host, device int64) (bytes int64) {
	for _, part := range []struct {
		share float64
		free  int64
	}{{1 - share, host}, {share, device}} {
		if part.share > 0 && part.free > 0 {
			if room := int64(float64(part.free) / part.share); bytes == 0 || room < bytes {
				bytes = max(1, room)
			}
		}
	}
	return bytes
}
