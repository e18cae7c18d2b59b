package inference

import (
	"context"
	"sync"
	"time"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// decoder carries out the scheduler's plans in a llama.cpp context, and measures them.
type decoder struct {
	context *llamacpp.Context
	batch   llamacpp.Batch // reused from step to step
	out     []llamacpp.Sampled

	mu              sync.Mutex // guards what follows
	prefill, decode time.Duration
	pace            fit
}

// Step implements scheduler.Engine.
func (d *decoder) Step(ctx context.Context, plan *scheduler.Plan) ([]scheduler.Sampled, error) {
	d.translate(plan)
	started := time.Now()
	if err := d.context.Step(ctx, &d.batch, d.out); err != nil {
		return nil, err
	}
	d.measure(plan, time.Since(started))
	sampled := make([]scheduler.Sampled, len(d.out))
	for i, s := range d.out {
		sampled[i] = scheduler.Sampled{Token: scheduler.Token(s.Token), LogProb: s.LogProb, End: s.End, Stuck: s.Stuck}
		for _, r := range s.Rivals {
			sampled[i].Rivals = append(sampled[i].Rivals, scheduler.Rival{Token: scheduler.Token(r.Token),
				LogProb: r.LogProb})
		}
	}
	return sampled, nil
}

func (d *decoder) translate(plan *scheduler.Plan) {
	b := &d.batch
	b.Memory, b.Rows, b.Also, b.Samples, d.out = b.Memory[:0], b.Rows[:0], b.Also[:0], b.Samples[:0], d.out[:0]
	for _, op := range plan.Memory {
		b.Memory = append(b.Memory, llamacpp.MemoryOp{
			Kind: int32(op.Kind), Src: llamacpp.SeqID(op.Src), Dst: llamacpp.SeqID(op.Dst), From: op.From, To: op.To,
		})
	}
	for _, r := range plan.Rows {
		row := llamacpp.Row{Token: llamacpp.Token(r.Token), Pos: r.Pos, Seq: llamacpp.SeqID(r.Seq),
			Also: int32(len(b.Also)), NAlso: int32(len(r.Also))}
		for _, id := range r.Also {
			b.Also = append(b.Also, llamacpp.SeqID(id))
		}
		b.Rows = append(b.Rows, row)
	}
	for _, s := range plan.Samples {
		sample := llamacpp.Sample{Row: int32(s.Row), Seq: llamacpp.SeqID(s.Seq)}
		if s.Start != nil {
			sample.Start = sampler(s.Start)
			for _, t := range s.Start.History {
				sample.History = append(sample.History, llamacpp.Token(t))
			}
		}
		b.Samples = append(b.Samples, sample)
		d.out = append(d.out, llamacpp.Sampled{})
	}
}

func sampler(start *scheduler.Start) *llamacpp.Sampler {
	s := start.Sampling
	var given *llamacpp.Token
	if start.Given != nil {
		token := llamacpp.Token(*start.Given)
		given = &token
	}
	return &llamacpp.Sampler{
		Given:       given,
		Temperature: s.Temperature, TopK: s.TopK, TopP: s.TopP, MinP: s.MinP, RepeatPenalty: s.RepeatPenalty,
		RepeatLastN: s.RepeatLastN, Seed: s.Seed, Rivals: s.Rivals, Drawn: start.Drawn, Grammar: s.Grammar,
	}
}

// measure shares the time of a step out by its rows.
func (d *decoder) measure(plan *scheduler.Plan, took time.Duration) {
	if len(plan.Rows) == 0 {
		return
	}
	prefill := took * time.Duration(plan.Prefill) / time.Duration(len(plan.Rows))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.prefill += prefill
	d.decode += took - prefill
	attended := 0
	for _, row := range plan.Rows {
		attended += int(row.Pos) + 1
	}
	d.pace.add(work(1, plan.Prefill, len(plan.Rows), attended), took)
}

func (d *decoder) durations() (prefill, decode time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prefill, d.decode
}
