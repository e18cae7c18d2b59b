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
	"github.com/dustin/go-humanize/english"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler"
)

// plan is what an engine chose where its options leave a choice, and why.
type plan struct {
	parallel int
	cells    int
	cost     float64       // what a step costs besides its rows, in rows
	row      time.Duration // what a row costs; 0 if it was not measured
	drafts   float64       // the same where generations are given drafts; else 0
	free     int64
	reasons  []string
}

// UsualParallel is how many generations run at once where neither the user nor a measurement says so.
const UsualParallel = 64

// usualCost is taken for the cost of a step where it is neither given nor measured: between what small and large models
// have.
const usualCost = 8

// wide is the share of the highest throughput that counts as enough.
const wide = 0.9

// share returns the throughput of steps with some rows as a share of the highest, which an unbounded number of rows
// would reach, if the fixed cost of a step is that of stepCost rows.
func share(rows int, stepCost float64) float64 { return float64(rows) / (float64(rows) + stepCost) }

// width returns the least number of generations that is wide enough, a power of two.
func width(stepCost float64) int {
	n := 16
	for n < scheduler.MaxSequences && share(n, stepCost) < wide {
		n *= 2
	}
	return n
}

// makePlans completes the options of all models, from the cost of a step and the memory that is free for them together.
func (l *Local) makePlans() error {
	demands := make([]demand, len(l.models))
	for _, m := range l.models {
		if err := m.planSteps(); err != nil {
			return err
		}
	}
	memories := l.memories()
	for i, m := range l.models {
		m.plan.free = m.layers().room(memories)
		m.planSequences(m.plan.free / int64(len(l.models)))
		demands[i] = m.demand()
	}
	if err := divide(memories, demands); err != nil {
		return err
	}
	for i, m := range l.models {
		m.planCells(demands[i])
	}
	return nil
}

// planSteps chooses how many generations run at once, and whether they are given drafts.
func (m *instance) planSteps() error {
	o, p := &m.options, &m.plan
	if most := m.model.MaxThreads(); o.context.Threads > most {
		p.reasons = append(p.reasons, fmt.Sprintf("of %d threads no more than its states have heads",
			o.context.Threads))
		o.context.Threads = most
	}
	cost := o.stepCost
	if cost == 0 && o.calibration != "" {
		var err error
		if cost, p.row, err = m.stepCost(*o); err != nil {
			return err
		}
	}
	if p.cost = cost; cost == 0 {
		p.cost = usualCost
	}
	if m.givenParallel = o.parallel > 0; !m.givenParallel {
		o.parallel = UsualParallel
		if cost > 0 {
			o.parallel = min(width(cost), m.model.MaxSequences())
			p.reasons = append(p.reasons, fmt.Sprintf("a step costs as much as %.3g rows: %d at once reach %.0f %% "+
				"of the highest throughput", cost, o.parallel, 100*share(o.parallel, cost)))
		}
	}
	if most := m.model.MaxSequences(); o.parallel > most {
		return fmt.Errorf("%d generations at once: %q has sliding windows, with which %d are possible; lower "+
			"--parallel", o.parallel, m.info.Name, most)
	}
	if o.speculate && cost > 0 && m.model.Recurrent() {
		p.reasons = append(p.reasons, "no drafts, which a recurrent model could not take back")
	} else if o.speculate && cost > 0 {
		p.drafts = cost
		p.reasons = append(p.reasons, fmt.Sprintf("drafts where their chance exceeds rows / (rows + %.3g)", cost))
	}
	return nil
}

// planSequences chooses how many sequences there are: of a recurrent model, each has a state.
func (m *instance) planSequences(free int64) {
	o, p := &m.options, &m.plan
	given, states := m.givenParallel, m.model.StateBytes()
	o.parallel, o.context.Sequences = sequencesOf(o.parallel, given, states, free)
	o.context.Sequences = min(o.context.Sequences, m.model.MaxSequences())
	if m.model.Recurrent() {
		p.reasons = append(p.reasons, fmt.Sprintf("recurrent: %d sequences keep a state of %s each",
			o.context.Sequences, humanize.IBytes(uint64(states))))
	}
}

// sequencesOf returns how many generations run at once, and how many sequences there are for them and for what is kept:
// four for each. Of a recurrent model, whose requests can begin only where a sequence ends, there are as many as there
// can be, but no more than that their states take two fifths of the free memory. parallel is changed only if it was not
// given.
func sequencesOf(parallel int, given bool, stateBytes, free int64) (live, sequences int) {
	live, sequences = parallel, min(4*parallel, scheduler.MaxSequences)
	if stateBytes == 0 || free <= 0 {
		return live, sequences
	}
	sequences = max(2, int(min(scheduler.MaxSequences, 2*free/5/stateBytes)))
	if !given {
		live = min(live, sequences/2)
	}
	return live, max(live, sequences)
}

// demand returns what the model wants: by default fewer cells for the embedded model, for which llama.cpp's mask over
// all cells would cost more than the model (docs/log.md).
func (m *instance) demand() demand {
	o := m.options.context
	given := (o.Cells + 255) / 256 * 256 // as llama.cpp does
	d := demand{layers: m.layers(), name: m.info.Name, cells: given, given: o.Cells > 0,
		states: int64(o.Sequences) * m.model.StateBytes(),
		bytes:  max(1, m.model.KVBytesPerCell(o.KeyType, o.ValueType))} // 0 without attention
	if !d.given {
		d.cells = usualCells(m.info.Embedded)
	}
	return d
}

// usualCells returns how many cells a model wants by default.
func usualCells(embedded bool) int {
	if embedded {
		return 8192
	}
	return 32768
}

// planCells takes what the model was given.
func (m *instance) planCells(d demand) {
	o, p := &m.options, &m.plan
	if want := m.demand(); d.cells < want.cells {
		p.reasons = append(p.reasons, fmt.Sprintf("memory is short: a cell takes %s", humanize.IBytes(uint64(d.bytes))))
	}
	o.context.Cells = d.cells
	o.context.Batch = max(o.context.Batch, o.parallel)
	p.parallel, p.cells = o.parallel, d.cells
}

// describePlan says what was set up for one model.
func (m *instance) describePlan() string {
	text := fmt.Sprintf("%s, cells take %s", english.Plural(m.context.Threads(), "thread", ""),
		humanize.IBytes(uint64(m.context.MemoryBytes())))
	if states := m.context.StateBytes(); states > 0 {
		text += ", states " + humanize.IBytes(uint64(states))
	}
	if m.plan.free > 0 {
		text += fmt.Sprintf(" of %s free", humanize.IBytes(uint64(m.plan.free)))
	}
	return text + ", " + m.plan.String()
}

// String returns the plan in one line.
func (p plan) String() string {
	text := fmt.Sprintf("up to %d generations at once, %s KV cells", p.parallel, humanize.Comma(int64(p.cells)))
	return strings.Join(append([]string{text}, p.reasons...), "; ")
}

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

// Takes estimates how long an engine with one model computes so many rows, of prompts or to draw tokens, when as many
// generations run at once as it plans. It is 0 if that was not measured.
func (s *Survey) Takes(rows int) time.Duration {
	if len(s.local.models) != 1 {
		return 0
	}
	p := s.local.models[0].plan
	return time.Duration(float64(rows) * float64(p.row) * (1 + p.cost/float64(max(1, p.parallel))))
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
