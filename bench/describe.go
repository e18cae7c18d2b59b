package bench

import (
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// NewHeader describes a run, except for the program, its build and the time. Threads and cells are those of an engine
// that computes in this process. How agents are asked is in o.Run already, where spec.Run.Asking has entered it; else
// it is what the first form says that has embedded a debate.Asking.
func NewHeader(o Options) rundir.Header {
	h := rundir.Header{Run: o.Run, Model: o.Engine.Model(), Shard: o.shard, Tested: analysis.Tested}
	h.On(o.Task)
	for _, q := range o.Task.Questions {
		h.Asks = append(h.Asks, q.ID)
	}
	h.Under(o.Conditions)
	for _, c := range o.Conditions {
		if own, ok := debate.HowOf(c.Debate); ok && h.Prompts == "" {
			h.AskedAs(own)
			break
		}
	}
	h.Repeats, h.Notes = max(1, h.Repeats), slices.Concat(h.Notes, echoes(o))
	if h.Reference == trial.Reference {
		h.Reference = ""
	}
	if local, ok := o.Engine.(inference.Running); ok {
		h.Threads, h.Cells = local.Threads(), local.Cells()
	}
	return h
}
