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
	"github.com/parley-debate/parley/internal/platform"
)

// stepCosts are what a step costs besides its rows, in rows, and what a row costs, with the state of the machine when
// that was measured and what runs found since.
type stepCosts struct {
	Rows float64       `json:"rows"`
	Row  time.Duration `json:"row_ns"`
	// how many generations at once gave the most, where a GPU computes (measureWidth); 0 if it was not measured
	Width int     `json:"width,omitempty"`
	Date  string  `json:"measured,omitempty"`
	Load  float64 `json:"load,omitempty"`    // average of the minute before
	Took  float64 `json:"took,omitempty"`    // by the last run, as a multiple of what was measured; 0: none has said
	Anew  bool    `json:"doubted,omitempty"` // since a run's steps took another time
}

// agree is how many times as long as another a time may be that is still taken for the same: speed varies that much
// with the length of contexts and with what else runs.
const agree = 2

func agrees(ratio float64) bool { return 1/ratio <= agree && ratio <= agree }

// holds reports whether a measurement still counts on a machine with a load: not if a run doubts it, or if other work
// held the cores then and does no longer.
func (c stepCosts) holds(load float64, cores int) bool {
	plausible := 0 < c.Rows && c.Rows <= mostCost && c.Row > 0 && c.Took >= 0
	return plausible && !c.Anew && (c.Load <= float64(cores) || load > c.Load/agree)
}

// after returns what is kept once the steps of a run took so many times as long as measured. That they did in an
// earlier run, too, though a new measurement found the same, says that the run is of this kind.
func (c stepCosts) after(took float64) stepCosts {
	c.Anew = !agrees(took) && (c.Took == 0 || !agrees(took/c.Took))
	c.Took = took
	return c
}

// insteadOf returns a new measurement as it is kept after an old one, which may be none.
func (c stepCosts) insteadOf(old stepCosts) stepCosts {
	if old.Row > 0 && agrees(float64(c.Row)/float64(old.Row)) && agrees((1+c.Rows)/(1+old.Rows)) {
		c.Took = old.Took
	}
	return c
}

// costFile is where measurements are kept.
func (o options) costFile() string { return filepath.Join(o.calibration, "steps.json") }

// stepCost returns what steps cost, for this model, machine and build. It is read from the file of earlier measurements
// if it is there and holds, and measured and written otherwise.
func (m *instance) stepCost(o options) (stepCosts, error) {
	var old stepCosts
	costs, err := loadOrMeasure(o.costFile(), m.measurementName(costVersion),
		func(c stepCosts) bool {
			old = c
			return c.holds(machine.Load(), machine.Threads())
		}, func() (stepCosts, error) {
			load := machine.Load()
			c, err := m.measureCost(o.context)
			c.Date, c.Load = time.Now().UTC().Format(time.RFC3339), load
			return c.insteadOf(old), err
		})
	if err != nil {
		return costs, fmt.Errorf("model %q: measuring what a step costs: %w", m.info.Path, err)
	}
	return costs, nil
}

// fewSteps are too few to say that a measurement is wrong: the first ones read weights from the disk.
const fewSteps = 50

// reviewCost compares the steps since Open with the measurement that they were planned with, and notes it in the file
// of measurements: what does not agree is measured again when the model is opened next.
func (m *instance) reviewCost(s Stats) {
	costs, name := m.plan.costs, m.measurementName(costVersion)
	if costs.Row == 0 || s.Steps < fewSteps {
		return
	}
	measured := float64(costs.Row) * (float64(s.Rows) + costs.Rows*float64(s.Steps))
	next := costs.after(float64(s.PrefillDuration+s.DecodeDuration) / measured)
	if known := measurements[stepCosts](m.options.costFile()); known[name] == costs { // nobody has measured meanwhile
		keep(m.options.costFile(), known, name, next)
	}
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
func loadOrMeasure[T any](path, name string, holds func(T) bool, measure func() (T, error)) (T, error) {
	if found, there := measurements[T](path)[name]; there && holds(found) {
		return found, nil
	}
	found, err := measure()
	if err == nil {
		keep(path, measurements[T](path), name, found)
	}
	return found, err
}

// measurements returns what a file of measurements has by name: nothing if it cannot be understood.
func measurements[T any](path string) map[string]T {
	known := map[string]T{}
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &known) != nil || known == nil {
		return map[string]T{}
	}
	return known
}

// keep writes a file of measurements with one more. Where it cannot be kept, it is measured again.
func keep[T any](path string, known map[string]T, name string, found T) {
	known[name] = found
	if encoded, err := json.MarshalIndent(known, "", "  "); err == nil && os.MkdirAll(filepath.Dir(path),
		0o755) == nil {
		_ = platform.WriteFile(path, encoded, 0o644)
	}
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
	costs = stepCosts{Rows: math.Round(rows*digits) / digits, Row: time.Duration(row)}
	if m.layers().offloaded > 0 && !m.model.Recurrent() {
		costs.Width, err = m.measureWidth(o)
	}
	return costs, err
}

// ownCells is how many cells of its own a generation has while widths are measured.
const ownCells = 128

// measureWidth times steps of more and more generations, as long as that pays, and returns how many are enough. On a
// GPU, llama.cpp's attention visits the cells of all generations for each row, so that a step costs more than its rows:
// on an H100, 256 generations of a 7B model give fewer tokens a second than 128 do.
func (m *instance) measureWidth(o llamacpp.ContextOptions) (int, error) {
	most, cell := m.model.MaxSequences(), m.model.KVBytesPerCell(o.KeyType, o.ValueType)
	if free := llamacpp.DeviceMemory(m.options.model.Device); free > 0 { // of which a measurement takes a quarter
		most = min(most, int(free/4/max(1, cell*ownCells)))
	}
	o.Sequences, o.Batch = max(1, most), max(512, most)
	o.Cells = o.Sequences * (ownCells + timedSteps)
	c, err := m.model.NewContext(o)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	w := widths{context: c, batch: o.Batch, vocabulary: m.model.VocabSize()}
	var rates []float64
	for n := narrowest; n <= o.Sequences; n *= 2 {
		rate, err := w.rate(n)
		if err != nil {
			return 0, err
		}
		if rates = append(rates, rate); rate < slices.Max(rates) {
			break
		}
	}
	return enough(rates), nil
}

// narrowest is the least number of generations that a width has, timedSteps how many steps of each are timed.
const narrowest, timedSteps = 16, 4

// enough returns the least of the widths, which double from the narrowest, whose rate is near the highest; 0 for none.
func enough(rates []float64) int {
	for i, rate := range rates {
		if rate >= wide*slices.Max(rates) {
			return narrowest << i
		}
	}
	return 0
}

// widths times steps of a context whose sequences begin one after the other.
type widths struct {
	context    *llamacpp.Context
	batch      int
	vocabulary int
	begun      int // sequences that have their own cells
}

// rate returns the tokens a second of steps that draw one for each of n sequences.
func (w *widths) rate(n int) (tokensSecond float64, err error) {
	var b step.Batch
	take := func(full int) error {
		if len(b.Rows) < full {
			return nil
		}
		err := w.context.Step(context.Background(), &b, make([]step.Sampled, len(b.Samples)))
		b = step.Batch{}
		return err
	}
	row := func(seq, pos int) {
		b.Rows = append(b.Rows, step.Row{Seq: step.SeqID(seq), Pos: int32(pos),
			Token: step.Token((31*seq + 7*pos) % w.vocabulary)})
	}
	for ; w.begun < n; w.begun++ {
		for pos := range ownCells {
			row(w.begun, pos)
			if err := take(w.batch); err != nil {
				return 0, err
			}
		}
	}
	if err := take(1); err != nil {
		return 0, err
	}
	best := time.Duration(math.MaxInt64)
	for i := range timedSteps {
		for seq := range n {
			row(seq, ownCells+i)
			b.Samples = append(b.Samples, step.Sample{Row: int32(seq), Seq: step.SeqID(seq),
				Start: &step.Start{Sampling: Sampling{Temperature: 1}}})
		}
		started := time.Now()
		if err := take(1); err != nil {
			return 0, err
		}
		best = min(best, time.Since(started))
	}
	for seq := range n { // the next width takes its steps at the same place
		b.Memory = append(b.Memory, step.MemoryOp{Dst: step.SeqID(seq), From: ownCells, To: -1})
	}
	err = take(0)
	return float64(n) / best.Seconds(), err
}
