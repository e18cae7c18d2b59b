package bench

import "parley/bounds"

// What the numbers of a run can be, for flags, files of experiments and callers.
var (
	RepeatsRange    = bounds.From(1, 10_000)
	StopEveryRange  = bounds.From(1, 500_000)
	AlphaRange      = bounds.From(1e-9, 0.5)
	DifferenceRange = bounds.From(0.001, 1)
)
