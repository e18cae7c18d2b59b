package llamacpp_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models"
)

// synthetic writes a small model with random weights in a quantisation.
func synthetic(t testing.TB, shape models.Shape, quantization string) string {
	t.Helper()
	dir := t.TempDir()
	half, path := filepath.Join(dir, "f16.gguf"), filepath.Join(dir, quantization+".gguf")
	if err := models.WriteSynthetic(half, models.Synthetic{Shape: shape, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if err := llamacpp.Quantize(t.Context(), half, path, quantization, 2); err != nil {
		t.Fatal(err)
	}
	return path
}

func shapeNamed(t testing.TB, name string) models.Shape {
	t.Helper()
	shape, err := models.ShapeNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

// quantizations are one type of files for each format of the kernels.
func quantizations() (names []string) {
	all := llamacpp.QuantizationTypes()
	for _, f := range kernels.Formats() {
		of := func(name string) bool { return strings.HasPrefix(name, strings.ToLower(f.Name)) }
		if i := slices.IndexFunc(all, of); i >= 0 {
			names = append(names, all[i])
		}
	}
	return names
}

// TestKernelsAgree computes a prompt with our kernels and with llama.cpp's: logits are near, for every quantisation and
// type of cache. Both round activations to eight bits, llama.cpp keeps scales in half precision and ours in full.
func TestKernelsAgree(t *testing.T) {
	needsKernels(t)
	for _, quantization := range quantizations() {
		path := synthetic(t, shapeNamed(t, "test"), quantization)
		for name, kv := range map[string]llamacpp.KVType{"f16": llamacpp.KVF16, "q8_0": llamacpp.KVQ8_0} {
			t.Run(quantization+" "+name, func(t *testing.T) {
				work := nearTheirs(t, path, kv, 0.998).Work()
				// llama.cpp rotates what a quantised cache holds
				if work.Products == 0 || work.Attention == 0 || kv == llamacpp.KVF16 && work.Left > 0 {
					t.Errorf("our kernels compute %+v, want products, attention and, with an f16 cache, nothing left",
						work)
				}
			})
		}
	}
}

// TestTargetsGiveTheSameBits computes prompts with every set of instructions that this processor has: the portable one
// too, which is otherwise left aside.
func TestTargetsGiveTheSameBits(t *testing.T) {
	load(t)
	for _, quantization := range []string{"f16", "q4_k_m", "q8_0"} {
		path := synthetic(t, shapeNamed(t, "test"), quantization)
		var want []float32
		for _, target := range kernels.Targets() {
			t.Run(quantization+" "+target.Name, func(t *testing.T) {
				if !target.Runs {
					t.Skipf("this processor has no %s", target.Needs)
				}
				m := open(t, path, llamacpp.ModelOptions{Target: target.Name})
				c := newContext(t, m, llamacpp.ContextOptions{Cells: 512, Threads: 1})
				tokens := counting(m, 37)
				step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
				got := c.Logits(len(tokens) - 1)
				if work := c.Work(); work.Products == 0 || work.Attention == 0 || work.Left > 0 {
					t.Errorf("computed %+v; want products and attention of ours, and nothing left", work)
				}
				if want == nil {
					want = slices.Clone(got)
				}
				if !slices.Equal(got, want) {
					t.Error("the logits have other bits than those of the fastest target")
				}
			})
		}
	}
}

// nearTheirs computes a prompt with our kernels and with llama.cpp's: the logits correlate by more than least. It
// returns the context of the former.
func nearTheirs(t *testing.T, path string, kv llamacpp.KVType, least float64) *llamacpp.Context {
	t.Helper()
	compute := func(by llamacpp.Kernels) (*llamacpp.Context, []float32) {
		m := open(t, path, llamacpp.ModelOptions{Kernels: by})
		c := newContext(t, m, llamacpp.ContextOptions{Cells: 512, Threads: 1, KeyType: kv, ValueType: kv})
		tokens := counting(m, 101)
		step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
		return c, c.Logits(len(tokens) - 1)
	}
	ours, got := compute(llamacpp.KernelsParley)
	theirs, want := compute(llamacpp.KernelsFlash)
	if work := theirs.Work(); work.Products > 0 || work.Attention > 0 {
		t.Errorf("llama.cpp's kernels: %+v, want Products 0 and Attention 0", work)
	}
	if r := correlation(got, want); !(r > least) {
		t.Errorf("the logits of our kernels and llama.cpp's correlate by %.5f, want more than %.5f", r, least)
	}
	return ours
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

// TestBitsDoNotDependOnTheBatch computes one continuation in many ways, and demands the same bits of every logit, for
// every quantisation. Several threads share products of floats, bytes and words.
func TestBitsDoNotDependOnTheBatch(t *testing.T) {
	needsKernels(t)
	for _, quantization := range quantizations() {
		t.Run(quantization, func(t *testing.T) {
			m := open(t, synthetic(t, shapeNamed(t, "test"), quantization), llamacpp.ModelOptions{})
			sameBitsInAllWays(t, m, slices.Contains([]string{"f16", "q4_k_m", "q8_0"}, quantization))
		})
	}
}

// sameBitsInAllWays computes a continuation with the prompt in one piece or in many, alone or beside others, with cells
// in order or out of order, shared or its own, and with one thread or, if threaded or in a soak, several: these wait
// for each other by spinning, which beside other tests takes ten times as long as their work.
func sameBitsInAllWays(t *testing.T, m *llamacpp.Model, threaded bool) {
	t.Helper()
	tokens := counting(m, 150)
	var want [][]float32
	ways, unordered := 0, 0
	run := func(name string, threads int, pieces []int, full bool, neighbours int) {
		ways++
		got, out := continuation(t, m, tokens, threads, pieces, full, neighbours)
		unordered += out
		if want == nil {
			want = got
		}
		for i := range want {
			if !slices.Equal(want[i], got[i]) {
				t.Errorf("%s: logits %d differ from those of another way, want the same bits", name, i)
				return
			}
		}
	}
	whole := []int{len(tokens) - 1}
	run("whole", 1, whole, false, 0)
	if threaded || soak.On() {
		run("two threads", 2, whole, false, 0)
		run("three threads", 3, whole, false, 0)
	}
	run("pieces", 1, []int{1, 2, 3, 5, 31, 64, 1}, false, 0)
	for _, n := range []int{1, 2, 3, 7, 30} {
		run("beside others", 1, whole, false, n)
	}
	run("between others' cells", 1, []int{40, 50}, true, 9)
	if ways < 8 || unordered == 0 {
		t.Errorf("%d ways were compared, want at least 8, and %d rows had their cells out of order, want some", ways,
			unordered)
	}
}

// continuation computes the tokens in pieces, the last one alone, beside neighbours, of which every second one shares
// the others. If full, 35 sequences take cells before, and half of them lose them after the first piece. It returns the
// logits of the last two tokens and how many rows had their cells out of order.
func continuation(t *testing.T, m *llamacpp.Model, tokens []llamacpp.Token, threads int, pieces []int, full bool,
	neighbours int) (got [][]float32, unordered int) {
	t.Helper()
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 1024, Sequences: 80, Threads: threads})
	for seq := llamacpp.SeqID(1); full && seq <= 35; seq++ {
		step(t, c, prompt(counting(m, 25), seq, 0, llamacpp.Start{}))
	}
	at := 0
	for _, n := range append(pieces, len(tokens)) {
		end := min(at+n, len(tokens)-1)
		if end > at {
			b := prompt(tokens[:end], 0, at, llamacpp.Start{})
			step(t, c, b)
			got = append(got[:0], c.Logits(len(b.Rows)-1))
			at = end
		}
		for seq := llamacpp.SeqID(1); full && seq <= 35; seq += 2 {
			step(t, c, &llamacpp.Batch{Memory: []llamacpp.MemoryOp{{Dst: seq, To: -1}}})
		}
	}
	b := prompt(tokens, 0, at, llamacpp.Start{})
	for i := range neighbours {
		seq := llamacpp.SeqID(i + 40)
		if i%2 == 0 {
			b.Memory = append(b.Memory, llamacpp.MemoryOp{Kind: llamacpp.MemoryCopy, Src: 0, Dst: seq, To: int32(at)})
			b.Rows = append(b.Rows, llamacpp.Row{Token: llamacpp.Token(i), Pos: int32(at), Seq: seq})
		} else {
			b.Rows = append(b.Rows, llamacpp.Row{Token: llamacpp.Token(i), Seq: seq})
		}
	}
	step(t, c, b)
	return append(got, c.Logits(0)), c.Work().Unordered
}

// TestCheckInvariance finds no way to compute a prompt that changes a bit.
func TestCheckInvariance(t *testing.T) {
	needsKernels(t)
	for _, quantization := range []string{"f16", "q2_k"} { // TestFamilies of package inference has the architectures
		t.Run(quantization, func(t *testing.T) {
			m := open(t, synthetic(t, shapeNamed(t, "test"), quantization), llamacpp.ModelOptions{})
			found, err := m.CheckInvariance(t.Context(), llamacpp.ContextOptions{Threads: 1})
			if err != nil || found.Ways != 6 || found.Different > 0 || found.Work.Unordered == 0 {
				t.Errorf("6 ways to compute have equal bits where they are ordered, and some without order are "+
					"seen: got %+v, %v", found, err)
			}
		})
	}
}
