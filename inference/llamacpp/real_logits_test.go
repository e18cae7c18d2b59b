package llamacpp_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestRealPerplexity: what is said of the tokens of a text, by our kernels and by llama.cpp's own. The perplexities are
// within 0.5 %, but for what two standard errors explain: both round activations of quantised weights to 8 bits, and
// not the same ones, so that single tokens differ by more, and the text is short. No part of the text is further off
// than another; Gemma's windows of 512 tokens begin to forget in the second, and forget all of the first in the third.
func TestRealPerplexity(t *testing.T) {
	needsKernels(t)
	for _, file := range []string{modeltest.SmolLM2, modeltest.Gemma3} {
		t.Run(file, func(t *testing.T) {
			path := modeltest.Real(t, file)
			tokens := prose(t, path)
			ours, theirs := said(t, path, llamacpp.KernelsParley, tokens), said(t, path, llamacpp.KernelsPlain, tokens)
			log, square := 0.0, 0.0
			for i := range ours {
				log += (theirs[i] - ours[i]) / float64(len(ours))
				square += (theirs[i] - ours[i]) * (theirs[i] - ours[i]) / float64(len(ours))
			}
			off, deviation := 100*math.Expm1(log), 100*math.Sqrt(square/float64(len(ours)))
			t.Logf("%d tokens: perplexity %.3f, by llama.cpp's kernels %.3f: %+.2f %%, standard error %.2f", len(ours),
				perplexity(ours), perplexity(theirs), off, deviation)
			if !(math.Abs(off) < 0.5+2*deviation) {
				t.Errorf("the perplexity is off by %.2f %%, want less than %.2f %%", off, 0.5+2*deviation)
			}
			for from := 0; from < len(ours); from += 512 {
				to, mean := min(from+512, len(ours)), 0.0
				for i := from; i < to; i++ {
					mean += math.Abs(ours[i]-theirs[i]) / float64(to-from)
				}
				if t.Logf("tokens from %d to %d: %.3f in the mean", from, to, mean); !(mean < 0.15) {
					t.Errorf("tokens from %d to %d are %.3f in the mean from llama.cpp's, want less than 0.15", from,
						to, mean)
				}
			}
		})
	}
}

// TestRealWindows takes a prompt across the places where Gemma's windows begin to forget, in one piece and in several:
// logits have the same bits.
func TestRealWindows(t *testing.T) {
	needsKernels(t)
	path := modeltest.Real(t, modeltest.Gemma3)
	m, tokens := open(t, path, llamacpp.ModelOptions{}), prose(t, path)[:1100]
	places := []int{0, 100, 510, 511, 512, 513, 514, 800, 1022, 1023, 1024, 1025, 1026, len(tokens) - 1}
	want := logitsAt(t, m, tokens, len(tokens), places)
	for number, piece := range []int{512, 511, 129} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			for i, got := range logitsAt(t, m, tokens, piece, places) {
				if !sameBits(got, want[i]) {
					t.Errorf("in pieces of %d tokens the logits at %d are others, want the same", piece, places[i])
				}
			}
		})
	}
}

// prose are the tokens of a text that does not change, 1,900 or some more.
func prose(t *testing.T, path string) []llamacpp.Token {
	t.Helper()
	text := datatest.Read(t, "testdata/prose.txt")
	return tokenize(t, open(t, path, llamacpp.ModelOptions{VocabOnly: true}), string(text))
}

// said is the log-probability of each token after those before it.
func said(t *testing.T, path string, kernels llamacpp.Kernels, tokens []llamacpp.Token) []float64 {
	t.Helper()
	var all []float64
	eachLogits(t, open(t, path, llamacpp.ModelOptions{Kernels: kernels}), tokens, 100, nil,
		func(i int, logits []float32) {
			if i+1 < len(tokens) {
				all = append(all, logProbability(widened(logits), tokens[i+1]))
			}
		})
	return all
}

func perplexity(said []float64) float64 {
	sum := 0.0
	for _, x := range said {
		sum -= x
	}
	return math.Exp(sum / float64(len(said)))
}

func logitsAt(t *testing.T, m *llamacpp.Model, tokens []llamacpp.Token, piece int, places []int) (all [][]float32) {
	t.Helper()
	eachLogits(t, m, tokens, piece, places, func(_ int, logits []float32) { all = append(all, logits) })
	return all
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// eachLogits computes a prompt in pieces and hands out the logits after each token, or after those at some places only.
func eachLogits(t *testing.T, m *llamacpp.Model, tokens []llamacpp.Token, piece int, places []int,
	use func(i int, logits []float32)) {
	t.Helper()
	c := newContext(t, m, llamacpp.ContextOptions{Cells: len(tokens) + 256, Batch: len(tokens), Threads: 1})
	for from := 0; from < len(tokens); from += piece {
		b := prompt(tokens[:min(from+piece, len(tokens))], 0, from, llamacpp.Start{})
		b.Samples = nil
		for i := range b.Rows {
			if places == nil || slices.Contains(places, from+i) {
				b.Samples = append(b.Samples,
					llamacpp.Sample{Row: int32(i), Seq: llamacpp.NoSeq, Start: &llamacpp.Start{}})
			}
		}
		step(t, c, b)
		for _, s := range b.Samples {
			use(from+int(s.Row), c.Logits(int(s.Row)))
		}
	}
}
