// Package peers measures what agents make of what their peers answer: whether they take over the most frequent answer,
// lose right answers and find them (influence.go), what of a debate changes their answers (flips.go), how many
// independent agents a team is worth (worth.go), and how that grows with its size (growth.go); how far answers differ
// round by round (conflict.go), whether agents follow an answer because of whose it is (identity.go), and whether the
// first round tells who will be misled (harm.go). The statistics are those of packages stat/team and stat/regression;
// table.go and the last three files show them.
//
// Lifecycle: every function takes the debates of a condition as columns, and returns numbers that a result records.
// Package analysis calls them for each condition of a run. All of them are functions of package outcome's columns.
package peers

import (
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/team"
)

// said is what the agents of one debate answered, as numbers of the run's table.
type said struct {
	key         agreement.Key // it tells which of them are right
	first, last map[int]int   // by agent
	times       map[int]int   // in how many rounds an agent answered
	// modes are what most of those answered first whom an agent heard later, Unparsed where no answer leads; where
	// nobody heard anybody, as in an isolated team, most of all others. Empty where nobody answers in two rounds.
	modes map[int]int
}

// marked reports whether it is known which answers are right in all debates.
func marked(debates []*outcome.Debate) bool {
	return !slices.ContainsFunc(debates, func(d *outcome.Debate) bool { return !d.Marked() })
}

// right reports whether a numbered answer is right.
func (s said) right(a int) bool { return s.key.Mark(a) == agreement.Right }

// read returns the answers in a debate.
func read(d *outcome.Debate) said {
	s := said{key: d.IDs().Key, first: make(map[int]int), last: make(map[int]int), times: make(map[int]int),
		modes: make(map[int]int)}
	for _, a := range d.Agents() {
		s.first[a.Number], s.last[a.Number], s.times[a.Number] = a.First.ID, a.Last.ID, a.Times
	}
	if agents := s.agents(); len(s.again()) > 0 { // else nobody could adopt one
		for i, mode := range team.PeerModes(of(s.first, agents), heard(d, agents)) {
			s.modes[agents[i]] = mode
		}
	}
	return s
}

// heard has, for each of some agents, the places among them of those whose replies it was shown when it answered; nil
// if nobody was shown any.
func heard(d *outcome.Debate, agents []int) [][]int {
	list, some := make([][]int, len(agents)), false
	if d.Transcript.HearsPool() {
		return nil
	}
	for _, round := range d.Rounds() {
		for _, turn := range round.Turns {
			own := slices.Index(agents, turn.Agent)
			if own < 0 || !turn.Answers {
				continue
			}
			for _, other := range turn.Heard {
				if at := slices.Index(agents, other); at >= 0 && at != own {
					list[own], some = append(list[own], at), true
				}
			}
		}
	}
	if !some {
		return nil
	}
	return list
}

// agents returns those who answered, in order.
func (s said) agents() []int { return slices.Sorted(maps.Keys(s.first)) }

// again returns those who answered in more than one round.
func (s said) again() []int {
	return slices.DeleteFunc(s.agents(), func(agent int) bool { return s.times[agent] < 2 })
}

func of(values map[int]int, agents []int) []int {
	list := make([]int, len(agents))
	for i, agent := range agents {
		list[i] = values[agent]
	}
	return list
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
