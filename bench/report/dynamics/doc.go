// Package dynamics makes the tables and figures of a report that say how debates went: round by round, by place and
// holder, role by role in puzzles. All of them are functions of a comparison or of its outcomes.
package dynamics
