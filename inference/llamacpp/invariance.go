//go:build cgo && (llama_carrier || llama_system) && !llama_none

package llamacpp

import (
	"context"
	"slices"
)

// CheckInvariance computes a short prompt of made-up tokens in one piece, in small pieces, beside neighbours that share a
// part of it and such that share none, and with one thread, and compares the bits of the last logits. Of the options it takes the
// threads and the types of the cache.
func (m *Model) CheckInvariance(ctx context.Context, o ContextOptions) (Invariance, error) {
	const length, cells = 75, 512
	var result Invariance
	var plain []float32
	for _, way := range []struct {
		threads    int
		pieces     []int
		neighbours SeqID
	}{{o.Threads, []int{length}, 0}, {o.Threads, []int{1, 2, 31, 3, length}, 0}, {o.Threads, []int{length - 1, 1}, 15}, {o.Threads, []int{40, length}, 7}, {1, []int{length}, 0}} {
		c, err := m.NewContext(ContextOptions{Cells: cells, Sequences: 32, Batch: 128, Threads: way.threads, KeyType: o.KeyType, ValueType: o.ValueType})
		if err != nil {
			return result, err
		}
		logits, err := prefillInPieces(ctx, c, length, way.pieces, way.neighbours)
		work := c.Work()
		c.Close()
		if err != nil {
			return result, err
		}
		result.Work.Attention += work.Attention
		result.Work.Products += work.Products
		result.Work.Left += work.Left
		if plain == nil {
			plain, result.Logits = logits, len(logits)
			continue
		}
		result.Ways++
		if !slices.Equal(plain, logits) {
			result.Different++
		}
	}
	return result, nil
}

// prefillInPieces returns the logits of the last token. In the last piece neighbours decode a token each.
func prefillInPieces(ctx context.Context, c *Context, length int, pieces []int, neighbours SeqID) ([]float32, error) {
	token := func(pos int) Token { return Token((pos*pos*7 + pos + 3) % (c.model.VocabSize() - 1)) }
	at, row := 0, 0
	for _, n := range pieces {
		end := min(at+n, length)
		b := Batch{}
		if end == length {
			for seq := SeqID(1); seq <= neighbours; seq++ {
				pos := 0
				if seq%2 == 0 && at > 0 { // shares what is there
					pos = at
					b.Memory = append(b.Memory, MemoryOp{Kind: MemoryCopy, Src: 0, Dst: seq, To: int32(at)})
				}
				b.Rows = append(b.Rows, Row{Token: token(int(seq)), Pos: int32(pos), Seq: seq})
			}
		}
		for ; at < end; at++ {
			b.Rows = append(b.Rows, Row{Token: token(at), Pos: int32(at)})
		}
		row = len(b.Rows) - 1
		b.Samples = []Sample{{Row: int32(row), Start: &Sampler{}}}
		if err := c.Step(ctx, &b, make([]Sampled, 1)); err != nil {
			return nil, err
		}
	}
	return c.Logits(row), nil
}
