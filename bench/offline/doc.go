// Package offline has what is done with recorded runs without a model: other ways to read, decide and score them
// (score.go, gold.go), two runs side by side (diff.go), tables for other programs (export.go) and how alike answers are
// (similarity.go). replay.go makes a single generation again, on an engine that its caller opens.
//
// Lifecycle: each function takes runs that rundir.ReadRun has read, and leaves them and their directories as they are;
// only Similarity.Save adds a file. Results have a Write for people and JSON fields for programs.
//
// What holds: Rescore repeats the recorded score of a debate before it changes anything, and refuses the run where that
// fails: then the score came about in a way that is not known here.
package offline
