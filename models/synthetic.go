package models

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/parley-debate/parley/internal/platform"
)

// Synthetic describes the random weights to write.
type Synthetic struct {
	Shape    Shape
	Seed     uint64
	Progress func(done, total int64) // bytes; may be nil
}

// syntheticTemplate is ChatML.
const syntheticTemplate = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + " +
	"message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ " +
	"'<|im_start|>assistant\n' }}{% endif %}"

// WriteSynthetic writes an F16 GGUF file with random weights, to measure throughput and to test an architecture without
// a real model. Shape, tensor types and vocabulary size are those of the real one; the words are made up.
// llamacpp.Quantize makes other quantisations of it. Equal arguments give equal bytes. The file appears under its name
// only when it is complete.
func WriteSynthetic(path string, o Synthetic) error {
	if err := o.Shape.validate(); err != nil {
		return fmt.Errorf("synthetic model %q: %w", path, err)
	}
	out, err := platform.Replace(path, false)
	if err != nil {
		return fmt.Errorf("synthetic model: %w", err)
	}
	defer out.Cleanup()
	w := &ggufWriter{out: bufio.NewWriterSize(out, 1<<20)}
	w.write(o)
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("synthetic model %q: wrote %d bytes: %w", path, w.written, w.err)
	}
	return out.CloseAtomicallyReplace()
}

// ggufWriter writes little-endian values and remembers its first error.
type ggufWriter struct {
	out     *bufio.Writer
	written int64
	err     error
}

const alignment = 32

// pair is one entry of the metadata.
type pair struct {
	key   string
	value any
}

// write writes the whole file: metadata and table first, since readers find weights by the offsets in the table.
func (w *ggufWriter) write(o Synthetic) {
	tensors := o.Shape.tensors()
	w.metadata(len(tensors), o.Shape.metadata())
	total := w.tensorInfos(tensors)
	w.pad()
	w.weights(tensors, o, total)
}

// metadata writes the file up to the table of tensors.
func (w *ggufWriter) metadata(nTensors int, pairs []pair) {
	w.bytes([]byte("GGUF"))
	w.value(uint32(3))
	w.value(uint64(nTensors))
	w.value(uint64(len(pairs)))
	for _, p := range pairs {
		w.value(p.key)
		w.writeTyped(p.value)
	}
}

// tensorInfos writes the table of tensors and returns the size of their data.
func (w *ggufWriter) tensorInfos(tensors []tensor) (total int64) {
	for _, t := range tensors {
		w.tensorInfo(t, total)
		total += (t.bytes() + alignment - 1) / alignment * alignment
	}
	return total
}

// tensorInfo writes a row of the table of tensors. The offset counts from the end of the padded table, not of the
// file.
func (w *ggufWriter) tensorInfo(t tensor, offset int64) {
	w.value(t.name)
	w.value(uint32(len(t.dims)))
	for _, d := range t.dims {
		w.value(uint64(d))
	}
	w.value(t.kind)
	w.value(uint64(offset))
}

// weights writes all tensors. The numbers of a matrix have a standard deviation of 1/sqrt(inputs), which keeps
// activations and logits finite. They are copied from one pool at random offsets, so that the disk is the bottleneck
// and not the random generator.
func (w *ggufWriter) weights(tensors []tensor, o Synthetic, total int64) {
	random := rand.New(rand.NewPCG(o.Seed, 1))
	normal := make([]float64, 1<<18)
	for i := range normal {
		normal[i] = random.NormFloat64()
	}
	type pool struct {
		inputs int64
		kind   uint32
	}
	pools := map[pool][]byte{}
	begin := w.written
	for _, t := range tensors {
		if value, same := t.constant(); same {
			for range t.elements() {
				w.value(value)
			}
		} else {
			p := pool{t.dims[0], t.kind}
			if pools[p] == nil {
				pools[p] = numbersOf(normal, 1/math.Sqrt(float64(p.inputs)), p.kind)
			}
			w.fill(pools[p], t.bytes(), int(tensorTypes[t.kind].bytes), random)
		}
		w.pad()
		if o.Progress != nil {
			o.Progress(w.written-begin, total)
		}
	}
}

// constants are the numbers that fill tensors by the ends of their names: zeros for biases, what keeps states for some
// hundred tokens for the decays of Mamba and RWKV, and the mean of a token and the one before it.
var constants = []struct {
	end   string
	value float32
}{{"bias", 0}, {"norm.weight", 1}, {"ssm_a", -1.0 / 32}, {"ssm_d", 1}, {"time_mix_w0.weight", -4},
	{"time_mix_lerp_fused.weight", 0.5}, {"channel_mix_lerp_k.weight", 0.5}}

// constant returns the number that fills a tensor. Vectors that are not among constants are ones. Other matrices and
// the logits of attention sinks are random, and so are the biases of experts.
func (t tensor) constant() (value float32, same bool) {
	switch {
	case strings.HasSuffix(t.name, "attn_sinks.weight"), strings.HasSuffix(t.name, "_exps.bias"):
		return 0, false
	case strings.HasSuffix(t.name, "ssm_a") && len(t.dims) == 1: // of a gated delta net
		return -1, true
	}
	for _, c := range constants {
		if strings.HasSuffix(t.name, c.end) {
			return c.value, true
		}
	}
	return 1, len(t.dims) == 1
}

// fill writes pieces of a pool that begin at random places, at multiples of a number's width.
func (w *ggufWriter) fill(pool []byte, bytes int64, width int, random *rand.Rand) {
	for bytes > 0 && w.err == nil {
		from := random.IntN(len(pool)/(2*width)) * width
		n := min(bytes, int64(len(pool)-from))
		w.bytes(pool[from : int64(from)+n])
		bytes -= n
	}
}

// pad writes zeros up to the alignment that GGUF has where the metadata name no other.
func (w *ggufWriter) pad() {
	if rest := w.written % alignment; rest > 0 {
		w.bytes(make([]byte, alignment-rest))
	}
}

// bytes writes unless an earlier write failed: w.err is looked at once, at the end.
func (w *ggufWriter) bytes(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.out.Write(b)
		w.written += int64(n)
	}
}

// value writes a number, a bool, or a string after its length.
func (w *ggufWriter) value(v any) {
	if s, ok := v.(string); ok {
		w.value(uint64(len(s)))
		w.bytes([]byte(s))
		return
	}
	if w.err == nil {
		w.written += int64(binary.Size(v))
		w.err = binary.Write(io.Writer(w.out), binary.LittleEndian, v)
	}
}

// writeTyped writes the value of a key: first its type, then the value.
func (w *ggufWriter) writeTyped(v any) {
	switch v := v.(type) {
	case uint16:
		w.value(uint32(2))
		w.value(v)
	case uint32:
		w.value(uint32(4))
		w.value(v)
	case int32:
		w.value(uint32(5))
		w.value(v)
	case float32:
		w.value(uint32(6))
		w.value(v)
	case bool:
		w.value(uint32(7))
		w.value(v)
	case string:
		w.value(uint32(8))
		w.value(v)
	case []string:
		w.value(uint32(9))
		w.value(uint32(8))
		w.value(uint64(len(v)))
		for _, s := range v {
			w.value(s)
		}
	case []bool:
		w.value(uint32(9))
		w.value(uint32(7))
		w.value(uint64(len(v)))
		w.value(v)
	case []int32:
		w.value(uint32(9))
		w.value(uint32(5))
		w.value(uint64(len(v)))
		w.value(v)
	default:
		panic(fmt.Sprintf("no GGUF type for %T", v))
	}
}

// numbersOf encodes numbers times scale in single or half precision.
func numbersOf(numbers []float64, scale float64, kind uint32) (out []byte) {
	for _, x := range numbers {
		if kind == typeF32 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x*scale)))
		} else {
			out = binary.LittleEndian.AppendUint16(out, half(float32(x*scale)))
		}
	}
	return out
}

// half rounds to the nearest half. Numbers too small for a normal one become zero; too large ones do not occur here.
func half(f float32) uint16 {
	b := math.Float32bits(f) + 0x1000 // half of the last place that stays
	sign := uint16(b >> 16 & 0x8000)
	exponent := int(b>>23&0xFF) - 127 + 15
	switch {
	case exponent <= 0:
		return sign
	case exponent >= 31:
		return sign | 0x7BFF
	}
	return sign | uint16(exponent)<<10 | uint16(b>>13&0x3FF)
}
