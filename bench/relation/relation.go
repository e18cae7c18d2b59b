// Package relation has the debates of a run as rows, and the one list of what is measured on them. A measure is an
// entry of that list: what it is called, what it is, and what each debate adds to it. Tables, result.json, exports,
// contrasts and published numbers read the list, so that a further measure is a further entry and nothing else.
//
// Lifecycle: Of makes a row of a debate of package outcome, with a row for each agent. Measure.In says what the row
// adds to a measure, Measure.Over sums up the debates of a condition, and Values has all measures of one by name.
//
// Invariant: a measure that is undefined (there is nothing of which it could be a share), one that is unknown (the
// records do not tell) and one that is zero are three states of a Value. No function here returns 0 for either of the
// other two.
package relation

import (
	"slices"
	"sync"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/team"
)

// Debate is a debate with its agents.
type Debate struct {
	*outcome.Debate
	Agents []Agent // those that answered, by number

	// Puzzle goes through a debate on a puzzle, once; it returns nil of others.
	Puzzle func() *roles.Played
}

// Agent is what one agent of a debate answered first and last.
type Agent struct {
	Number      int
	Times       int // in how many rounds it answered, at least one
	First, Last Answer
	// Mode is what most of those answered first whom the agent heard later, unread where no answer leads; where nobody
	// heard anybody, as in an isolated team, most of all others.
	Mode Answer
	// Standing is where its first answer stands among the first answers of the team.
	Standing agreement.Standing
}

// Answer is an answer as a number of the run's table; an unread one is never right.
type Answer struct {
	ID    int
	Right bool
}

// Read reports whether the answer could be read.
func (a Answer) Read() bool { return a.ID != agreement.Unparsed }

// Flipped reports whether the agent ended with another answer than it began with.
func (a Agent) Flipped() bool { return a.First.ID != a.Last.ID }

// Opposed reports whether its first answer was not that of most of its peers.
func (a Agent) Opposed() bool { return a.Mode.Read() && a.Mode.ID != a.First.ID }

// Took reports whether it ended with the answer of most of its peers.
func (a Agent) Took() bool { return a.Last.ID == a.Mode.ID }

// Of makes a row of a debate.
func Of(d *outcome.Debate) Debate {
	key := d.IDs().Key
	answer := func(id int) Answer { return Answer{id, key.Mark(id) == agreement.Right} }
	of := Debate{Debate: d, Puzzle: sync.OnceValue(func() *roles.Played { return roles.Play(d) })}
	var first []int
	for _, a := range d.Agents() {
		first = append(first, a.First.ID)
		of.Agents = append(of.Agents, Agent{Number: a.Number, Times: a.Times, First: answer(a.First.ID),
			Last: answer(a.Last.ID)})
	}
	standings := agreement.Standings(first, key)
	modes := slices.Repeat([]int{agreement.Unparsed}, len(first))
	if len(of.Again()) > 0 { // else nobody could adopt one
		modes = team.PeerModes(first, of.heard())
	}
	for i := range of.Agents {
		of.Agents[i].Mode, of.Agents[i].Standing = answer(modes[i]), standings[i]
	}
	return of
}

// Again are the agents that answered in more than one round, who alone could change.
func (d Debate) Again() []Agent {
	return slices.DeleteFunc(slices.Clone(d.Agents), func(a Agent) bool { return a.Times < 2 })
}

// Agent returns an agent by its number.
func (d Debate) Agent(number int) (a Agent, answered bool) {
	i := slices.IndexFunc(d.Agents, func(a Agent) bool { return a.Number == number })
	if i < 0 {
		return a, false
	}
	return d.Agents[i], true
}

// heard has, for each agent, the places among them of those whose replies it was shown when it answered; nil if nobody
// was shown any.
func (d Debate) heard() [][]int {
	place, list, some := make(map[int]int), make([][]int, len(d.Agents)), false
	for i, a := range d.Agents {
		place[a.Number] = i
	}
	if d.Transcript.HearsPool() {
		return nil
	}
	for _, round := range d.Rounds() {
		for _, turn := range round.Turns {
			own, known := place[turn.Agent]
			if !known || !turn.Answers {
				continue
			}
			for _, other := range turn.Heard {
				if at, answers := place[other]; answers && at != own {
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
