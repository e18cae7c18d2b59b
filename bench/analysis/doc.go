// Package analysis computes everything that is said of outcomes: how often a condition is right (correctness.go, and in
// part partial.go), round by round (rounds.go) and in the course of its debates (dynamics.go, dispute.go, roles.go,
// answerids.go), whether two conditions differ (pairedtest.go, stopping.go), what a run could find (power.go), and what
// a place or a holder does (position.go).
//
// Lifecycle: NewTable reads outcomes once into columns (outcometable.go). Tabulate fills a Comparison from it, one Row
// a condition, and reports and diffs read the same table. A run that may stop early calls Stopping.Look after each
// block; measure.go finds the numbers of a row by the names that papers use.
//
// What holds: a Comparison is a function of conditions and outcomes, however often the run was interrupted. Only what
// the engine did (Stats, Time, Milliseconds) is not; Result leaves it out. For this the seed of permutation tests is
// fixed, and answer ids follow the order of the answers. A failed debate is counted as failed and in no accuracy.
package analysis
