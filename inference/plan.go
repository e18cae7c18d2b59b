package inference

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// plan is what an engine chose where its options leave a choice, and why.
type plan struct {
	parallel int
	cells    int
	drafts   float64 // what a step costs, in rows, where generations are given drafts; else 0
	free     int64
	reasons  []string
}

// wide is the share of the throughput with an unbounded number of rows that counts as enough.
const wide = 0.9

// share is the throughput of steps with some rows as a share of that with an unbounded number of rows, if the fixed
// cost of a step is that of `step` rows.
func share(rows int, step float64) float64 { return float64(rows) / (float64(rows) + step) }

// width is the least number of generations that is wide enough, a power of two.
func width(step float64) int {
	n := 16
	for n < scheduler.MaxSequences && share(n, step) < wide {
		n *= 2
	}
	return n
}

// makePlan completes the options from the cost of a step and the free memory.
func (l *Local) makePlan(o *options) error {
	p, step := &l.plan, o.stepCost
	if step == 0 && o.calibration != "" {
		var err error
		if step, err = l.calibrated(*o); err != nil {
			return err
		}
	}
	if o.parallel == 0 {
		o.parallel = 64
		if step > 0 {
			o.parallel = width(step)
			p.reasons = append(p.reasons, fmt.Sprintf("a step costs as much as %.3g rows: %d at once give %.0f %% "+
				"of what endless width would", step, o.parallel, 100*share(o.parallel, step)))
		}
	}
	if o.speculate && step > 0 {
		p.drafts = step
		p.reasons = append(p.reasons, fmt.Sprintf("drafts where their chance exceeds rows / (rows + %.3g)", step))
	}
	p.free = l.freeMemory(o.model)
	if o.context.Cells == 0 {
		o.context.Cells = l.cells(*o)
	}
	o.context.Cells = (o.context.Cells + 255) / 256 * 256 // as llama.cpp does
	o.context.Sequences = min(4*o.parallel, scheduler.MaxSequences)
	o.context.Batch = max(o.context.Batch, o.parallel)
	p.parallel, p.cells = o.parallel, o.context.Cells
	return nil
}

// cells is the default size of a context. It is smaller for the embedded model, for which llama.cpp's mask over all
// cells would cost more than the model (docs/log.md), and if memory is short.
func (l *Local) cells(o options) int {
	cells := 32768
	if l.info.Embedded {
		cells = 8192
	}
	per := l.model.KVBytesPerCell(o.context.KeyType, o.context.ValueType)
	if fit := int(0.8*float64(l.plan.free)/float64(per)) / 256 * 256; l.plan.free > 0 && fit < cells {
		cells = max(2048, fit)
		l.plan.reasons = append(l.plan.reasons, fmt.Sprintf("memory is short: a cell takes %s",
			humanize.IBytes(uint64(per))))
	}
	return cells
}

// freeMemory is the memory left for cells beside the weights, on the device that computes the layers; 0 if it is
// unknown.
func (l *Local) freeMemory(o llamacpp.ModelOptions) int64 {
	if o.GPULayers != 0 {
		for _, d := range llamacpp.Devices() {
			if d.GPU() && (o.Device == "" || o.Device == d.Name) {
				return d.FreeBytes // the weights are there already
			}
		}
	}
	free := llamacpp.AvailableMemory()
	if free == 0 {
		return 0
	}
	return max(1, free-l.model.SizeBytes()) // they are mapped, and count as available
}

// String is the plan in one line.
func (p plan) String() string {
	text := fmt.Sprintf("up to %d generations at once, %s KV cells", p.parallel, humanize.Comma(int64(p.cells)))
	return strings.Join(append([]string{text}, p.reasons...), "; ")
}

// calibrated is the fixed cost of a step in rows, for this model, machine and build. It is read from the file of
// earlier measurements if it is there, and measured and written otherwise.
func (l *Local) calibrated(o options) (rows float64, err error) {
	build := llamacpp.Build()
	sum := sha256.Sum256(fmt.Append(nil, l.info.Hash, o.kernels, o.kv, o.context.Threads, o.model.GPULayers,
		o.model.Device, llamacpp.MachineName(), build.Carrier, build.Compiler, costVersion))
	name := fmt.Sprintf("%x", sum[:12])
	path := filepath.Join(o.calibration, "costs.json")
	costs := map[string]float64{}
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &costs) == nil && 0 < costs[name] &&
		costs[name] <= mostCost {
		return costs[name], nil
	}
	if rows, err = l.measureCost(o.context); err != nil {
		return 0, fmt.Errorf("model %q: measuring what a step costs: %w", l.info.Path, err)
	}
	if costs == nil { // the file said null
		costs = map[string]float64{}
	}
	costs[name] = rows
	if encoded, err := json.MarshalIndent(costs, "", "  "); err == nil && os.MkdirAll(o.calibration, 0o755) == nil {
		_ = os.WriteFile(path, encoded, 0o644) // where it cannot be kept, it is measured again
	}
	return rows, nil
}

// mostCost bounds a plausible measurement, in rows.
const mostCost = 500

// costVersion is raised when measureCost or our kernels change.
const costVersion = 1

// measureCost times steps of one row and of many, samples all of their rows, and takes the fastest of each. The line
// through the two gives the time of a step without rows; its ratio to the time of a row, to two digits, is the cost.
func (l *Local) measureCost(o llamacpp.ContextOptions) (rows float64, err error) {
	const many = 32
	o.Cells, o.Sequences, o.Batch = 512, 1, many
	c, err := l.model.NewContext(o)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	fastest := func(rows, repeats int) (time.Duration, error) {
		b := llamacpp.Batch{Memory: []llamacpp.MemoryOp{{To: -1}}}
		for i := range rows {
			b.Rows = append(b.Rows, llamacpp.Row{Token: llamacpp.Token(i * 7 % l.model.VocabSize()), Pos: int32(i)})
			b.Samples = append(b.Samples, llamacpp.Sample{Row: int32(i), Seq: llamacpp.NoSeq,
				Start: &llamacpp.Start{Sampling: Sampling{Temperature: 1}}})
		}
		out := make([]llamacpp.Sampled, rows)
		var times []time.Duration
		for range repeats + 1 { // the first one warms up
			started := time.Now()
			if err := c.Step(context.Background(), &b, out); err != nil {
				return 0, err
			}
			times = append(times, time.Since(started))
		}
		return slices.Min(times[1:]), nil
	}
	one, all := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 4 { // on a busy machine one row can seem to take longer than many
		few, err := fastest(1, 5)
		if err != nil {
			return 0, err
		}
		lot, err := fastest(many, 3)
		if err != nil {
			return 0, err
		}
		if one, all = min(one, few), min(all, lot); all > one {
			break
		}
	}
	row := max(1, float64(all-one)/(many-1))
	rows = min(max(0.1, float64(one)/row-1), mostCost)
	digits := math.Pow(10, 1-math.Floor(math.Log10(rows)))
	return math.Round(rows*digits) / digits, nil
}
