package scheduler

import (
	"context"

	"github.com/parley-debate/parley/inference/step"
)

// Plan is one step: a batch for the engine, and on whose behalf each sample is drawn. Of its rows, those for generated
// tokens come first, then Prefill prompt tokens, then drafts.
type Plan struct {
	step.Batch
	Prefill int

	targets []target // whose token each of Samples is, in their order
	drafts  []draft
}

// target is whose token one sample draws, and what it presumes.
type target struct {
	job     *Job
	drawn   int        // for a drafted row: the sample is void unless the job has drawn this many tokens,
	drafted step.Token // of which this is the last one
}

// empty reports whether there is nothing for the engine to do.
func (p *Plan) empty() bool { return len(p.Rows) == 0 && len(p.Memory) == 0 }

// Of returns the tag of the request whose token Samples[i] draws, and how many tokens that request will have drawn
// before it, if its draft is accepted. It is for engines that know the reply beforehand, and valid until Apply.
func (p *Plan) Of(i int) (tag any, drawn int) {
	d := &p.targets[i]
	if d.drawn > 0 {
		return d.job.Tag, d.drawn
	}
	return d.job.Tag, len(d.job.Result.Tokens)
}

// sample adds one draw from a row.
func (p *Plan) sample(row int, seq step.SeqID, start *step.Start, d target) {
	p.Samples = append(p.Samples, step.Sample{Row: int32(row), Seq: seq, Start: start})
	p.targets = append(p.targets, d)
}

// Engine carries out the plans of one Scheduler. Step is called by one goroutine at a time.
//
// What the scheduler relies on:
//
//   - There are at least Options.Cells cells and Options.Sequences sequences, all empty before the first plan.
//   - A step consists of the memory operations, in their order; then one decode of all rows; then the samples.
//   - A row is one cell, at Pos, of Seq and of each of plan.AlsoOf(row). It sees the cells of its sequence at [0, Pos],
//     those of this plan's other rows and its own among them.
//   - Copy makes Dst share the cells of Src at [From, To); Dst has none there before. Remove ends Dst's share of its
//     cells at [From, To); a cell that nobody holds any more is free. Neither touches a sampler.
//   - Each sequence has a sampler. A Sample with a Start resets it; one without goes on. Samples of NoSeq always have a
//     Start, and leave no sampler behind.
//   - A token that is drawn depends on the tokens at [0, Pos] of its row's sequence, on Start, and on how many
//     tokens of the generation were drawn before it. It does not depend on other rows: drafts are accepted, and equal
//     requests joined, because the draw would have been the same without them.
type Engine interface {
	// Step carries out one plan and returns one Sampled for each of plan.Samples, in their order; the scheduler keeps
	// them. It does not change the plan or keep it. If ctx is cancelled, it stops early and returns an error. After any
	// error the content of the engine's cells is undefined, and Step is not called again.
	Step(ctx context.Context, plan *Plan) ([]step.Sampled, error)
}
