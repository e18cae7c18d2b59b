package llamacpp_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models"
)

// miniature writes the small synthetic model of a shape and opens it. It skips architectures that this llama.cpp does
// not know.
func miniature(t *testing.T, s models.Shape, o llamacpp.ModelOptions) *llamacpp.Model {
	t.Helper()
	load(t)
	path := filepath.Join(t.TempDir(), s.Name+".gguf")
	if err := models.WriteSynthetic(path, models.Synthetic{Shape: s, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	m, err := llamacpp.LoadModel(path, onGPU(o))
	if known, _ := llamacpp.Knows(s.Family); !known {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// tolerance is the normalised mean squared error that ggml allows between two backends, for products of matrices and
// for attention (tests/test-backend-ops.cpp).
const tolerance = 5e-4

// TestMiniatures loads a small model of each family and computes a prompt that is longer than any window, with our
// kernels and with llama.cpp's alone: the logits are those of llama.cpp within its own tolerance. TestFamilies of
// package inference compares the bits of different ways to compute a prompt.
func TestMiniatures(t *testing.T) {
	needsKernels(t)
	for _, s := range models.Miniatures() {
		t.Run(s.Name, func(t *testing.T) {
			var logits [2][]float32
			for i, kernels := range []llamacpp.Kernels{llamacpp.KernelsParley, llamacpp.KernelsFlash} {
				m := miniature(t, s, llamacpp.ModelOptions{Kernels: kernels})
				c := newContext(t, m, llamacpp.ContextOptions{Cells: 256})
				tokens := counting(m, 101)
				step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
				logits[i] = c.Logits(len(tokens) - 1)
			}
			if e := squaredError(logits[0], logits[1]); !(e < tolerance) {
				t.Errorf("the squared error of the logits is %.2g of their square, want less than %.2g", e, tolerance)
			}
		})
	}
}

func squaredError(got, want []float32) float64 {
	var difference, square float64
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		difference, square = difference+d*d, square+float64(want[i])*float64(want[i])
	}
	return difference / square
}

// TestQuantizedExperts runs mixtures of experts whose experts are quantised, by our kernels alone: logits are near
// those of llama.cpp's kernels, and their bits the same in all ways to compute them. Experts as wide as a super-block
// have K quants.
func TestQuantizedExperts(t *testing.T) {
	needsKernels(t)
	wide := shapeNamed(t, "mini-qwen3-moe")
	wide.Width, wide.Experts.FeedForward = 256, 256
	for _, x := range []struct {
		shape                 models.Shape
		quantization, experts string
	}{
		{wide, "q4_k_m", "q4_K"}, {wide, "q8_0", "q8_0"}, {shapeNamed(t, "mini-gpt-oss"), "mxfp4_moe", "mxfp4"},
	} {
		t.Run(x.shape.Name+" "+x.quantization, func(t *testing.T) {
			path := synthetic(t, x.shape, x.quantization)
			c := nearTheirs(t, path, llamacpp.KVF16, 0.99) // routers of random weights have near ties
			ours := func(o llamacpp.Operation) bool {
				return o.Name == "MUL_MAT_ID "+x.experts && o.By == llamacpp.ByParley
			}
			if !slices.ContainsFunc(c.Operations(), ours) || c.Work().Left > 0 {
				t.Errorf("llama.cpp computes products of experts, want ours alone: %+v", c.Operations())
			}
			sameBitsInAllWays(t, open(t, path, llamacpp.ModelOptions{}), x.experts == "mxfp4")
		})
	}
}

// TestFamiliesInAllWays has the same bits in all ways to compute a prompt, for every family whose layers our kernels
// compute, each in a quantisation; a soak tries all of them. Rows that are narrower than a super-block have the types
// that llama.cpp takes instead of K quants.
func TestFamiliesInAllWays(t *testing.T) {
	needsKernels(t)
	for i, s := range models.Miniatures() {
		if known, _ := llamacpp.Knows(s.Family); !known || s.Recurrent() {
			continue
		}
		tried := quantizations()
		if !soak.On() {
			tried = tried[i%len(tried):][:1]
		}
		for _, quantization := range tried {
			t.Run(s.Name+" "+quantization, func(t *testing.T) {
				m := open(t, synthetic(t, s, quantization), llamacpp.ModelOptions{})
				sameBitsInAllWays(t, m, false)
			})
		}
	}
}

// threadsTried are one to seven threads in a soak. Elsewhere they are few, since threads beyond the cores of a machine
// wait for each other by spinning.
func threadsTried() []int {
	if soak.On() {
		return []int{1, 2, 3, 4, 5, 6, 7}
	}
	return []int{1, 2, 7}
}

// TestThreadsChangeNothing computes a short prompt of every family with up to seven threads, more than some of the
// miniatures have heads: the bits of the logits are the same.
func TestThreadsChangeNothing(t *testing.T) {
	needsKernels(t)
	for _, s := range models.Miniatures() {
		t.Run(s.Name, func(t *testing.T) {
			m := miniature(t, s, llamacpp.ModelOptions{})
			tokens := counting(m, 4)
			var want []float32
			for _, threads := range threadsTried() {
				c := newContext(t, m, llamacpp.ContextOptions{Cells: 256, Threads: threads})
				if most := m.MaxThreads(); most > 0 && c.Threads() > most {
					t.Errorf("%d threads compute %d heads, want at most one a head", c.Threads(), most)
				}
				step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
				if got := c.Logits(len(tokens) - 1); want == nil {
					want = got
				} else if !slices.Equal(got, want) {
					t.Errorf("%d threads compute other logits than one, want the same bits", threads)
				}
			}
		})
	}
}

// TestWindowsForgetNothing goes back to the middle of a sequence, as the tree of prefixes does, after other sequences
// have taken cells. llama.cpp reuses cells that a window has left behind, but only those that one sequence holds alone.
func TestWindowsForgetNothing(t *testing.T) {
	m := miniature(t, shapeNamed(t, "mini-gemma3"), llamacpp.ModelOptions{})
	tokens := counting(m, 200)
	again := func(c *llamacpp.Context) []float32 {
		b := prompt(tokens[:120], 1, 100, llamacpp.Start{})
		b.Memory = []llamacpp.MemoryOp{{Dst: 1, From: 100, To: -1}}
		step(t, c, b)
		return c.Logits(len(b.Rows) - 1)
	}
	o := llamacpp.ContextOptions{Cells: 512, Sequences: 3}
	alone, crowded := newContext(t, m, o), newContext(t, m, o)
	step(t, alone, prompt(tokens, 1, 0, llamacpp.Start{}))
	want := again(alone)

	step(t, crowded, prompt(counting(m, 200), 0, 0, llamacpp.Start{}))
	step(t, crowded, prompt(tokens, 1, 0, llamacpp.Start{}))
	b := prompt(counting(m, 250), 2, 0, llamacpp.Start{})
	b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
	step(t, crowded, b)
	if got := again(crowded); !slices.Equal(got, want) {
		t.Error("the logits depend on what other sequences have computed in between")
	}
}
