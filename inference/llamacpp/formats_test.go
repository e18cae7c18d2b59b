package llamacpp_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// format is one of the formats that our products cover.
type format struct{ kernels.Format }

// block is one of a row, whose scales are about 1/16. All bits of row 0 are ones, except for scales, and those of row 1
// are zeros: the largest numbers of a format and the smallest. Those of other rows are random.
func (f format) block(random *rand.Rand, row int) []byte {
	b := make([]byte, f.Bytes)
	for i := range b {
		switch row {
		case 0:
			b[i] = 0xff
		case 1:
			b[i] = 0
		default:
			b[i] = byte(random.Uint32())
		}
	}
	for _, at := range f.Halves {
		binary.LittleEndian.PutUint16(b[at:], 0x2c00|uint16(random.Uint32())&0x83ff)
	}
	switch f.Name {
	case "mxfp4": // the exponent of the scale, which is subnormal for 0 and 1
		if b[0] = byte(120 + random.IntN(8)); row == 2 || row == 3 {
			b[0] = byte(row - 2)
		}
	case "f32":
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(random.NormFloat64())))
	case "bf16":
		binary.LittleEndian.PutUint16(b, 0x3d80|uint16(random.Uint32())&0x807f)
	}
	return b
}

func (f format) matrix() (out []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for row := range formatRows {
		for range formatWidth / f.Weights {
			out = append(out, f.block(random, row)...)
		}
	}
	return out
}

// The rows do not fill the last panel of sixteen.
const formatWidth, formatRows, formatTokens = 512, 509, 7

// alone is a model whose logits are products of the output layer, in a format, with activations of 127 and -127: its
// layers add nothing, embeddings are 1 and -1, and the last norm multiplies them by 127. Rounded to eight bits with a
// scale of 1, these activations stay what they are, for any way to round, so that products are exact but for the sums
// of blocks. The embedding of token 0 is positive everywhere, that of token 1 negative.
func (f format) alone(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.Name+".gguf")
	shape := models.Shape{Name: f.Name, Family: "llama", Layers: 1, Width: formatWidth, Heads: 2, KVHeads: 1,
		HeadDim: 32, FeedForward: 32, Vocab: formatRows, Context: 64, RotaryBase: 1e4}
	if err := models.WriteSynthetic(path, models.Synthetic{Shape: shape}); err != nil {
		t.Fatal(err)
	}
	content := datatest.Read(t, path)
	file, random := modeltest.Parse(content), rand.New(rand.NewPCG(3, 4))
	file.Set("llama.attention.layer_norm_rms_epsilon", float32(0))
	file.Data = nil
	for i := range file.Tensors {
		tensor := &file.Tensors[i]
		tensor.Kind, tensor.Offset = 0, uint64(len(file.Data))
		n := uint64(1)
		for _, d := range tensor.Dims {
			n *= d
		}
		number := func(uint64) float32 { return 0 }
		switch tensor.Name {
		case "output.weight":
			tensor.Kind = f.Type
			file.Data = append(file.Data, f.matrix()...)
			n = 0
		case "output_norm.weight":
			number = func(uint64) float32 { return 127 }
		case "token_embd.weight":
			number = func(at uint64) float32 {
				if token := at / formatWidth; token == 0 || token > 1 && random.IntN(2) == 0 {
					return 1
				}
				return -1
			}
		}
		for at := range n {
			file.Data = binary.LittleEndian.AppendUint32(file.Data, math.Float32bits(number(at)))
		}
		file.Data = append(file.Data, make([]byte, -len(file.Data)&31)...)
	}
	datatest.Write(t, path, file.Bytes())
	return path
}

// TestFormats multiplies blocks of random bits of every format with whole numbers, alone and in a batch: the bits are
// the same, and the results those of llama.cpp but for the order of sums. A block that is misread anywhere shows.
func TestFormats(t *testing.T) {
	needsKernels(t)
	for _, f := range kernels.Formats() {
		f := format{f}
		t.Run(f.Name, func(t *testing.T) {
			path := f.alone(t)
			ours, theirs := f.products(t, path, llamacpp.KernelsParley), f.products(t, path, llamacpp.KernelsFlash)
			for row := range formatRows {
				var difference, square float64
				for token := range ours {
					d := float64(ours[token][row]) - float64(theirs[token][row])
					difference, square = difference+d*d, square+math.Pow(float64(theirs[token][row]), 2)
				}
				if !(difference <= 1e-10*square) {
					t.Fatalf("products of row %d differ by %.2g of their size, want at most 1e-5", row,
						math.Sqrt(difference/square))
				}
			}
		})
	}
}

// products are the logits after each token, computed for all in one batch and, by our kernels, for each alone.
func (f format) products(t *testing.T, path string, kernels llamacpp.Kernels) (logits [][]float32) {
	t.Helper()
	m := open(t, path, llamacpp.ModelOptions{Kernels: kernels})
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 64, Sequences: 2 * formatTokens, Threads: 1})
	var batch llamacpp.Batch
	for i := range formatTokens {
		batch.Rows = append(batch.Rows, llamacpp.Row{Token: llamacpp.Token(i), Seq: llamacpp.SeqID(i)})
		batch.Samples = append(batch.Samples, llamacpp.Sample{Row: int32(i), Seq: llamacpp.SeqID(i),
			Start: &llamacpp.Start{}})
	}
	step(t, c, &batch)
	for i := range formatTokens {
		logits = append(logits, c.Logits(i))
	}
	if kernels != llamacpp.KernelsParley {
		return logits
	}
	ours := func(o llamacpp.Operation) bool { return o.Name == "MUL_MAT "+f.Name && o.By == llamacpp.ByParley }
	if !slices.ContainsFunc(c.Operations(), ours) || c.Work().Left > 0 {
		t.Errorf("llama.cpp computes products of %s, want ours alone: %+v", f.Name, c.Operations())
	}
	for i := range formatTokens {
		alone := llamacpp.SeqID(formatTokens + i)
		step(t, c, prompt([]llamacpp.Token{llamacpp.Token(i)}, alone, 0, llamacpp.Start{}))
		if !slices.Equal(c.Logits(0), logits[i]) {
			t.Errorf("the products of token %d have other bits alone, want the same", i)
		}
	}
	return logits
}
