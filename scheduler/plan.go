package scheduler

import "context"

// Plan is everything that the engine does in one step, in this order: memory operations, one decode of all rows, then
// the samples. A plan without rows has no samples.
type Plan struct {
	Memory  []MemoryOp
	Rows    []Row // generated tokens first, then Prefill prompt tokens
	Prefill int
	Samples []Sample

	drafts []draft
}

// Empty reports whether there is nothing for the engine to do.
func (p *Plan) Empty() bool { return len(p.Rows) == 0 && len(p.Memory) == 0 }

// MemoryOp changes which sequences own which cells. It moves no data.
type MemoryOp struct {
	Kind     MemoryKind
	Src, Dst SeqID // Remove uses Dst alone
	From, To int32 // positions, half-open; To < 0 is the end
}

// MemoryKind is the kind of a MemoryOp.
type MemoryKind int32

const (
	Remove MemoryKind = iota // Dst gives up its cells at [From, To)
	Copy                     // Dst shares the cells of Src at [From, To)
)

// Row is one token to decode: its keys and values are stored at Pos, once, for Seq and for those in Also, which hold
// the same tokens before it.
type Row struct {
	Token Token
	Pos   int32
	Seq   SeqID
	Also  []SeqID
}

// Sample draws the next token of Seq from the logits of Rows[Row]. Several samples may share a row.
type Sample struct {
	Row   int
	Seq   SeqID  // NoSeq for a first token whose request has no sequence yet; Start is then set
	Start *Start // set on the first sample of a sequence's generation, nil to go on

	job     *Job  // whose token this is
	drawn   int   // of a row that was drafted: tokens that the job has to have drawn,
	drafted Token // of which this is the last one; else the sample is void
}

// Of says whose token a sample is, by the tag of the request, and how many tokens that one will have drawn before it,
// where what was drafted comes about. Engines that know the text beforehand ask so, until Apply has entered the plan.
func (s *Sample) Of() (tag any, drawn int) {
	if s.drawn > 0 {
		return s.job.Tag, s.drawn
	}
	return s.job.Tag, len(s.job.Result.Tokens)
}

// NoSeq is no sequence.
const NoSeq SeqID = -1

// Start resets the sampler of a sequence.
type Start struct {
	Sampling Sampling
	// what was written before, for a repetition penalty; for a grammar the tokens of this generation are enough
	History []Token
	Drawn   int    // tokens of this generation that were drawn before: the place in its random stream
	Given   *Token // take this one, whatever its probability
}

// Engine carries out plans, for one Scheduler. Step is called by one goroutine at a time, never before the Step before
// it has returned.
//
// What the scheduler relies on:
//
//   - There are at least Options.Cells cells and Options.Sequences sequences, all empty before the first plan.
//   - A step consists of the memory operations, in their order; then one decode of all rows; then the samples.
//   - A row is one cell, at Pos, of Seq and of each sequence in Also. It sees the cells of its sequence at [0, Pos],
//     those of this plan's other rows and its own among them.
//   - Copy makes Dst share the cells of Src at [From, To); Dst has none there before. Remove ends Dst's share of its
//     cells at [From, To); a cell that nobody holds any more is free. Neither touches a sampler.
//   - Each sequence has a sampler. A Sample with a Start resets it; one without goes on. Samples of NoSeq always have a
//     Start, and leave no sampler behind.
//   - A token that is drawn depends on the tokens at [0, Pos] of its row's sequence, on Start.Sampling, and on how many
//     tokens of the generation were drawn before it. It does not depend on other rows: drafts are accepted, and equal
//     requests joined, because the draw would have been the same without them.
type Engine interface {
	// Step carries out one plan and returns one Sampled for each of plan.Samples, in their order; the scheduler keeps
	// them. The plan is read only, and not kept. A cancelled context stops within the step, with an error. After any
	// error the content of the engine's cells is undefined and Step is not called again.
	Step(ctx context.Context, plan *Plan) ([]Sampled, error)
}
