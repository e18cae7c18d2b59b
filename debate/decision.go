package debate

import (
	"slices"

	"parley/debate/answer"
)

// Ballot is one agent's judgement of candidates, which are numbered from 0: a rule reads what it needs.
type Ballot struct {
	Agent   int       `json:"agent"`
	Ranking []int     `json:"ranking,omitempty"` // best first; those that are left out rank below all others, alike
	Points  []int     `json:"points,omitempty"`  // to each candidate
	Weights []float64 `json:"weights,omitempty"` // the voter's probability of naming each
	Invalid string    `json:"invalid,omitempty"` // why it could not be read; it then counts for nothing
}

// Tally is the outcome of an election.
type Tally struct {
	Scores []float64 `json:"scores"` // of each candidate, as the rule counts
	Winner int       `json:"winner"` // -1 where the rule leaves it open
	Rule   string    `json:"rule"`
}

// PlayerVote is what the last solutions say of one player.
type PlayerVote struct {
	Player string  `json:"player"`
	Roles  []Count `json:"roles"`            // most votes first; equal counts in agent order
	Winner string  `json:"winner,omitempty"` // a role; none if nobody's solution could be read
	Tie    bool    `json:"tie"`              // the tie rule decided
	By     string  `json:"by,omitempty"`     // the supervisor, if it broke the tie
}

// Share is the share of the votes, or of the weight, that the decided answer has; agents without a readable answer
// count among the votes of a majority only in that they are missing from it. It is 0 without an answer.
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

// Decision is the outcome with its reason.
type Decision struct {
	Answer answer.Answer `json:"answer"`         // unparsed if no vote was cast
	Votes  []Count       `json:"votes"`          // most votes first; equal counts in agent order
	Tie    bool          `json:"tie"`            // the tie rule decided
	Rule   string        `json:"rule"`           // "majority, ties to the answer first in agent order"
	Side   string        `json:"side,omitempty"` // that a moderator supports

	Withheld string `json:"withheld,omitempty"` // the answer that had too small a share of the votes
	Reason   string `json:"reason,omitempty"`   // that a moderator or judge gives

	Ballots []Ballot `json:"ballots,omitempty"` // of an election, and what they come to
	Tally   *Tally   `json:"tally,omitempty"`

	Players []PlayerVote `json:"players,omitempty"` // of knights
}

// Count is how many agents gave one answer.
type Count struct {
	Answer string  `json:"answer"`
	Agents []int   `json:"agents"`
	Weight float64 `json:"weight,omitempty"` // of rules that weigh
}
