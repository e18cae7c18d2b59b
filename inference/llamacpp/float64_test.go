package llamacpp_test

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestRealBesideFloat64 computes what a real model says of each token of a text, with weights in F32, beside a
// computation in float64 from the same weights. No activation is rounded to 8 bits then, so that the two differ only by
// how floats of 32 bits are added up; a fault in an operation would be far larger. The log has what quantised weights
// do.
func TestRealBesideFloat64(t *testing.T) {
	needsKernels(t)
	path := modeltest.Real(t, modeltest.SmolLM2)
	content := datatest.Read(t, path)
	file := modeltest.Parse(content)
	wide := filepath.Join(t.TempDir(), "f32.gguf")
	writeF32(t, file, wide)
	tokens := tokenize(t, open(t, path, llamacpp.ModelOptions{VocabOnly: true}), floatText)
	want := newReference(file).logits(tokens)

	for _, c := range []struct {
		what    string
		path    string
		kernels llamacpp.Kernels
		most    float64 // nats, the mean over the tokens of a text; 0: not asked
	}{
		{"F32, our kernels", wide, llamacpp.KernelsParley, 0.001},
		{"F32, llama.cpp's kernels without flash attention", wide, llamacpp.KernelsPlain, 0},
		{"Q4_1, our kernels", path, llamacpp.KernelsParley, 0},
		{"Q4_1, llama.cpp's kernels without flash attention", path, llamacpp.KernelsPlain, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			got := allLogits(t, open(t, c.path, llamacpp.ModelOptions{Kernels: c.kernels}), tokens)
			mean, most := 0.0, 0.0
			for i, next := range tokens[1:] {
				off := math.Abs(logProbability(got[i], next) - logProbability(want[i], next))
				mean, most = mean+off/float64(len(tokens)-1), max(most, off)
			}
			t.Logf("%s: %d tokens, mean %.2g, at most %.2g from float64", c.what, len(tokens)-1, mean, most)
			if c.most > 0 && !(mean < c.most) {
				t.Errorf("%s: the log-probability of a token is %.2g from that in float64 in the mean, want less than "+
					"%.2g", c.what, mean, c.most)
			}
		})
	}
}

// floatText is of several kinds: prose, a sum, names, a list.
const floatText = "Two agents count the bridges of a town. The first says that there are seven, since 3 + 4 = 7; the " +
	"other one walks along the river and finds eight. Who is right?\n\n1. Ask Anna Petrova.\n2. Look at the map."

// allLogits are those after each token.
func allLogits(t *testing.T, m *llamacpp.Model, tokens []llamacpp.Token) (all [][]float64) {
	t.Helper()
	eachLogits(t, m, tokens, len(tokens), nil, func(_ int, logits []float32) { all = append(all, widened(logits)) })
	return all
}

func widened(row []float32) []float64 {
	wide := make([]float64, len(row))
	for i, x := range row {
		wide[i] = float64(x)
	}
	return wide
}

func logProbability(logits []float64, token llamacpp.Token) float64 {
	most, sum := slices.Max(logits), 0.0
	for _, x := range logits {
		sum += math.Exp(x - most)
	}
	return logits[token] - most - math.Log(sum)
}

// reference computes a model of the architecture llama in float64. Only keys and values are rounded, to F16, as in the
// cache.
type reference struct {
	file                          *modeltest.File
	at                            map[string]modeltest.Tensor
	width, layers, heads, kvHeads int
	epsilon, base                 float64
}

func newReference(f *modeltest.File) *reference {
	number := func(name string) int { return int(f.Get("llama." + name).(uint32)) }
	r := &reference{file: f, at: map[string]modeltest.Tensor{}, width: number("embedding_length"),
		layers: number("block_count"), heads: number("attention.head_count"),
		kvHeads: number("attention.head_count_kv"),
		epsilon: float64(f.Get("llama.attention.layer_norm_rms_epsilon").(float32)),
		base:    float64(f.Get("llama.rope.freq_base").(float32))}
	for _, t := range f.Tensors {
		r.at[t.Name] = t
	}
	return r
}

// logits are those after each token.
func (r *reference) logits(tokens []llamacpp.Token) [][]float64 {
	embedding := r.at["token_embd.weight"]
	var x [][]float64
	for _, token := range tokens {
		x = append(x, rowOf(r.file, embedding, int(token)))
	}
	for i := range r.layers {
		block := fmt.Sprintf("blk.%d.", i)
		r.attend(x, block)
		normed := r.norm(x, block+"ffn_norm.weight")
		gate, up := r.times(normed, block+"ffn_gate.weight"), r.times(normed, block+"ffn_up.weight")
		for t := range gate {
			for j, g := range gate[t] {
				up[t][j] *= g / (1 + math.Exp(-g))
			}
		}
		add(x, r.times(up, block+"ffn_down.weight"))
	}
	return r.times(r.norm(x, "output_norm.weight"), "token_embd.weight") // they share their weights
}

// attend adds what attention makes of all tokens up to each.
func (r *reference) attend(x [][]float64, block string) {
	normed := r.norm(x, block+"attn_norm.weight")
	q, k := r.times(normed, block+"attn_q.weight"), r.times(normed, block+"attn_k.weight")
	v, out := r.times(normed, block+"attn_v.weight"), make([][]float64, len(x))
	size := r.width / r.heads
	for t := range x {
		r.rotate(q[t], t, size)
		r.rotate(k[t], t, size)
		for j := range k[t] {
			k[t][j], v[t][j] = half(k[t][j]), half(v[t][j])
		}
		out[t] = make([]float64, r.width)
		for h := range r.heads {
			own, shared := q[t][h*size:(h+1)*size], h*r.kvHeads/r.heads*size
			weights, sum := make([]float64, t+1), 0.0
			for s := range weights {
				weights[s] = math.Exp(inner(own, k[s][shared:shared+size]) / math.Sqrt(float64(size)))
				sum += weights[s]
			}
			for s, w := range weights {
				for j := range size {
					out[t][h*size+j] += w / sum * v[s][shared+j]
				}
			}
		}
	}
	add(x, r.times(out, block+"attn_output.weight"))
}

// rotate turns each pair of neighbours of each head by the position.
func (r *reference) rotate(x []float64, position, size int) {
	for i := 0; i < len(x); i += 2 {
		sin, cos := math.Sincos(float64(position) * math.Pow(r.base, -float64(i%size)/float64(size)))
		x[i], x[i+1] = x[i]*cos-x[i+1]*sin, x[i]*sin+x[i+1]*cos
	}
}

func (r *reference) norm(x [][]float64, weight string) (out [][]float64) {
	w := rowOf(r.file, r.at[weight], 0)
	for _, row := range x {
		scale := 1 / math.Sqrt(inner(row, row)/float64(len(row))+r.epsilon)
		y := make([]float64, len(row))
		for i := range row {
			y[i] = row[i] * scale * w[i]
		}
		out = append(out, y)
	}
	return out
}

// times multiplies each row by a matrix.
func (r *reference) times(x [][]float64, weight string) [][]float64 {
	t := r.at[weight]
	out := make([][]float64, len(x))
	for i := range out {
		out[i] = make([]float64, t.Dims[1])
	}
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for j := w; j < int(t.Dims[1]); j += workers {
				row := rowOf(r.file, t, j)
				for i := range x {
					out[i][j] = inner(x[i], row)
				}
			}
		})
	}
	group.Wait()
	return out
}

func add(x, y [][]float64) {
	for i := range x {
		for j := range x[i] {
			x[i][j] += y[i][j]
		}
	}
}

func inner(a, b []float64) float64 {
	var sum [4]float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		p, q := a[i:i+4:i+4], b[i:i+4:i+4]
		sum[0] += p[0] * q[0]
		sum[1] += p[1] * q[1]
		sum[2] += p[2] * q[2]
		sum[3] += p[3] * q[3]
	}
	for ; i < len(a); i++ {
		sum[0] += a[i] * b[i]
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}
