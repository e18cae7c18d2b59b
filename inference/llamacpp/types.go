package llamacpp

import (
	"errors"
	"fmt"
)

var (
	// ErrNoCgo is returned by everything in a build without cgo.
	ErrNoCgo = errors.New("this build has no llama.cpp in it: build with `make build`, which needs gcc and g++")
	// ErrAborted is returned by a step whose context was cancelled.
	ErrAborted = errors.New("aborted")
	// ErrNoSlot is returned by a step for which the KV cache has no room.
	ErrNoSlot = errors.New("no room in the KV cache")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("closed")
)

// Token is a vocabulary id. SeqID is a sequence of a context, from 0.
type (
	Token int32
	SeqID int32
)

// ModelOptions say how to load a model. The zero value maps the file into memory and computes on the CPU.
type ModelOptions struct {
	GPULayers int // layers on the GPU, -1 for all; 0 computes on the CPU
	// name of the device for these layers (see Devices); "" leaves the choice to llama.cpp
	Device    string
	NoMmap    bool                        // read the file instead of mapping it
	VocabOnly bool                        // no weights: enough to tokenize
	Kernels   Kernels                     // default KernelsParley
	Progress  func(fraction float32) bool // called from 0 to 1; false gives up
}

// Kernels are the functions that compute most of a graph on the CPU: products with weights, and attention.
type Kernels int32

const (
	// KernelsParley are our own (matmul.hpp, attention.hpp): what several rows need is read once for all of them, and a
	// row's result does not depend on its neighbours, on where its cells lie or on the number of threads. What they
	// cannot do (rare quantisations, ALiBi, soft caps, sliding windows, separate caches, anything on a GPU) llama.cpp
	// does; Context.Work counts both.
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
	Threads    int    // default: one per physical core
	SeparateKV bool   // a KV cache of its own for each sequence, of Cells/Sequences cells; the default shares one
	KeyType    KVType // default F16
	ValueType  KVType // default F16; Q8_0 does not go with KernelsPlain
	Poll       int    // how long idle threads spin before they sleep, 0 to 100; default 0
}

func (o *ContextOptions) ensureDefaults() {
	setDefault(&o.Cells, 4096)
	setDefault(&o.Sequences, 1)
	setDefault(&o.Batch, 512)
	setDefault(&o.Threads, PhysicalCores())
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Sampler is how the tokens of a sequence are drawn: repetition penalty, top-k, top-p, min-p, temperature, in this
// order (llama.cpp's own), then a draw. Zero values switch a part off; temperature 0 is greedy, the lowest id winning
// ties.
//
// The draw uses a random number that is a hash of Seed and the token's index in its generation: it depends on nothing
// else, so that a generation is the same in any batch and beside any neighbours.
type Sampler struct {
	Temperature   float32
	TopP          float32
	MinP          float32
	RepeatPenalty float32
	TopK          int
	RepeatLastN   int // default 64
	Seed          uint64
	Rivals        int    // best other tokens to report with each token
	Drawn         int    // tokens of this generation that were drawn before: the place in its random stream
	Given         *Token // take this one, whatever its probability
	Grammar       string // GBNF that the reply has to follow, which CheckGrammar finds nothing wrong with; empty: none
}

// MemoryOp changes which sequences own which cells of the KV cache.
type MemoryOp struct {
	Kind     int32 // MemoryRemove or MemoryCopy
	Src, Dst SeqID // MemoryRemove uses Dst alone
	From, To int32 // positions, half-open; To < 0 is the end
}

// Kinds of MemoryOp.
const (
	MemoryRemove int32 = iota
	MemoryCopy
)

// Row is a token to decode, for Seq at position Pos, and for the sequences Batch.Also[Also:Also+NAlso], which must hold
// the same cells before it.
type Row struct {
	Token       Token
	Pos         int32
	Seq         SeqID
	Also, NAlso int32
}

// Sample asks for the next token of Seq from the logits of Rows[Row]; several may share a row.
type Sample struct {
	Row   int32
	Seq   SeqID    // NoSeq for a single token that no sequence goes on from; Start is then set
	Start *Sampler // resets the sampler of Seq; needed once for every sequence
	// with Start: what the repetition penalty has seen; where there is a grammar, the last Drawn are the reply so far
	History []Token
}

// NoSeq is no sequence.
const NoSeq SeqID = -1

// Batch is one step: memory operations in order, then one decode of all rows, then the samples.
type Batch struct {
	Memory  []MemoryOp
	Rows    []Row
	Also    []SeqID // see Row
	Samples []Sample
}

// Sampled is a drawn token.
type Sampled struct {
	Token   Token
	LogProb float32 // natural logarithm of its probability at temperature 1 over the whole vocabulary
	End     bool    // an end-of-generation token
	Stuck   bool    // the grammar allows no token of the model: End is set, and nothing was drawn
	Rivals  []Rival // best other tokens, best first; ties to the lower id
}

// Rival is a token that was not drawn.
type Rival struct {
	Token   Token
	LogProb float32
}

// Speed is what a machine can do at best, on all threads together.
type Speed struct {
	Bytes         float64 `json:"bytes_per_second"`          // read from memory
	FloatProducts float64 `json:"float_products_per_second"` // multiplied and added, 32 bits
	ByteProducts  float64 `json:"byte_products_per_second"`  // multiplied and added, 8 bits
}

// Best is the higher of each rate: what slows a machine down for a moment is no limit of it.
func (s Speed) Best(other Speed) Speed {
	return Speed{max(s.Bytes, other.Bytes), max(s.FloatProducts, other.FloatProducts),
		max(s.ByteProducts, other.ByteProducts)}
}

// DeviceInfo describes a device that llama.cpp can compute on.
type DeviceInfo struct {
	Name, Description string
	Kind              string // "cpu", "gpu", "integrated gpu" or "accelerator"
	FreeBytes         int64
	TotalBytes        int64
}

// GPU reports whether layers of a model can go there.
func (d DeviceInfo) GPU() bool { return d.Kind == "gpu" || d.Kind == "integrated gpu" }

// BuildInfo says what was compiled in.
type BuildInfo struct {
	Carrier  string          // module and version of the sources, "system library", or "none"
	Compiler string          // that of the shim, with its version
	Features map[string]bool // CPU features that ggml was compiled for: AVX2, FMA, REPACK, ...
}

// Memory is what a context has allocated, in bytes, by purpose. All but Cells are as of the last step.
type Memory struct {
	Cells    int64 // keys and values
	Compute  int64 // the buffers that graphs are computed in; 0 where a GPU computes, which nobody watches
	Logits   int64 // reserved for the rows that tokens are drawn from
	Kernels  int64 // kept by our kernels: activations in bytes, cells in order, scratch memory of the threads
	Sampling int64 // scratch memory of the threads that draw
}

// Work says who computed the operations of a context's graphs so far.
type Work struct {
	Attention int // by our kernel: one for each layer and step
	Products  int // with weights, by our kernel
	Left      int // matrix products that llama.cpp computed
	Unordered int // rows whose cells did not lie in the order of their sequence
}

// Invariance is what comparing the bits of one prompt's logits gave, computed in several ways.
type Invariance struct {
	Ways      int  // comparisons with the plain way
	Different int  // of these, how many had a bit that differs
	Logits    int  // compared in each
	Work      Work // done in all
}

// Holds reports whether a row's bits do not depend on its batch.
func (i Invariance) Holds() bool { return i.Ways > 0 && i.Different == 0 }

// Err says why it does not hold, nil if it does.
func (i Invariance) Err() error {
	switch {
	case i.Work.Left > 0:
		return fmt.Errorf("%d matrix products were left to llama.cpp, whose results depend on the batch: this "+
			"quantisation or build has no kernels of ours", i.Work.Left)
	case i.Work.Attention == 0:
		return errors.New("attention was left to llama.cpp, whose results depend on the batch: this architecture, " +
			"or a GPU, has no kernel of ours")
	case !i.Holds():
		return fmt.Errorf("in %d of %d ways to compute a prompt some bit of its logits differs", i.Different, i.Ways)
	}
	return nil
}
