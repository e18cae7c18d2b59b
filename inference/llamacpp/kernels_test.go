package llamacpp_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// synthetic writes a small model with random weights in a quantisation.
func synthetic(t testing.TB, quantization string) string {
	t.Helper()
	dir := t.TempDir()
	half, path := filepath.Join(dir, "f16.gguf"), filepath.Join(dir, quantization+".gguf")
	shape, err := models.ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	if err := models.WriteSynthetic(half, models.Synthetic{Shape: shape, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if err := llamacpp.Quantize(t.Context(), half, path, quantization, 2); err != nil {
		t.Fatal(err)
	}
	return path
}

// quantizations that our products cover in full.
var quantizations = []string{"f16", "q4_0", "q5_0", "q8_0", "q4_k_m", "q5_k_m", "q6_k"}

// TestKernelsAgree computes a prompt with our kernels and with llama.cpp's: logits are near, for every quantisation and
// type of cache. Both round activations to eight bits, llama.cpp keeps scales in half precision and ours in full.
func TestKernelsAgree(t *testing.T) {
	needsKernels(t)
	for _, quantization := range quantizations {
		for name, kv := range map[string]llamacpp.KVType{"f16": llamacpp.KVF16, "q8_0": llamacpp.KVQ8_0} {
			t.Run(quantization+" "+name, func(t *testing.T) {
				path := synthetic(t, quantization)
				var logits [2][]float32
				for i, kernels := range []llamacpp.Kernels{llamacpp.KernelsParley, llamacpp.KernelsFlash} {
					m := open(t, path, llamacpp.ModelOptions{Kernels: kernels})
					c := newContext(t, m, llamacpp.ContextOptions{Cells: 512, KeyType: kv, ValueType: kv})
					tokens := counting(m, 101)
					step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
					logits[i] = c.Logits(len(tokens) - 1)
					work := c.Work()
					// newer libraries rotate what a quantised cache holds
					if own := kernels == llamacpp.KernelsParley; own != (work.Products > 0) ||
						own != (work.Attention > 0) || own && kv == llamacpp.KVF16 && work.Left > 0 {
						t.Errorf("kernels %d: %+v", kernels, work)
					}
				}
				if r := correlation(logits[0], logits[1]); r < 0.998 {
					t.Errorf("logits correlate by %.5f", r)
				}
			})
		}
	}
}

func counting(m *llamacpp.Model, n int) []llamacpp.Token {
	tokens := make([]llamacpp.Token, n)
	for i := range tokens {
		tokens[i] = llamacpp.Token((i*i + 7) % (m.VocabSize() - 10))
	}
	return tokens
}

func correlation(a, b []float32) float64 {
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		sa, sb, saa, sbb, sab = sa+x, sb+y, saa+x*x, sbb+y*y, sab+x*y
	}
	n := float64(len(a))
	return (sab - sa*sb/n) / math.Sqrt((saa-sa*sa/n)*(sbb-sb*sb/n))
}

// TestBitsDoNotDependOnTheBatch computes one continuation in many ways, and demands the same bits of every logit:
// prompt in one piece or in many, one thread or several, alone or beside others, cells in order or out of order, shared
// or its own.
func TestBitsDoNotDependOnTheBatch(t *testing.T) {
	needsKernels(t)
	for _, quantization := range quantizations {
		t.Run(quantization, func(t *testing.T) {
			m := open(t, synthetic(t, quantization), llamacpp.ModelOptions{})
			tokens := counting(m, 150)
			var want [][]float32
			ways, unordered := 0, 0
			check := func(name string, got [][]float32) {
				ways++
				if want == nil {
					want = got
				}
				for i := range want {
					if !slices.Equal(want[i], got[i]) {
						t.Errorf("%s: logits %d differ", name, i)
						return
					}
				}
			}
			run := func(name string, o llamacpp.ContextOptions, pieces []int, full bool, neighbours int) {
				o.Cells, o.Sequences = 1024, 80
				c := newContext(t, m, o)
				for seq := llamacpp.SeqID(1); full && seq <= 35; seq++ {
					step(t, c, prompt(counting(m, 25), seq, 0, llamacpp.Start{}))
				}
				var got [][]float32
				at := 0
				for _, n := range append(pieces, len(tokens)) { // the last token alone, beside neighbours
					end := min(at+n, len(tokens)-1)
					if end > at {
						b := prompt(tokens[:end], 0, at, llamacpp.Start{})
						step(t, c, b)
						got = append(got[:0], c.Logits(len(b.Rows)-1))
						at = end
					}
					// free cells before those of the first piece
					for seq := llamacpp.SeqID(1); full && seq <= 35; seq += 2 {
						step(t, c, &llamacpp.Batch{Memory: []llamacpp.MemoryOp{{Dst: seq, To: -1}}})
					}
				}
				b := prompt(tokens, 0, at, llamacpp.Start{})
				for i := range neighbours {
					seq := llamacpp.SeqID(i + 40)
					if i%2 == 0 { // shares the prompt
						b.Memory = append(b.Memory, llamacpp.MemoryOp{Kind: llamacpp.MemoryCopy, Src: 0, Dst: seq,
							To: int32(at)})
						b.Rows = append(b.Rows, llamacpp.Row{Token: llamacpp.Token(i), Pos: int32(at), Seq: seq})
					} else {
						b.Rows = append(b.Rows, llamacpp.Row{Token: llamacpp.Token(i), Seq: seq})
					}
				}
				step(t, c, b)
				check(name, append(got, c.Logits(0)))
				unordered += c.Work().Unordered
			}
			whole := []int{len(tokens) - 1}
			run("whole", llamacpp.ContextOptions{}, whole, false, 0)
			run("one thread", llamacpp.ContextOptions{Threads: 1}, whole, false, 0)
			run("three threads", llamacpp.ContextOptions{Threads: 3}, whole, false, 0)
			run("pieces", llamacpp.ContextOptions{}, []int{1, 2, 3, 5, 31, 64, 1}, false, 0)
			for _, n := range []int{1, 2, 3, 7, 30} {
				run("beside others", llamacpp.ContextOptions{}, whole, false, n)
			}
			run("between others' cells", llamacpp.ContextOptions{}, []int{40, 50}, true, 9)
			if ways != 10 || unordered == 0 {
				t.Errorf("%d ways were compared, %d rows had their cells out of order", ways, unordered)
			}
			found, err := m.CheckInvariance(t.Context(), llamacpp.ContextOptions{})
			if err != nil || found.Ways != 6 || found.Different > 0 || found.Work.Unordered == 0 {
				t.Errorf("%+v: %v", found, err)
			}
		})
	}
}
