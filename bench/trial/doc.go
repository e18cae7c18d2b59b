// Package trial says what is compared: a Condition is one way to answer a question, Conditions and Controls list the
// usual ones, and an Outcome is the result of one condition on one question.
//
// Lifecycle: a command or an experiment makes Conditions. Validate checks each among all conditions of its run, above
// all what it depends on. Package bench holds their debates and makes an Outcome of each, which package rundir records
// and package analysis sums up. An Outcome is never changed once it is made; package offline, which reads outcomes in
// other ways, works on copies.
//
// Invariants: the conditions of a run have different names; question, repeat and condition identify an outcome; a
// failed outcome is in no accuracy.
package trial
