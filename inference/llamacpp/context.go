//go:build cgo && !llama_none

package llamacpp

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// Context is a KV cache with the sequences in it, and the threads that compute. One goroutine at a time may use it, and
// nobody after Close. The package comment has the duties of its caller.
type Context struct {
	c       *C.parley_context
	model   *Model
	options ContextOptions
	cells   int
	// bytes of the cells and states that lie on devices
	onDevices int64

	// What goes to C, kept from step to step so that a step allocates nothing. C reads and writes it during the call.
	samples  []C.parley_sample
	samplers []C.parley_sampler
	history  []Token
	biases   []TokenBias
	grammars []int32              // programs, each after how many numbers it has
	offsets  map[string]C.int32_t // where the program of each text begins in grammars
	programs map[string][]int32   // of texts
	sampled  []C.parley_sampled
}

// The structs of a batch go to C as they are.
var (
	_ [unsafe.Sizeof(MemoryOp{})]byte = [unsafe.Sizeof(C.parley_op{})]byte{}
	_ [unsafe.Sizeof(Row{})]byte      = [unsafe.Sizeof(C.parley_row{})]byte{}

	_ [unsafe.Sizeof(TokenBias{})]byte = [unsafe.Sizeof(C.parley_bias{})]byte{}
)

// Close frees the context. It is idempotent.
func (c *Context) Close() error {
	if c.c == nil {
		return nil
	}
	C.parley_context_free(c.c)
	c.c = nil
	onDevices.add(c.model.device, -c.onDevices)
	c.model.mu.Lock()
	defer c.model.mu.Unlock()
	c.model.contexts--
	return nil
}

// Cells returns the number of KV cells that there are; llama.cpp rounds up what was asked for.
func (c *Context) Cells() int { return c.cells }

// Sequences returns the number of sequences.
func (c *Context) Sequences() int { return c.options.Sequences }

// Threads returns the number of compute threads at present. It is lower than what was asked for while other programs
// use the cores.
func (c *Context) Threads() int { return int(C.parley_context_threads(c.c)) }

// Work counts the operations so far.
func (c *Context) Work() Work {
	w := C.parley_context_work(c.c)
	return Work{Attention: int(w.attention), Products: int(w.products), Left: int(w.left), Unordered: int(w.unordered)}
}

// Operations lists what the last step consisted of and who computes it, by our kernels first; operations that only move
// or rename data are left out. It is empty on a GPU.
func (c *Context) Operations() (list []Operation) {
	for line := range strings.Lines(C.GoString(C.parley_context_operations(c.c))) {
		fields := strings.Fields(line)
		n, err := strconv.Atoi(fields[len(fields)-1])
		if err == nil {
			list = append(list, Operation{Name: strings.Join(fields[1:len(fields)-1], " "), By: fields[0], Count: n})
		}
	}
	return list
}

// MemoryBytes returns the size of the KV cache.
func (c *Context) MemoryBytes() int64 {
	return int64(c.cells) * c.model.KVBytesPerCell(c.options.KeyType, c.options.ValueType)
}

// StateBytes returns the size of the states of all sequences, 0 if no layer is recurrent.
func (c *Context) StateBytes() int64 { return int64(c.options.Sequences) * c.model.StateBytes() }

// Memory says what the context has allocated. Any goroutine may call it, even while a step is under way.
func (c *Context) Memory() Memory {
	m := C.parley_context_memory(c.c)
	return Memory{Cells: c.MemoryBytes(), States: c.StateBytes(),
		Compute: int64(m.compute), Logits: int64(m.logits), Kernels: int64(m.kernels),
		Sampling: int64(m.sampling)}
}

// Step carries out a batch: memory operations in order, one decode of all rows, then the samples, into
// out[:len(b.Samples)], which it writes only if it succeeds. Without rows it changes memory alone. It is one call into
// C, and the batch is not kept.
//
// Cancelling ctx stops it within a few milliseconds with ErrAborted; the content of the context is then undefined.
// ErrNoSlot means that there were not enough cells: the memory operations were carried out, and nothing was decoded.
func (c *Context) Step(ctx context.Context, b *Batch, out []Sampled) error {
	if err := c.check(b, out); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrAborted, err)
	}
	defer c.until(ctx)()
	c.gather(b)
	var reason [C.PARLEY_ERROR_SIZE]C.char
	code := C.parley_step(c.c,
		(*C.parley_op)(unsafe.Pointer(unsafe.SliceData(b.Memory))), C.int32_t(len(b.Memory)),
		(*C.parley_row)(unsafe.Pointer(unsafe.SliceData(b.Rows))), C.int32_t(len(b.Rows)),
		(*C.int32_t)(unsafe.Pointer(unsafe.SliceData(b.Also))), unsafe.SliceData(c.samples), C.int32_t(len(c.samples)),
		unsafe.SliceData(c.samplers),
		(*C.int32_t)(unsafe.Pointer(unsafe.SliceData(c.history))),
		(*C.parley_bias)(unsafe.Pointer(unsafe.SliceData(c.biases))),
		(*C.int32_t)(unsafe.Pointer(unsafe.SliceData(c.grammars))),
		unsafe.SliceData(c.sampled), &reason[0])
	if err := c.failure(ctx, code, len(b.Rows), &reason[0]); err != nil {
		return err
	}
	if len(b.Rows) > 0 {
		c.scatter(out)
	}
	return nil
}

// until makes the end of ctx abort what C computes, until the returned function is called.
func (c *Context) until(ctx context.Context) (done func()) {
	C.parley_context_abort(c.c, 0)
	if ctx.Done() == nil {
		return func() {}
	}
	aborted := make(chan struct{})
	stop := context.AfterFunc(ctx, bug.Guarded(func() error {
		C.parley_context_abort(c.c, 1)
		return nil
	}, func(error) { close(aborted) }))
	return func() {
		if !stop() {
			<-aborted
		}
	}
}

// failure turns a status of C into an error.
func (c *Context) failure(ctx context.Context, status C.int, rows int, reason *C.char) error {
	switch status {
	case C.PARLEY_OK:
		return nil
	case C.PARLEY_NO_SLOT:
		return fmt.Errorf("%d rows: %w of %d cells; raise --context or lower --parallel", rows, ErrNoSlot, c.cells)
	case C.PARLEY_ABORTED:
		return fmt.Errorf("%w: %w", ErrAborted, context.Cause(ctx))
	default:
		return fmt.Errorf("decode of %d rows: %s", rows, C.GoString(reason))
	}
}

// check refuses a batch that C would not survive. It does not know what the sequences hold.
func (c *Context) check(b *Batch, out []Sampled) error {
	switch {
	case c.c == nil:
		return fmt.Errorf("step: %w", step.ErrClosed)
	case len(b.Rows) > min(c.options.Batch, c.cells):
		return fmt.Errorf("step of %d rows: the context was made for %d", len(b.Rows), min(c.options.Batch, c.cells))
	case len(out) < len(b.Samples):
		return fmt.Errorf("room for %d of %d samples", len(out), len(b.Samples))
	}
	for _, op := range b.Memory {
		if !c.hasSequence(op.Dst) || !c.hasSequence(op.Src) || op.From < 0 {
			return fmt.Errorf("memory operation %+v: there are %d sequences", op, c.options.Sequences)
		}
	}
	if err := c.checkRows(b); err != nil {
		return err
	}
	for _, s := range b.Samples {
		if err := c.checkSample(s, len(b.Rows)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Context) hasSequence(seq SeqID) bool { return seq >= 0 && int(seq) < c.options.Sequences }
func (c *Context) hasToken(token Token) bool  { return token >= 0 && int(token) < c.model.VocabSize() }

func (c *Context) checkRows(b *Batch) error {
	for _, r := range b.Rows {
		if !c.hasSequence(r.Seq) || !c.hasToken(r.Token) || r.Pos < 0 {
			return fmt.Errorf("row %+v: there are %d sequences and %d tokens", r, c.options.Sequences,
				c.model.VocabSize())
		}
		if r.Also < 0 || r.NAlso < 0 || int(r.Also)+int(r.NAlso) > len(b.Also) {
			return fmt.Errorf("row %+v: there are %d further sequences", r, len(b.Also))
		}
	}
	for _, seq := range b.Also {
		if !c.hasSequence(seq) {
			return fmt.Errorf("a row is stored for sequence %d: there are %d", seq, c.options.Sequences)
		}
	}
	return nil
}

func (c *Context) checkSample(s Sample, rows int) error {
	switch {
	case s.Seq == NoSeq && s.Start == nil:
		return errors.New("a sample of no sequence needs a sampler of its own")
	case s.Start != nil && s.Start.Forced != nil && !c.hasToken(*s.Start.Forced):
		return fmt.Errorf("forced token %d: the model has %d", *s.Start.Forced, c.model.VocabSize())
	case s.Seq != NoSeq && !c.hasSequence(s.Seq) || s.Row < 0 || int(s.Row) >= rows:
		return fmt.Errorf("sample of sequence %d from row %d: there are %d sequences and %d rows", s.Seq, s.Row,
			c.options.Sequences, rows)
	case s.Start != nil && s.Start.Grammar != "":
		_, err := c.program(s.Start.Grammar)
		return err
	}
	return nil
}

// gather lays the samples out for C as arrays without pointers: histories and grammars are ranges of common arrays.
func (c *Context) gather(b *Batch) {
	c.samples, c.samplers, c.history, c.biases = c.samples[:0], c.samplers[:0], c.history[:0], c.biases[:0]
	c.grammars = append(c.grammars[:0], 0) // never empty: C gets its address
	clear(c.offsets)
	for _, s := range b.Samples {
		sample := C.parley_sample{row: C.int32_t(s.Row), seq: C.int32_t(s.Seq), start: -1}
		if o := s.Start; o != nil {
			sample.start = C.int32_t(len(c.samplers))
			sample.history, sample.n_history = C.int32_t(len(c.history)), C.int32_t(len(o.History))
			c.history = append(c.history, o.History...)
			forced := Token(-1)
			if o.Forced != nil {
				forced = *o.Forced
			}
			how := o.Sampling
			c.samplers = append(c.samplers, C.parley_sampler{
				forced: C.int32_t(forced), grammar: c.offsetOf(o.Grammar),
				temperature: C.float(how.Temperature), top_k: C.int32_t(how.TopK), top_p: C.float(how.TopP),
				min_p:          C.float(how.MinP),
				repeat_penalty: C.float(how.RepeatPenalty), repeat_last_n: C.int32_t(how.RepeatLastN),
				frequency_penalty: C.float(how.FrequencyPenalty), presence_penalty: C.float(how.PresencePenalty),
				bias: C.int32_t(len(c.biases)), n_bias: C.int32_t(len(how.Bias)),
				alternatives: C.int32_t(how.Alternatives), drawn: C.int32_t(o.Drawn), seed: C.uint64_t(how.Seed),
			})
			c.biases = append(c.biases, how.Bias...)
		}
		c.samples = append(c.samples, sample)
	}
	c.sampled = slices.Grow(c.sampled[:0], len(b.Samples))[:len(b.Samples)]
}

// offsetOf returns where the program of a grammar begins in c.grammars, -1 for none. Each is there once.
func (c *Context) offsetOf(grammar string) C.int32_t {
	if grammar == "" {
		return -1
	}
	at, known := c.offsets[grammar]
	if !known {
		at = C.int32_t(len(c.grammars))
		numbers, _ := c.program(grammar) // which check has seen
		c.grammars = append(append(c.grammars, int32(len(numbers))), numbers...)
		if c.offsets == nil {
			c.offsets = make(map[string]C.int32_t)
		}
		c.offsets[grammar] = at
	}
	return at
}

// program compiles a grammar once. As many are kept as in C.
func (c *Context) program(grammar string) ([]int32, error) {
	if numbers, known := c.programs[grammar]; known {
		return numbers, nil
	}
	parsed, err := parseGrammar(grammar)
	if err != nil {
		return nil, err
	}
	if c.programs == nil || len(c.programs) >= 256 {
		c.programs = make(map[string][]int32)
	}
	c.programs[grammar] = parsed.compile()
	return c.programs[grammar], nil
}

func (c *Context) scatter(out []Sampled) {
	all := C.parley_context_alternatives(c.c)
	for i, s := range c.sampled {
		out[i] = Sampled{Token: Token(s.token), LogProb: float32(s.log_prob), End: s.end != 0,
			Stuck: step.Stuck(s.stuck)}
		if s.n_alternatives == 0 {
			continue
		}
		for _, a := range unsafe.Slice(all, int(s.alternatives+s.n_alternatives))[s.alternatives:] {
			out[i].Alternatives = append(out[i].Alternatives, Alternative{Token: Token(a.token),
				LogProb: float32(a.log_prob)})
		}
	}
}

// Logits returns a copy of the last step's logits of a row that was sampled from, nil for others. The step must have
// succeeded.
func (c *Context) Logits(row int) []float32 {
	p := C.parley_context_logits(c.c, C.int32_t(row))
	if p == nil {
		return nil
	}
	return slices.Clone(unsafe.Slice((*float32)(p), c.model.VocabSize()))
}
