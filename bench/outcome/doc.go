// Package outcome has the outcomes of a run as columns: every answer that a turn gives is scored once, by the task's
// own measure, and numbered once, so that equal answers of the run have equal numbers. They are kept by condition,
// question and repeat, and within a debate by round and agent. What computes anything from debates takes these columns,
// and reads no transcript itself.
//
// Lifecycle: NewTable takes the outcomes of a run. Under returns the debates of a condition, Debate.Rounds the scored
// turns of one debate, and Debate.Agents what became of each agent's answer. Transcripts are read when they are first
// asked for, since many tables, such as those of a run that looks whether it may stop, need decisions alone; a table
// therefore belongs to one goroutine.
//
// Invariant: two answers have the same number exactly if their canonical texts are equal, in whatever condition they
// were given. Whether an answer is right is never told by such an equality, but by trial.Outcome.ScoreOf alone.
package outcome
