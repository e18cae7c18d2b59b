// Package offline works on recorded runs without a model: it reads, decides and scores them in other ways (score.go,
// gold.go), compares two runs (diff.go), writes tables for other programs (export.go), reads the scores that these give
// (scores.go) and measures how alike answers are (similarity.go). On an engine that the caller opens, replay.go
// generates a single reply again, and judge.go asks a model whether decisions are right.
//
// Lifecycle: each function takes runs that rundir.ReadRun has read, and changes neither them nor their directories;
// only the Save of Similarity, Scores and Judgement adds a file. Results have a Write for people and JSON fields for
// programs.
//
// What holds: Rescore repeats the recorded score of a debate before it changes anything, and refuses the run if that
// fails: the score was then made in a way that it does not know.
package offline
