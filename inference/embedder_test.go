package inference_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

func openEmbedder(t *testing.T, path string, options ...inference.Option) *inference.Embedder {
	t.Helper()
	e, err := inference.OpenEmbedder(path, append(usual(), options...)...)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
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

// embedded opens the embedded model.
func embedded(t *testing.T, options ...inference.Option) *inference.Embedder {
	t.Helper()
	path := modeltest.Embedded(t)
	return openEmbedder(t, path, options...)
}

func encoder(t *testing.T) *inference.Embedder {
	t.Helper()
	return openEmbedder(t, datatest.File(t, "encoder.gguf", modeltest.Encoder()))
}

func embed(t *testing.T, e *inference.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors of %d texts (%v), want one each and no error", len(vectors), len(texts), err)
	}
	return vectors
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestEmbed holds the vectors of 150 texts, which take several batches, against those of the same texts alone. On a
// device kernels depend on the batch.
func TestEmbed(t *testing.T) {
	e, tolerance := embedded(t, inference.Threads(2)), 1e-5
	if modeltest.GPU() != "" {
		tolerance = 1e-4
	}
	var texts []string
	for i := range 150 {
		texts = append(texts, puzzles[i%4][:20+i])
	}
	texts = append(texts, texts[7])
	vectors, compared := embed(t, e, texts...), 0
	for i, text := range texts {
		alone := embed(t, e, text)[0]
		for j := range alone {
			if compared++; math.Abs(float64(alone[j]-vectors[i][j])) > tolerance {
				t.Fatalf("text %d, element %d: %g alone, %g in the batch, want them within %g", i, j, alone[j],
					vectors[i][j], tolerance)
			}
		}
	}
	if compared != 151*256 {
		t.Errorf("%d elements were compared, want %d", compared, 151*256)
	}
	if same := cosine(vectors[7], vectors[150]); math.Abs(same-1) > 1e-6 {
		t.Errorf("equal texts have cosine %g, want 1", same)
	}
	if near, far := cosine(vectors[0], vectors[4]), cosine(vectors[0], vectors[2]); near > 0.9999 || far > near {
		t.Errorf("two beginnings of a puzzle have cosine %g, two puzzles %g, want the first at least the second and "+
			"at most 0.9999", near, far)
	}
	if want := "pooling mean of the last layer of tiny, whose file names no pooling"; e.Method() != want ||
		e.Truncated() != 0 || !e.Model().Embedded {
		t.Errorf("%q, want %q; %d truncated; %+v", e.Method(), want, e.Truncated(), e.Model())
	}
}

// TestEmbedBeside: an engine embeds with the weights that it generates with, beside replies, as if they were loaded for
// that alone, and until it is closed.
func TestEmbedBeside(t *testing.T) {
	path := modeltest.Embedded(t)
	texts := []string{"Three books on a shelf.", "A fruit stand sells plums."}
	want, err := openEmbedder(t, path, inference.Threads(1)).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, inference.Threads(1))
	e, err := l.Embedder("")
	if err != nil {
		t.Fatal(err)
	}
	replied := make(chan error)
	go func() {
		_, err := l.Ask(t.Context(), inference.Client{Order: 1}, []inference.Request{{Messages: ask(puzzles[0]),
			MaxTokens: 60}})
		replied <- err
	}()
	got, err := e.Embed(t.Context(), texts)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || <-replied != nil {
		t.Errorf("%v: (-weights of its own +shared) %s", err, diff)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.Embed(t.Context(), texts); !errors.Is(err, step.ErrClosed) {
		t.Errorf("after the engine's Close: %v, want the error %q", err, step.ErrClosed)
	}
	if _, err := l.Embedder(""); !errors.Is(err, step.ErrClosed) {
		t.Errorf("after Close: %v, want the error %q", err, step.ErrClosed)
	}
	if _, err := l.Embedder("nobody"); err == nil {
		t.Error("a model that is not there embeds, want an error")
	}
}

// TestEmbedTruncates: what is too long counts up to where it is cut, and that it was cut is counted.
func TestEmbedTruncates(t *testing.T) {
	e := embedded(t, inference.Context(16))
	vectors := embed(t, e, puzzles[0], puzzles[0]+" And so on.", "short")
	if e.Most() != 16 || e.Truncated() != 2 {
		t.Errorf("%d tokens at most, %d texts truncated; want 16 and 2", e.Most(), e.Truncated())
	}
	if c := cosine(vectors[0], vectors[1]); math.Abs(c-1) > 1e-6 {
		t.Errorf("texts that differ only in what is cut have cosine %g, want 1", c)
	}
}

// TestEmbedByEncoder: a model that only encodes pools as its file says, and keeps the token that ends a text when it
// cuts one.
func TestEmbedByEncoder(t *testing.T) {
	e := encoder(t)
	if want := "pooling cls of the last layer of encoder, as its file says"; e.Method() != want ||
		e.Most() != modeltest.Positions {
		t.Errorf("%q, want %q; %d tokens", e.Method(), want, e.Most())
	}
	long := strings.Repeat("wa ", modeltest.Positions-2) // with a first and a last token as long as can be
	vectors := embed(t, e, long, long+"wb wc", "wa wb", "wb wa")
	if c := cosine(vectors[0], vectors[1]); math.Abs(c-1) > 1e-6 || e.Truncated() != 1 {
		t.Errorf("cosine %g, %d truncated; want 1 and 1", c, e.Truncated())
	}
	if c := cosine(vectors[2], vectors[3]); c > 1-1e-5 {
		t.Errorf("the same words in another order have cosine %g, want at most %g", c, 1-1e-5)
	}
}

func TestEmbedRefuses(t *testing.T) {
	e := embedded(t)
	if _, err := e.Embed(t.Context(), []string{"a", ""}); err == nil ||
		!strings.Contains(err.Error(), "text 2 of 2: it has no tokens") {
		t.Errorf("an empty text got the error %v, want \"text 2 of 2: it has no tokens\"", err)
	}
	if v, err := e.Embed(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("nothing: %v, %v; want none and no error", v, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(cancelled, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want the error %q", err, context.Canceled)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, step.ErrClosed) {
		t.Errorf("closed: %v, want the error %q", err, step.ErrClosed)
	}
	file := modeltest.Encoder()
	for name, content := range map[string][]byte{"half.gguf": file[:len(file)/2],
		"text.gguf": []byte("this is no model")} {
		t.Run(name, func(t *testing.T) {
			path := datatest.File(t, name, content)
			if _, err := inference.OpenEmbedder(path); err == nil || !strings.Contains(err.Error(), name) ||
				errors.Is(err, llamacpp.ErrNoCgo) {
				t.Errorf("%s is refused by name as a model of texts: got %v", name, err)
			}
		})
	}
	if _, err := inference.OpenEmbedder("none.gguf", inference.Context(-1)); err == nil ||
		!strings.Contains(err.Error(), "context -1: must be") {
		t.Errorf(`%v, want an error with "context -1: must be"`, err)
	}
}
