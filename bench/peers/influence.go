package peers

import (
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/team"
)

// Influence is what became of the answers of agents that answered in more than one round, from their first answer to
// their last. The mode of an agent's peers is the answer that most of those whom it heard gave first. In an isolated
// team, where nobody hears anybody, it is that of all others, so that its numbers are the baseline of a debate's.
type Influence struct {
	team.Influence
	Exposed int `json:"exposed"` // agents that were right, and whose peers' mode was wrong
	Misled  int `json:"misled"`  // of them, wrong afterwards
	Decided int `json:"decided"` // questions whose decision is right
	// Unmarked says that it is not known which answers are right: then no count of right and wrong ones means anything.
	Unmarked bool `json:"unmarked,omitempty"`
}

// InfluenceOf counts the debates of one condition that could be held; the result is nil if nobody answered twice.
func InfluenceOf(debates []*outcome.Debate) *Influence {
	n := Influence{Unmarked: !marked(debates)}
	for _, o := range debates {
		s := read(o)
		agents := s.again()
		if len(agents) == 0 {
			continue
		}
		e := team.Exchange{Before: of(s.first, agents), After: of(s.last, agents), Modes: of(s.modes, agents),
			Key: s.key}
		if err := n.Count(e); err != nil {
			panic(err) // three lists of one length
		}
		for i, mode := range e.Modes {
			if mode != agreement.Unparsed && !s.right(mode) && s.right(e.Before[i]) {
				n.Exposed++
				n.Misled += one(!s.right(e.After[i]))
			}
		}
		n.Decided += one(o.IsRight(o.Transcript.Decision.Answer))
	}
	if n.Questions == 0 {
		return nil
	}
	return &n
}

// OracleGap is the share of debates in which some agent's last answer is right, less the share whose decision is.
func (n *Influence) OracleGap() (share float64, known bool) {
	if n.Questions == 0 || n.Unmarked {
		return 0, false
	}
	return float64(n.AnyRight-n.Decided) / float64(n.Questions), true
}

// Obstinacy is the share of agents that kept their answer, among those that had another one than most of their peers.
func (n *Influence) Obstinacy() (share float64, known bool) {
	return stat.Share(n.Opposed-n.OpposedFlipped, n.Opposed), n.Opposed > 0
}

// MisledShare is the share of agents that ended wrong, among those that were right while their peers' mode was wrong.
func (n *Influence) MisledShare() (share float64, known bool) {
	return stat.Share(n.Misled, n.Exposed), n.Exposed > 0 && !n.Unmarked
}

// Vulnerability is the share of agents that ended wrong, among those that were right before.
func (n *Influence) Vulnerability() (share float64, known bool) {
	share, known = n.Influence.Vulnerability()
	return share, known && !n.Unmarked
}

// Recovery is the share of agents that ended right, among those that were wrong before.
func (n *Influence) Recovery() (share float64, known bool) {
	share, known = n.Influence.Recovery()
	return share, known && !n.Unmarked
}
