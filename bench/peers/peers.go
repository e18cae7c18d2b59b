// Package peers measures what agents make of what their peers answer where that takes more than one debate, or more
// than a number: what of a debate changes their answers (flips.go), how many independent agents a team is worth
// (worth.go), and how that grows with its size (growth.go); how far answers differ round by round (conflict.go), and
// whether agents follow an answer because of whose it is (identity.go). The statistics are those of package stat/team;
// table.go and the last two files show them. What single debates have is measured by package relation.
//
// Why this is no part of that list, whose entries each debate adds to by itself: flips and identity set a debate beside
// others of the same question under other conditions; the worth of a team is of a matrix of all its debates; growth is
// a fit to several conditions, and conflict a curve over rounds.
//
// Lifecycle: every function takes the debates of a condition as rows or columns, and returns numbers that a result
// records. Package analysis calls them for each condition of a run.
package peers

import (
	"slices"

	"github.com/parley-debate/parley/bench/relation"
)

// marked reports whether it is known which answers are right in all debates.
func marked(debates []relation.Debate) bool {
	return !slices.ContainsFunc(debates, func(d relation.Debate) bool { return !d.Marked() })
}
