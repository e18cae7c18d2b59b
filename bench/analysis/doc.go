// Package analysis computes everything that is said of outcomes: how often a condition is right (correctness.go, and in
// part partial.go), round by round (rounds.go) and in the course of its debates (dynamics.go, dispute.go, roles.go,
// answerids.go), whether two conditions differ (pairedtest.go, stopping.go), what a run could find (power.go), and what
// a place or a holder does (position.go).
//
// Lifecycle: Tabulate takes the outcomes of a run and fills a Comparison with one Row a condition. A run that may stop
// early calls Stopping.Look after each block; measure.go gives rows by the names that papers use.
//
// What holds: a Comparison is a function of conditions and outcomes, whatever their order and however often a run was
// interrupted; only what the engine did (Stats, Time, milliseconds) is not, and Result leaves it out. The seed of
// permutation tests is fixed for this. Failed debates are counted and in no other number of right answers.
package analysis
