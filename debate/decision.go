package debate

import (
	"slices"

	"github.com/parley-debate/parley/debate/answer"
)

// Ballot is one agent's judgement of candidates, which are numbered from 0. The election decides which of Ranking,
// Points and Weights it has.
type Ballot struct {
	Agent   int       `json:"agent"`
	Ranking []int     `json:"ranking,omitempty"` // best first; candidates left out share the place below the others
	Points  []int     `json:"points,omitempty"`  // for each candidate
	Weights []float64 `json:"weights,omitempty"` // the voter's probability of naming each candidate
	Invalid string    `json:"invalid,omitempty"` // why it is no valid ballot; it then does not count
}

// Tally is the outcome of an election.
type Tally struct {
	Scores []float64 `json:"scores"` // of each candidate, by the rule
	Winner int       `json:"winner"` // a candidate, or -1 if the election is open
	Rule   string    `json:"rule"`
}

// PlayerVote is the vote on one player of a puzzle.
type PlayerVote struct {
	Player string  `json:"player"`
	Roles  []Count `json:"roles"`            // most votes first; equal counts in agent order
	Winner string  `json:"winner,omitempty"` // a role; empty if no solution could be read
	Tie    bool    `json:"tie"`              // several roles have the most votes
	By     string  `json:"by,omitempty"`     // the supervisor's name, if it broke the tie
}

// Share returns the decided answer's share of the votes cast: of the scores in an election, of the weights by a rule
// that weighs, else of the agents that gave a readable answer. Without an answer it is 0.
func (d Decision) Share() float64 {
	all, own := 0.0, 0.0
	weighted := slices.ContainsFunc(d.Votes, func(c Count) bool { return c.Weight != 0 })
	for _, v := range d.Votes {
		w := float64(len(v.Agents))
		if weighted {
			w = max(0, v.Weight)
		}
		if all += w; d.Answer.Parsed && v.Answer == d.Answer.Text {
			own = w
		}
	}
	if d.Tally != nil && d.Tally.Winner >= 0 {
		all, own = 0, d.Tally.Scores[d.Tally.Winner]
		for _, score := range d.Tally.Scores {
			all += score
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}

// Decision is the outcome of a debate and how it came about.
type Decision struct {
	Answer answer.Answer `json:"answer"`         // unparsed if nothing was decided
	Votes  []Count       `json:"votes"`          // most votes first; equal counts in agent order
	Tie    bool          `json:"tie"`            // several answers have the most votes
	Rule   string        `json:"rule"`           // such as "majority, ties to the answer first in agent order"
	Side   string        `json:"side,omitempty"` // the side that the moderator or judge supports

	Withheld string `json:"withheld,omitempty"` // an answer whose share of the votes was too small
	Reason   string `json:"reason,omitempty"`   // as the moderator or judge gives it

	Ballots []Ballot `json:"ballots,omitempty"` // of an election
	Tally   *Tally   `json:"tally,omitempty"`   // the count of Ballots

	Players []PlayerVote `json:"players,omitempty"` // of knights
}

// Count is one answer and the agents that gave it.
type Count struct {
	Answer string  `json:"answer"`
	Agents []int   `json:"agents"`
	Weight float64 `json:"weight,omitempty"` // by a rule that weighs answers
}
