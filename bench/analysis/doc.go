// Package analysis computes all results from the outcomes of a run: how often a condition is right (correctness.go),
// how its debates went (dynamics.go, rounds.go, dispute.go, roles.go), whether two conditions differ (pairedtest.go,
// stopping.go) or groups of them (contrast.go), what difference a run can detect (power.go), how pooled answers are
// distributed (pool.go), and what the place and the holder of a solution do (position.go). table.go, dynamicstable.go,
// asides.go and legend.go show the results on the terminal.
//
// Lifecycle: NewTable reads outcomes once into columns (outcometable.go, answerids.go). Tabulate fills a Comparison
// from this table, one Row for each condition, and reports and diffs read the same table. A run that may stop early
// calls Stopping.Look after each block. measure.go finds the numbers of a row by the names that papers use.
//
// Invariants: a Comparison is a function of conditions and outcomes, however often the run was interrupted, except for
// what the engine did (Stats, Time, Earlier, Milliseconds), which Result leaves out. To keep this, the seed of
// permutation tests is fixed, answer ids follow the order of the answers, and nothing is summed in the order of a map.
// A failed debate is counted as failed and is in no accuracy.
package analysis

import ()

import ()
