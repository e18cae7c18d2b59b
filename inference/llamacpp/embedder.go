//go:build cgo && !llama_none

package llamacpp

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Embedder turns each text into a vector: the states of the last layer, pooled over its tokens. It has a context of its
// own and keeps nothing from one call to the next. One goroutine at a time may use it.
type Embedder struct {
	context *Context
}

// NewEmbedder makes an embedder. Batch bounds the tokens of a call and Sequences its texts; Cells is not read. Models
// that only encode work too, if llama.cpp knows their architecture.
func (m *Model) NewEmbedder(o ContextOptions, pooling Pooling) (*Embedder, error) {
	if pooling < PoolingMean || pooling > PoolingLast {
		return nil, fmt.Errorf("model %q: %v gives no embeddings; there are %v, %v and %v", m.path, pooling,
			PoolingMean, PoolingCLS, PoolingLast)
	}
	o.ensureDefaults()
	// A multiple of the sequences; otherwise llama.cpp reserves a graph whose sizes do not fit.
	o.Batch = (o.Batch + o.Sequences - 1) / max(1, o.Sequences) * o.Sequences
	o.Cells = o.Batch
	c, err := m.newContext(o, pooling)
	if err != nil {
		return nil, err
	}
	return &Embedder{c}, nil
}

// Close frees the context. It is idempotent.
func (e *Embedder) Close() error { return e.context.Close() }

// Size returns how many numbers a vector has.
func (e *Embedder) Size() int { return int(e.context.model.info.pooled) }

// Embed returns a vector of length 1 for each text, in one decode. Other texts of the call change it by no more than
// rounding, since pooling is a product that llama.cpp computes.
func (e *Embedder) Embed(ctx context.Context, texts [][]Token) ([][]float32, error) {
	rows, err := e.rows(texts)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAborted, err)
	}
	defer e.context.until(ctx)()
	width := e.Size()
	states := make([]float32, len(texts)*width)
	var reason [C.PARLEY_ERROR_SIZE]C.char
	code := C.parley_embed(e.context.c, (*C.parley_row)(unsafe.Pointer(unsafe.SliceData(rows))), C.int32_t(len(rows)),
		C.int32_t(len(texts)),
		(*C.float)(unsafe.Pointer(unsafe.SliceData(states))), &reason[0])
	if err := e.context.failure(ctx, code, len(rows), &reason[0]); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = states[i*width : (i+1)*width : (i+1)*width]
		if err := normalize(vectors[i]); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// rows returns the tokens of all texts, each text a sequence that begins at position 0. A model with learned positions
// has none beyond its context.
func (e *Embedder) rows(texts [][]Token) (rows []Row, err error) {
	most := e.context.model.TrainContext()
	for i, text := range texts {
		if len(text) == 0 || len(text) > most {
			return nil, fmt.Errorf("embed: text %d of %d has %d tokens, between 1 and %d were expected", i+1,
				len(texts), len(text), most)
		}
		for pos, t := range text {
			rows = append(rows, Row{Token: t, Pos: int32(pos), Seq: SeqID(i)})
		}
	}
	return rows, e.context.check(&Batch{Rows: rows}, nil)
}

// normalize gives a vector the length 1.
func normalize(v []float32) error {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return errors.New("the model computed states without a direction: its weights are damaged")
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}
