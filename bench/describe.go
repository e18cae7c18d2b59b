package bench

import (
	"slices"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
)

// NewHeader describes a run, except for the program, its build and the time. How agents are asked is in o.Run already:
// spec.Run.Asking enters it.
func NewHeader(o Options) rundir.Header {
	h := rundir.Header{Run: o.Run, Model: o.Engine.Model(), Shard: o.shard}
	h.On(o.Task)
	h.Under(o.Conditions)
	h.Repeats, h.Notes = max(1, h.Repeats), slices.Concat(h.Notes, echoes(o))
	if h.Reference == trial.Reference {
		h.Reference = ""
	}
	return h
}
