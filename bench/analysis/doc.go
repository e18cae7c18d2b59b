// Package analysis computes all results from the outcomes of a run: how often a condition is right (correctness.go),
// how its debates went (dynamics.go, rounds.go, dispute.go), how pooled answers are distributed (readings.go), how
// metrics vary over repeats (repeats.go), whether two conditions differ and what difference a run can detect
// (pairedtest.go, stopping.go), or groups of conditions (contrast.go), how far a condition differs from itself
// (noise.go), what is worth its tokens (front.go) and whether to choose by question (choice.go, router.go), and what
// each member of a team is worth (members.go). summary.go calls them in order; table.go and legend.go show the
// results on the terminal. What agents make of each other is computed in bench/peers, and what they say of players
// of puzzles in bench/roles.
//
// Lifecycle: outcome.NewTable reads outcomes once into columns. Tabulate fills a Comparison from this table, one Row
// for each condition, and reports and diffs read the same table. A run that may stop early calls Look after each block.
// measure.go finds the numbers of a row by the names that papers use. What stays here, and is no measure of package
// relation: log-likelihood is a sum over questions that one of them makes infinite; alpha is of all pairs of answers at
// once; coverage and rounds are curves; and members are a table by agent, of which the best is chosen by all debates.
//
// Invariants: a Comparison is a function of conditions and outcomes, however often the run was interrupted, except for
// what the engine did (Stats, Time, Earlier, Milliseconds), which Result leaves out. To keep this, the seed of
// permutation tests is fixed, answer ids follow the order of the answers, and nothing is summed in the order of a map.
// A failed debate is counted as failed and is in no accuracy.
//
// Conventions: accuracies, shares and differences of them are from 0 to 1, entropies and log-likelihoods in bits. A
// pointer that is nil, or a second result of false, is a number of nothing: it is shown as a dash and left out of JSON,
// and never as 0, which would be read as a result. Every mean is over questions first, each with the mean of its
// repeats, so that a question counts once however often it was asked.
package analysis
