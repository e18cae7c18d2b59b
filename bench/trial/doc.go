// Package trial says what is compared: a Condition is one way to answer a question, Conditions and Controls list the
// usual ones, and an Outcome is what a condition made of a question.
//
// Lifecycle: a command or an experiment makes Conditions; Validate checks each among all of its run, what it depends on
// above all. Package bench holds their debates and makes an Outcome of each, which package rundir records and package
// analysis sums up. An Outcome is not changed once it is made; whoever reads it in another way (package offline) works
// on a copy.
//
// What the other packages rely on: conditions of a run have different names; question, repeat and condition name an
// outcome; a failed outcome is in no accuracy.
package trial
