// Package dynamics makes the tables and figures of a report that say how debates went: round by round, by place and
// holder, role by role in puzzles. All of them are functions of a comparison or of its outcomes: no answer is scored
// here.
//
// Lifecycle: package report lists the functions in the order of the page (sections.go). It leaves out tables without
// lines and figures without a drawing, so that a function need not ask whether the run has what it shows.
//
// Invariants: shares and accuracies are from 0 to 1, also on axes; rounds, places and holders are counted from 0, and
// agents of puzzles from 1. A number that was not measured is nil and shown as absent, never as 0. Rows are in the
// order of the conditions. Captions say what a number is the mean of, and where a paper has it.
package dynamics
