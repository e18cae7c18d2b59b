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
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/inference/step"
)

// stepCosts are what a step costs besides its rows, in rows, and what a row costs.
type stepCosts struct {
	Rows float64       `json:"rows"`
	Row  time.Duration `json:"row_ns"`
}

// stepCost returns what steps cost, for this model, machine and build. It is read from the file of earlier measurements
// if it is there, and measured and written otherwise.
func (m *instance) stepCost(o options) (rows float64, row time.Duration, err error) {
	costs, err := loadOrMeasure(filepath.Join(o.calibration, "steps.json"), m.measurementName(costVersion),
		func(c stepCosts) bool { return 0 < c.Rows && c.Rows <= mostCost && c.Row > 0 },
		func() (stepCosts, error) { return m.measureCost(o.context) })
	if err != nil {
		return 0, 0, fmt.Errorf("model %q: measuring what a step costs: %w", m.info.Path, err)
	}
	return costs.Rows, costs.Row, nil
}

// measurementName identifies what is measured: this model on this machine with this build.
func (m *instance) measurementName(version int) string {
	o, build := m.options, llamacpp.Build()
	sum := sha256.Sum256(fmt.Append(nil, m.info.Hash, o.kernels+o.model.Target, o.kv, o.context.Threads,
		o.model.GPULayers, o.model.Device, machine.Name(), build.Llama, build.Compiler, version))
	return fmt.Sprintf("%x", sum[:12])
}

// loadOrMeasure returns what a file of earlier measurements has under a name, or else what measure finds, which it
// writes to the file.
func loadOrMeasure[T any](path, name string, plausible func(T) bool, measure func() (T, error)) (T, error) {
	known := map[string]T{}
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &known) == nil {
		if found, there := known[name]; there && plausible(found) {
			return found, nil
		}
	}
	found, err := measure()
	if err != nil {
		return found, err
	}
	if known == nil { // the file said null
		known = map[string]T{}
	}
	known[name] = found
	if encoded, err := json.MarshalIndent(known, "", "  "); err == nil && os.MkdirAll(filepath.Dir(path),
		0o755) == nil {
		_ = os.WriteFile(path, encoded, 0o644) // where it cannot be kept, it is measured again
	}
	return found, nil
}

// mostCost bounds a plausible measurement, in rows.
const mostCost = 500

// costVersion is raised when measureCost or our kernels change.
const costVersion = 3

// measureCost times steps of one row and of many, samples all of their rows, and takes the fastest of each. The line
// through the two gives the time of a step without rows; its ratio to the time of a row, to two digits, is the cost.
func (m *instance) measureCost(o llamacpp.ContextOptions) (costs stepCosts, err error) {
	const batch = 32 // rows
	o.Cells, o.Sequences, o.Batch = 512, 1, batch
	c, err := m.model.NewContext(o)
	if err != nil {
		return costs, err
	}
	defer c.Close()
	fastest := func(rows, repeats int) (time.Duration, error) {
		b := step.Batch{Memory: []step.MemoryOp{{To: -1}}}
		for i := range rows {
			b.Rows = append(b.Rows, step.Row{Token: step.Token(i * 7 % m.model.VocabSize()), Pos: int32(i)})
			b.Samples = append(b.Samples, step.Sample{Row: int32(i), Seq: step.NoSeq,
				Start: &step.Start{Sampling: Sampling{Temperature: 1}}})
		}
		out := make([]step.Sampled, rows)
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
		single, err := fastest(1, 5)
		if err != nil {
			return costs, err
		}
		batched, err := fastest(batch, 3)
		if err != nil {
			return costs, err
		}
		if one, all = min(one, single), min(all, batched); all > one {
			break
		}
	}
	row := max(1, float64(all-one)/(batch-1))
	rows := min(max(0.1, float64(one)/row-1), mostCost)
	digits := math.Pow(10, 1-math.Floor(math.Log10(rows)))
	return stepCosts{math.Round(rows*digits) / digits, time.Duration(row)}, nil
}
