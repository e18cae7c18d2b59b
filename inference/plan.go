package inference

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/parley-debate/parley/scheduler"
)

// plan is what an engine chose where its options leave a choice, and why.
type plan struct {
	parallel int
	cells    int
	cost     float64   // what a step costs besides its rows, in rows
	costs    stepCosts // as measured; zero if nothing was
	drafts   float64   // cost where generations are given drafts; else 0
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
		if p.costs, err = m.stepCost(*o); err != nil {
			return err
		}
		cost = p.costs.Rows
	}
	if p.cost = cost; cost == 0 {
		p.cost = usualCost
	}
	if m.givenParallel = o.parallel > 0; !m.givenParallel {
		o.parallel = UsualParallel
		if cost > 0 {
			o.parallel = min(cmp.Or(p.costs.Width, width(cost)), m.model.MaxSequences())
		}
		switch {
		case p.costs.Width > 0:
			p.reasons = append(p.reasons, fmt.Sprintf("a step costs as much as %.3g rows%s; %d at once, of the widths "+
				"that were measured, reach %.0f %% of the highest throughput", cost, o.measured(p.costs), o.parallel,
				100*wide))
		case cost > 0:
			p.reasons = append(p.reasons, fmt.Sprintf("a step costs as much as %.3g rows%s: %d at once reach %.0f %% "+
				"of the highest throughput", cost, o.measured(p.costs), o.parallel, 100*share(o.parallel, cost)))
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

// measured says when a cost was measured and where it is kept, "" of one that was given.
func (o options) measured(c stepCosts) string {
	if c.Date == "" {
		return ""
	}
	return fmt.Sprintf(" (measured %s at a load of %.3g, kept in %s)", c.Date, c.Load, o.costFile())
}

// Takes estimates how long an engine with one model computes so many rows, of prompts or to draw tokens, when as many
// generations run at once as it plans. It is 0 if that was not measured. What an earlier run took counts more than what
// was measured without any context.
func (s *Survey) Takes(rows int) time.Duration {
	if len(s.local.models) != 1 {
		return 0
	}
	p := s.local.models[0].plan
	return time.Duration(float64(rows) * float64(p.costs.Row) * cmp.Or(p.costs.Took, 1) *
		(1 + p.cost/float64(max(1, p.parallel))))
}

// Weigh returns how long the steps of work take, as far as their measured costs tell; else in rows. It is for
// comparisons: what a row attends to and what else runs change it.
func (l *Local) Weigh(s Stats) (weight float64) {
	for i, m := range l.models {
		work, p := s.of(i), m.plan
		weight += float64(max(1, p.costs.Row)) * (float64(work.Rows) + p.cost*float64(work.Steps))
	}
	return weight
}
