package llamacpp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	steps "github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

func newEmbedder(t *testing.T, m *llamacpp.Model, p llamacpp.Pooling) *llamacpp.Embedder {
	t.Helper()
	e, err := m.NewEmbedder(llamacpp.ContextOptions{Batch: 256, Sequences: 16, Threads: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func embed(t *testing.T, e *llamacpp.Embedder, texts ...[]llamacpp.Token) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// farthest is the largest difference of two elements.
func farthest(a, b []float32) (most float64) {
	for i := range a {
		most = math.Max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// TestMeanIsAMean: where attention looks back only, the state of a token is that of the last one of the text that ends
// there. So the mean of two tokens lies in the plane of these two states, between them.
func TestMeanIsAMean(t *testing.T) {
	m := load(t)
	mean, last := newEmbedder(t, m, llamacpp.PoolingMean), newEmbedder(t, m, llamacpp.PoolingLast)
	text := tokenize(t, m, question)[20:22]
	first, second := embed(t, last, text[:1])[0], embed(t, last, text)[0]
	got := embed(t, mean, text)[0]
	// got = a*first + b*second by least squares.
	fs, fg, sg := dot(first, second), dot(first, got), dot(second, got)
	a, b := (fg-fs*sg)/(1-fs*fs), (sg-fs*fg)/(1-fs*fs)
	off := 0.0
	for i, x := range got {
		off = math.Max(off, math.Abs(float64(x)-a*float64(first[i])-b*float64(second[i])))
	}
	if off > 1e-5 || a < 0.1 || b < 0.1 || fs > 0.99 {
		t.Errorf("%g of the first and %g of the second state are off by %g; the two have cosine %g", a, b, off, fs)
	}
	if one := embed(t, mean, text[:1])[0]; farthest(one, first) > 1e-5 {
		t.Error("the mean of one token is not its state")
	}
	cls := newEmbedder(t, m, llamacpp.PoolingCLS)
	if alone := embed(t, cls, text)[0]; farthest(alone, first) > 1e-5 {
		t.Error("pooling cls gives another vector, want the first state")
	}
}

// alone embeds texts in one batch, in batches with others and one by one, and counts how many vectors differ by more
// than is allowed.
func alone(t *testing.T, e *llamacpp.Embedder, texts [][]llamacpp.Token, allowed float64) {
	t.Helper()
	together, compared, most := embed(t, e, texts...), 0, 0.0
	for i, text := range texts {
		others := append([][]llamacpp.Token{}, texts[i:]...)
		for _, got := range [][]float32{embed(t, e, text)[0], embed(t, e, others...)[0], embed(t, e, text, text)[1]} {
			compared++
			if d := farthest(together[i], got); d > allowed {
				t.Errorf("text %d beside others differs by %g from itself alone, want at most %g", i, d, allowed)
			} else {
				most = math.Max(most, d)
			}
		}
		if length := dot(together[i], together[i]); math.Abs(length-1) > 1e-6 {
			t.Errorf("text %d has length %g, want 1", i, length)
		}
		for j := range i {
			if c := dot(together[i], together[j]); c > 1-1e-6 {
				t.Errorf("texts %d and %d have cosine %g, want at most %g", j, i, c, 1-1e-6)
			}
		}
	}
	t.Logf("%d comparisons, no element differs by more than %g", compared, most)
}

// TestEmbeddingAlone: the same text has the same vector whatever else is in the batch, by each pooling and kernels.
// Those of llama.cpp round otherwise in another batch, a newer one by up to 2e-4.
func TestEmbeddingAlone(t *testing.T) {
	for name, kernels := range map[string]llamacpp.Kernels{"parley": llamacpp.KernelsParley,
		"flash": llamacpp.KernelsFlash, "plain": llamacpp.KernelsPlain} {
		for _, p := range []llamacpp.Pooling{llamacpp.PoolingMean, llamacpp.PoolingCLS, llamacpp.PoolingLast} {
			t.Run(name+" "+p.String(), func(t *testing.T) {
				m := loadWith(t, llamacpp.ModelOptions{Kernels: kernels})
				var texts [][]llamacpp.Token
				tokens := tokenize(t, m, question)
				for i := range 8 {
					texts = append(texts, tokens[7*i:7*i+3+2*i])
				}
				allowed := 1e-3
				if kernels == llamacpp.KernelsParley {
					allowed = 1e-5
				}
				alone(t, newEmbedder(t, m, p), texts, allowed)
			})
		}
	}
}

// TestEncoder embeds with a small BERT of random weights, in which tokens see each other both ways: the vectors depend
// on all tokens and their order, not on the batch, and hardly on the element type of the weights.
func TestEncoder(t *testing.T) {
	load(t) // or skip
	path := datatest.File(t, "bert.gguf", modeltest.Encoder())
	m := open(t, path, usual())
	if p, err := llamacpp.PoolingOf(m.Metadata()); p != llamacpp.PoolingCLS || err != nil {
		t.Fatalf("an encoder pools by its first token: got %v, %v, want %v", p, err, llamacpp.PoolingCLS)
	}
	tokens := tokenize(t, m, "wa wb wc")
	if want := []llamacpp.Token{1, 4, 5, 6, 2}; fmt.Sprint(tokens) != fmt.Sprint(want) {
		t.Fatalf("tokens %v, want %v", tokens, want)
	}
	e := newEmbedder(t, m, llamacpp.PoolingCLS)
	texts := [][]llamacpp.Token{tokens, {1, 6, 5, 4, 2}, {1, 4, 5, 7, 2}, {1, 4, 2},
		{1, 9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4, 2}}
	alone(t, e, texts, 1e-3)
	quantized := filepath.Join(t.TempDir(), "f16.gguf")
	if err := llamacpp.Quantize(t.Context(), path, quantized, "f16", 1); err != nil {
		t.Fatal(err)
	}
	half := newEmbedder(t, open(t, quantized, usual()), llamacpp.PoolingCLS)
	alone(t, half, texts, 1e-3)
	for i, v := range embed(t, half, texts...) {
		if c := dot(v, embed(t, e, texts[i])[0]); c < 0.9999 {
			t.Errorf("text %d has cosine %g between weights of 32 and of 16 bits, want at least 0.9999", i, c)
		}
	}
	if _, err := e.Embed(t.Context(), [][]llamacpp.Token{make([]llamacpp.Token, 65)}); err == nil ||
		!strings.Contains(err.Error(), "65 tokens, between 1 and 64") {
		t.Errorf("a text longer than there are positions got the error %v, want \"65 tokens, between 1 and 64\"", err)
	}
}

func TestEmbedderRefuses(t *testing.T) {
	m := load(t)
	e := newEmbedder(t, m, llamacpp.PoolingMean)
	one := []llamacpp.Token{5}
	for name, texts := range map[string][][]llamacpp.Token{
		"empty": {one, nil}, "unknown token": {{llamacpp.Token(m.VocabSize())}}, "too many texts": make17(one),
		"too many rows": {make([]llamacpp.Token, 257)},
	} {
		t.Run(name, func(t *testing.T) {
			if v, err := e.Embed(t.Context(), texts); err == nil {
				t.Errorf("%s texts got %d vectors, want an error", name, len(v))
			}
		})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(cancelled, [][]llamacpp.Token{one}); !errors.Is(err, llamacpp.ErrAborted) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want the error %q and the error %q", err, llamacpp.ErrAborted, context.Canceled)
	}
	if v, err := e.Embed(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("nothing: %v, %v; want none and no error", v, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), [][]llamacpp.Token{one}); !errors.Is(err, steps.ErrClosed) {
		t.Errorf("closed: %v, want the error %q", err, steps.ErrClosed)
	}
	for _, p := range []llamacpp.Pooling{0, 4, -1} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			if _, err := m.NewEmbedder(llamacpp.ContextOptions{}, p); err == nil ||
				!strings.Contains(err.Error(), "no embeddings") {
				t.Errorf(`%v: %v, want an error with "no embeddings"`, p, err)
			}
		})
	}
}

func make17(text []llamacpp.Token) (texts [][]llamacpp.Token) {
	for range 17 {
		texts = append(texts, text)
	}
	return texts
}

func TestPoolingOf(t *testing.T) {
	for _, c := range []struct {
		value string
		want  llamacpp.Pooling
		err   string
	}{
		{"", 0, ""}, {"0", 0, ""}, {"1", llamacpp.PoolingMean, ""}, {"2", llamacpp.PoolingCLS, ""},
		{"3", llamacpp.PoolingLast, ""},
		{"4", 0, "bert.pooling_type is 4"}, {"-1", 0, "name an embedding model"}, {"x", 0, "name an embedding model"},
	} {
		got, err := llamacpp.PoolingOf(map[string]string{"general.architecture": "bert", "bert.pooling_type": c.value,
			"qwen2.pooling_type": "4"})
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf(`%q: pooling %v, %v, want %v, with the error %q ("" is none)`, c.value, got, err, c.want, c.err)
		}
	}
}
