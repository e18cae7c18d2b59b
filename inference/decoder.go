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

	mu              sync.Mutex // guards what follows
	prefill, decode time.Duration
	pace            fit
}

// Step implements scheduler.Engine. The plan's batch goes to the binding as it is.
func (d *decoder) Step(ctx context.Context, plan *scheduler.Plan) ([]scheduler.Sampled, error) {
	sampled := make([]scheduler.Sampled, len(plan.Samples)) // the scheduler keeps it
	started := time.Now()
	if err := d.context.Step(ctx, &plan.Batch, sampled); err != nil {
		return nil, err
	}
	d.measure(plan, time.Since(started))
	return sampled, nil
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
