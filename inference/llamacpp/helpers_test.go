package llamacpp_test

import (
	"errors"
	"os"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models/modeltest"
)

// tiny is the model that the repository ships.
const tiny = "../../models/tiny/tiny.gguf"

// question is one that the model was trained for, with its prompt wording; the right answer is (C).
const question = "<|im_start|>user\nThe following paragraphs each describe a set of three objects arranged in a " +
	"fixed order. The statements are logically consistent within each paragraph. On a shelf, there are three books: " +
	"a red book, a gray book, and a white book. The white book is to the left of the gray book. The red book is the " +
	"second from the left.\nOptions:\n(A) The red book is the leftmost\n(B) The gray book is the leftmost\n(C) The " +
	"white book is the leftmost<|im_end|>\n<|im_start|>assistant\n"

// usual are the options of tests that are not about kernels: our kernels on the CPU, or llama.cpp's on the GPU that
// modeltest.GPU names.
func usual() llamacpp.ModelOptions {
	if modeltest.GPU() != "" {
		return llamacpp.ModelOptions{Kernels: llamacpp.KernelsFlash}
	}
	return llamacpp.ModelOptions{}
}

func load(t testing.TB) *llamacpp.Model { return loadWith(t, usual()) }

// onGPU has the GPU that modeltest.GPU names compute what llama.cpp computes. Our kernels stay on the CPU, so that
// tests of them compare both.
func onGPU(o llamacpp.ModelOptions) llamacpp.ModelOptions {
	if device := modeltest.GPU(); device != "" && o.Kernels != llamacpp.KernelsParley {
		o.GPULayers, o.Device = -1, device
	}
	return o
}

func loadWith(t testing.TB, o llamacpp.ModelOptions) *llamacpp.Model {
	t.Helper()
	if _, err := os.Stat(tiny); err != nil {
		t.Skip("the embedded model is not there:", err)
	}
	return open(t, tiny, o)
}

// open loads a model that is closed with the test.
func open(t testing.TB, path string, o llamacpp.ModelOptions) *llamacpp.Model {
	t.Helper()
	m, err := llamacpp.LoadModel(path, onGPU(o))
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// needsKernels skips where our products are not built.
func needsKernels(t testing.TB) {
	t.Helper()
	load(t)
	if !ourProducts() {
		t.Skip("on this processor products are left to llama.cpp")
	}
}

// ourProducts reports whether our kernels compute products here.
func ourProducts() bool {
	target, err := kernels.Choose("")
	return err == nil && target.Products
}

func newContext(t testing.TB, m *llamacpp.Model, o llamacpp.ContextOptions) *llamacpp.Context {
	t.Helper()
	c, err := m.NewContext(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func tokenize(t testing.TB, m *llamacpp.Model, text string) []llamacpp.Token {
	t.Helper()
	tokens, err := m.Tokenize(text, true, true)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// step fails the test on an error.
func step(t testing.TB, c *llamacpp.Context, b *llamacpp.Batch) []llamacpp.Sampled {
	t.Helper()
	out := make([]llamacpp.Sampled, len(b.Samples))
	if err := c.Step(t.Context(), b, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// prompt is a batch that computes a prompt on a sequence from position from on, and samples once.
func prompt(tokens []llamacpp.Token, seq llamacpp.SeqID, from int, s llamacpp.Start) *llamacpp.Batch {
	b := &llamacpp.Batch{}
	for i := from; i < len(tokens); i++ {
		b.Rows = append(b.Rows, llamacpp.Row{Token: tokens[i], Pos: int32(i), Seq: seq})
	}
	s.History = tokens
	b.Samples = []llamacpp.Sample{{Row: int32(len(b.Rows) - 1), Seq: seq, Start: &s}}
	return b
}

// generate goes on from what a sequence drew last until it ends, one token a step.
func generate(t testing.TB, c *llamacpp.Context, m *llamacpp.Model, seq llamacpp.SeqID, pos int, first llamacpp.Sampled,
	limit int) []llamacpp.Sampled {
	t.Helper()
	out := []llamacpp.Sampled{first}
	for !out[len(out)-1].End && len(out) < limit {
		b := &llamacpp.Batch{
			Rows:    []llamacpp.Row{{Token: out[len(out)-1].Token, Pos: int32(pos), Seq: seq}},
			Samples: []llamacpp.Sample{{Seq: seq}},
		}
		out = append(out, step(t, c, b)[0])
		pos++
	}
	return out
}

func textOf(m *llamacpp.Model, sampled []llamacpp.Sampled) string {
	var tokens []llamacpp.Token
	for _, s := range sampled {
		tokens = append(tokens, s.Token)
	}
	return m.Detokenize(tokens, false)
}
