//go:build cgo && !llama_none

package llamacpp

// #cgo CXXFLAGS: -std=c++17
// #cgo linux LDFLAGS: -Wl,--wrap=ggml_backend_buffer_clear -Wl,--wrap=ggml_aligned_malloc
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models"
)

// Model is a loaded GGUF file.
type Model struct {
	c       *C.parley_model
	path    string
	file    models.Info
	info    C.parley_model_info
	kernels Kernels
	// how many of its layers are on devices, -1 for all, and the name of the device if one was named
	gpuLayers int
	device    string

	words             string          // how texts are split into words (tokenizer.ggml.pre)
	pieces            string          // what the vocabulary is (tokenizer.ggml.model)
	wordsEndWithLines func() bool     // endsWordsWithLines, asked once
	borders           func() *borders // makeBorders, asked once

	mu       sync.Mutex // guards what follows
	contexts int
	closed   bool
}

// loading is held by calls that take their error message from llama.cpp's log: the log is common to the process, so
// that complaints of two such calls would mix.
var loading sync.Mutex

// LoadModel checks a GGUF file with models.Inspect and loads it. Errors name the file and what is wrong with it; a
// damaged or malicious file gives an error too.
func LoadModel(path string, o ModelOptions) (*Model, error) {
	if err := checkAddresses(machine.AddressLimit()); err != nil {
		return nil, fmt.Errorf("model %q: %w", path, err)
	}
	initialize()
	file, err := models.Inspect(path)
	if err != nil {
		return nil, err
	}
	if err := CheckArchitecture(file.Architecture); err != nil {
		return nil, fmt.Errorf("model %q: %w", path, err)
	}
	if err := o.checkDevices(); err != nil {
		return nil, fmt.Errorf("model %q: %w", path, err)
	}
	target, err := kernels.Choose(o.Target)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w; change --kernels", path, err)
	}
	options := C.parley_model_options{
		gpu_layers: C.int32_t(o.GPULayers), use_mmap: C.bool(!o.NoMmap), vocab_only: C.bool(o.VocabOnly),
		target: C.int32_t(target.Index), own_products: C.bool(o.Kernels == KernelsParley && target.Products),
		device: C.CString(o.Device),
	}
	defer C.free(unsafe.Pointer(options.device))
	if o.Progress != nil {
		handle := cgo.NewHandle(o.Progress)
		defer handle.Delete()
		options.progress = C.uintptr_t(handle)
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var reason [C.PARLEY_ERROR_SIZE]C.char

	loading.Lock()
	defer loading.Unlock()
	var info C.parley_model_info
	c := C.parley_model_load(cpath, options, &info, &reason[0])
	if c == nil {
		return nil, fmt.Errorf("model %q: %s; check that the file is whole", path, C.GoString(&reason[0]))
	}
	m := &Model{c: c, path: path, file: file, info: info, kernels: o.Kernels, gpuLayers: o.GPULayers,
		device: o.Device}
	onDevices.add(m.device, m.deviceShare(m.SizeBytes()))
	about := m.Metadata()
	m.words, m.pieces = about["tokenizer.ggml.pre"], about["tokenizer.ggml.model"]
	m.wordsEndWithLines = sync.OnceValue(m.endsWordsWithLines)
	m.borders = sync.OnceValue(m.makeBorders)
	if err := m.checkBytes(); err != nil {
		m.Close()
		return nil, fmt.Errorf("model %q: %w", path, err)
	}
	return m, nil
}

// Close frees the model, which must not be used after it. It is idempotent, and refuses while contexts are open.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil
	case m.contexts > 0:
		return fmt.Errorf("model %q: %d contexts are still open", m.path, m.contexts)
	}
	m.closed = true
	C.parley_model_free(m.c)
	onDevices.add(m.device, -m.deviceShare(m.SizeBytes()))
	return nil
}

// maxMetadataBytes bounds a value that Metadata returns.
const maxMetadataBytes = 1 << 20

// Metadata returns the scalar key-value pairs of the file as text.
func (m *Model) Metadata() map[string]string {
	pairs := make(map[string]string)
	for i := range C.parley_model_meta_count(m.c) {
		key := text(256, func(b *C.char, n C.size_t) C.int32_t { return C.parley_model_meta_key(m.c, i, b, n) })
		pairs[key] = text(4096, func(b *C.char, n C.size_t) C.int32_t {
			return C.parley_model_meta_value(m.c, i, b, n)
		})
	}
	return pairs
}

// text calls a function that writes a string and returns its length, with a larger buffer if need be.
func text(size int, write func(*C.char, C.size_t) C.int32_t) string {
	for {
		buffer := make([]byte, size)
		n := int(write((*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(size)))
		switch {
		case n < 0:
			return ""
		case n < size:
			return string(buffer[:n])
		case n >= maxMetadataBytes:
			return string(buffer[:size-1])
		}
		size = n + 1
	}
}

// Description returns llama.cpp's one-line description: architecture, size, type.
func (m *Model) Description() string {
	return text(256, func(b *C.char, n C.size_t) C.int32_t { return C.parley_model_text(m.c, b, n) })
}

// ChatTemplate returns the Jinja source in the file, "" if there is none.
func (m *Model) ChatTemplate() string {
	if t := C.parley_model_template(m.c); t != nil {
		return C.GoString(t)
	}
	return ""
}

// ParameterCount returns the number of weights.
func (m *Model) ParameterCount() int64 { return int64(m.info.parameters) }

// SizeBytes returns the size of all tensors.
func (m *Model) SizeBytes() int64 { return int64(m.info.bytes) }

// TrainContext returns the number of tokens that the model was trained for.
func (m *Model) TrainContext() int { return int(m.info.train_context) }

// EmbeddingSize returns the model's width.
func (m *Model) EmbeddingSize() int { return int(m.info.embedding) }

// Layers returns the number of blocks.
func (m *Model) Layers() int { return int(m.info.layers) }

// VocabSize returns the number of tokens.
func (m *Model) VocabSize() int { return int(m.info.vocab) }

// MaxSequences returns how many sequences a context can have. Models with sliding windows need two of llama.cpp's for
// each.
func (m *Model) MaxSequences() int {
	if m.info.window > 0 {
		return maxSequences / 2
	}
	return maxSequences
}

// Recurrent reports whether some layers keep a state for each sequence, that after its last token: a sequence can be
// copied and emptied only as a whole.
func (m *Model) Recurrent() bool { return bool(m.info.recurrent) }

// MaxThreads returns how many threads can compute a step. Some states are divided among threads by their heads, and
// versions of llama.cpp before 0.8 leave heads out where there are more threads.
func (m *Model) MaxThreads() int {
	if heads := m.file.StateHeads; heads > 0 {
		return heads
	}
	return math.MaxInt
}

// StateBytes returns the memory for the states of one sequence, or 0 if no layer is recurrent.
func (m *Model) StateBytes() int64 { return m.file.StateBytes }

// KVBytesPerCell returns the memory for the keys and values of one token: layers x KV heads x head size x bytes, for
// keys and for values. It is 0 for a model without attention.
func (m *Model) KVBytesPerCell(key, value KVType) int64 {
	head := int64(m.info.embedding) / max(1, int64(m.info.heads))
	pairs := m.Metadata()
	arch := pairs["general.architecture"]
	size := func(name string, t KVType) int64 {
		n := head
		fmt.Sscan(pairs[arch+".attention."+name], &n)
		return n * kvTypes[t].bytes32 / 32
	}
	layers, heads := int64(m.info.layers), int64(m.info.kv_heads)
	if m.Recurrent() {
		layers, heads = int64(m.file.AttentionLayers), int64(m.file.KVHeads)
	}
	return layers * heads * (size("key_length", key) + size("value_length", value))
}

// NewContext makes a context. If its keys and values do not fit into the available memory, it fails with the numbers
// instead of trying.
func (m *Model) NewContext(o ContextOptions) (*Context, error) { return m.newContext(o, 0) }

// newContext makes a context that generates or, if a pooling is given, one for an Embedder.
func (m *Model) newContext(o ContextOptions, pooling Pooling) (*Context, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fmt.Errorf("model %q: %w", m.path, step.ErrClosed)
	}
	o.ensureDefaults()
	if err := m.check(o); err != nil {
		return nil, err
	}
	o.Threads = min(o.Threads, m.MaxThreads())
	var reason [C.PARLEY_ERROR_SIZE]C.char
	loading.Lock()
	defer loading.Unlock()
	c := C.parley_context_new(m.c, C.parley_context_options{
		cells: C.uint32_t(o.Cells), sequences: C.uint32_t(o.Sequences), batch: C.uint32_t(o.Batch),
		threads: C.int32_t(o.Threads), poll: C.int32_t(o.Poll), flash_attention: C.bool(m.kernels != KernelsPlain),
		own_kernels: C.bool(m.kernels == KernelsParley), watch: C.bool(m.gpuLayers == 0),
		key_type: C.int32_t(kvTypes[o.KeyType].ggml), value_type: C.int32_t(kvTypes[o.ValueType].ggml),
		unified: C.bool(!o.SeparateKV),
		pooling: C.int32_t(pooling),
	}, &reason[0])
	if c == nil {
		return nil, fmt.Errorf("model %q: context of %d cells and %d sequences: %s; lower --context or --parallel",
			m.path, o.Cells, o.Sequences, C.GoString(&reason[0]))
	}
	m.contexts++
	made := &Context{c: c, model: m, options: o, cells: int(C.parley_context_cells(c))}
	made.onDevices = m.deviceShare(made.MemoryBytes() + made.StateBytes())
	onDevices.add(m.device, made.onDevices)
	return made, nil
}

// checkAddresses refuses a limit of addresses under which the process would end without a word.
func checkAddresses(limit int64) error {
	const gib = 1 << 30
	if limit > 0 && limit < machine.LeastAddresses {
		return fmt.Errorf("this process may have %.2f GiB of addresses (ulimit -v), and needs %d GiB beside the "+
			"model: take the limit off with ulimit -v unlimited, or work in a job of the cluster, which has limits "+
			"of its own",
			float64(limit)/gib, machine.LeastAddresses/gib)
	}
	return nil
}

func (m *Model) check(o ContextOptions) error {
	const gib = 1 << 30
	states := int64(o.Sequences) * m.StateBytes()
	need, free := int64(o.Cells)*m.KVBytesPerCell(o.KeyType, o.ValueType), m.freeForCells(machine.AvailableMemory())
	switch {
	case o.Sequences < 1 || o.Sequences > m.MaxSequences():
		return fmt.Errorf("%d sequences: a context of this model has 1 to %d; change --parallel", o.Sequences,
			m.MaxSequences())
	case o.Cells < o.Sequences:
		return fmt.Errorf("%d cells for %d sequences: each needs one at least; raise --context", o.Cells, o.Sequences)
	case o.Threads < 1 || o.Threads > 512:
		return fmt.Errorf("%d threads: must be 1 to 512; change --threads", o.Threads)
	case o.Batch < 1 || o.Poll < 0 || o.Poll > 100:
		return errors.New("a batch has at least one row, and poll is 0 to 100")
	case free > 0 && states > free:
		return fmt.Errorf("model %q: the states of %d sequences need %.1f GiB, %.1f GiB are free; lower --parallel",
			m.path, o.Sequences, float64(states)/gib, float64(free)/gib)
	case free > 0 && need+states > free:
		free = max(0, free-states)
		per := m.KVBytesPerCell(o.KeyType, o.ValueType)
		advice := fmt.Sprintf("--context %d would fit", max(256, free/per/256*256))
		if small := m.KVBytesPerCell(KVQ8_0, KVQ8_0); per > small {
			advice += fmt.Sprintf(", or %d with --kv q8_0", max(256, free/small/256*256))
		}
		return fmt.Errorf("model %q: a context of %d cells needs %.1f GiB for keys and values, %.1f GiB are free; %s",
			m.path, o.Cells, float64(need)/gib, float64(free)/gib, advice)
	}
	return nil
}
