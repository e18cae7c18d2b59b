//go:build cgo && !llama_none

package llamacpp

import (
	"context"
	"slices"
)

// way is one of the ways to compute a prompt.
type way struct {
	threads    int
	pieces     []int // lengths; the last piece takes whatever is left
	neighbours SeqID // sequences that decode in the batch of the last piece; half of them share the prompt
	drafted    bool  // with the rejected drafts and replaced cells that speculation leaves behind
}

// CheckInvariance computes a short prompt of made-up tokens in several ways and compares the bits of the last logits:
// in one piece and in small ones, with neighbours in the batch that share some of its cells and others that share none,
// with one thread, and with the cells that speculation leaves behind. Of the options it takes the threads and the types
// of the cache.
func (m *Model) CheckInvariance(ctx context.Context, o ContextOptions) (Invariance, error) {
	const length = 75
	return m.compare(ctx, o, length, []way{
		{threads: o.Threads, pieces: []int{length}},
		{threads: o.Threads, pieces: []int{1, 2, 31, 3, length}},
		{threads: o.Threads, pieces: []int{length - 1, 1}, neighbours: 15},
		{threads: o.Threads, pieces: []int{40, length}, neighbours: 7},
		{threads: 1, pieces: []int{length}},
		{threads: o.Threads, pieces: []int{30, 20, length}, neighbours: 5, drafted: true},
		{threads: o.Threads, pieces: []int{length - 1, 1}, neighbours: 2, drafted: true},
	})
}

// QuickInvariance does the same with a third of the tokens, and only in the ways that differ most: with another number
// of threads, and its last token among neighbours.
func (m *Model) QuickInvariance(ctx context.Context, o ContextOptions) (Invariance, error) {
	const length = 24
	others := 1
	if o.Threads == 1 {
		others = 2
	}
	return m.compare(ctx, o, length, []way{{threads: o.Threads, pieces: []int{length}},
		{threads: others, pieces: []int{length}},
		{threads: o.Threads, pieces: []int{length - 1, 1}, neighbours: 15}})
}

// compare computes a prompt in ways, and compares the bits of its last logits with those of the first.
func (m *Model) compare(ctx context.Context, o ContextOptions, length int, ways []way) (Invariance, error) {
	const cells = 512
	result := Invariance{Attends: m.KVBytesPerCell(o.KeyType, o.ValueType) > 0, Theirs: m.kernels != KernelsParley}
	var plain []float32
	for _, w := range ways {
		if w.drafted && m.Recurrent() { // its sequences are never cut
			continue
		}
		c, err := m.NewContext(ContextOptions{
			Cells: cells, Sequences: 32, Batch: 128, Threads: w.threads, KeyType: o.KeyType, ValueType: o.ValueType,
		})
		if err != nil {
			return result, err
		}
		logits, err := w.compute(ctx, c, length)
		work := c.Work()
		result.Operations = c.Operations()
		c.Close()
		if err != nil {
			return result, err
		}
		result.Work.Attention += work.Attention
		result.Work.Products += work.Products
		result.Work.Left += work.Left
		result.Work.Unordered += work.Unordered
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

// compute computes the prompt on sequence 0 and returns the logits of its last token.
func (w way) compute(ctx context.Context, c *Context, length int) ([]float32, error) {
	token := func(pos int) Token { return Token((pos*pos*7 + pos + 3) % (c.model.VocabSize() - 1)) }
	at, row := 0, 0
	for _, n := range w.pieces {
		end := min(at+n, length)
		var b Batch
		if w.drafted && at > 0 {
			if err := rewriteBeginning(ctx, c, at, token, &b); err != nil {
				return nil, err
			}
		}
		if end == length {
			w.addNeighbours(&b, at, token)
		}
		for ; at < end; at++ {
			b.Rows = append(b.Rows, Row{Token: token(at), Pos: int32(at)})
		}
		row = len(b.Rows) - 1
		if w.drafted { // a wrong draft, which is cut before anything sees it
			for pos := at; pos < at+4; pos++ {
				b.Rows = append(b.Rows, Row{Token: token(pos + 1), Pos: int32(pos)})
			}
		}
		b.Samples = []Sample{{Row: int32(row), Start: &Start{}}}
		if err := c.Step(ctx, &b, make([]Sampled, 1)); err != nil {
			return nil, err
		}
	}
	return c.Logits(row), nil
}

// addNeighbours adds a row for each neighbour. Every second one shares the prompt's first tokens.
func (w way) addNeighbours(b *Batch, shared int, token func(pos int) Token) {
	for seq := SeqID(1); seq <= w.neighbours; seq++ {
		pos := 0
		if seq%2 == 0 && shared > 0 {
			pos = shared
			b.Memory = append(b.Memory, MemoryOp{Kind: MemoryCopy, Src: 0, Dst: seq, To: int32(shared)})
		}
		b.Rows = append(b.Rows, Row{Token: token(int(seq)), Pos: int32(pos), Seq: seq})
	}
}

// rewriteBeginning does what the scheduler does to a sequence that adopts the cells of another one: it cuts the wrong
// draft after the first `have` tokens, computes the first half of the prompt again on another sequence, and replaces
// the cells of that half by those of the other sequence, which were written later.
func rewriteBeginning(ctx context.Context, c *Context, have int, token func(pos int) Token, next *Batch) error {
	const other = SeqID(31)
	half := have / 2
	late := Batch{Memory: []MemoryOp{{Kind: MemoryRemove, Dst: 0, From: int32(have), To: -1},
		{Kind: MemoryRemove, Dst: other, To: -1}}}
	for pos := range half {
		late.Rows = append(late.Rows, Row{Token: token(pos), Pos: int32(pos), Seq: other})
	}
	next.Memory = append(next.Memory, MemoryOp{Kind: MemoryRemove, Dst: 0, To: int32(half)},
		MemoryOp{Kind: MemoryCopy, Src: other, Dst: 0, To: int32(half)})
	return c.Step(ctx, &late, nil)
}
