package llamacpp_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
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
	m, err := llamacpp.LoadModel(path, o)
	if err != nil && strings.Contains(err.Error(), "unknown model architecture") {
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

// TestMiniatures loads a small model of each family and computes a prompt that is longer than any window, with our
// kernels and with llama.cpp's alone: the logits are near.
func TestMiniatures(t *testing.T) {
	for _, s := range models.Miniatures() {
		t.Run(s.Name, func(t *testing.T) {
			var logits [2][]float32
			for i, kernels := range []llamacpp.Kernels{llamacpp.KernelsParley, llamacpp.KernelsFlash} {
				m := miniature(t, s, llamacpp.ModelOptions{Kernels: kernels})
				c := newContext(t, m, llamacpp.ContextOptions{Cells: 256})
				tokens := counting(m, 101)
				step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))
				logits[i] = c.Logits(len(tokens) - 1)
				t.Logf("kernels %d: %+v", kernels, c.Work())
			}
			for _, x := range logits[0] {
				if math.IsNaN(float64(x)) {
					t.Fatal("a logit is not a number")
				}
			}
			if r := correlation(logits[0], logits[1]); r < 0.999 {
				t.Errorf("logits correlate by %.6f", r)
			} else {
				t.Logf("logits correlate by %.6f", r)
			}
		})
	}
}
