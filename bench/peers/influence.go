package peers

import (
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
)

// Influence has the counts that results record of what became of the answers of agents that answered in more than one
// round, from their first answer to their last; the measures of package relation are made of the same agents. The mode
// of an agent's peers is the answer that most of those whom it heard gave first. In an isolated team, where nobody
// hears anybody, it is that of all others, so that its numbers are the baseline of a debate's.
type Influence struct {
	Agents  int `json:"agents"`  // in all questions
	Flipped int `json:"flipped"` // answer otherwise afterwards

	// Opposed counts agents whose own answer was not the mode of their peers, OpposedFlipped those of them that
	// answered otherwise afterwards, and Adopted those that took the mode.
	Opposed        int `json:"opposed"`
	OpposedFlipped int `json:"opposed_flipped"`
	Adopted        int `json:"adopted"`

	Right     int `json:"right"`     // before
	Lost      int `json:"lost"`      // of them, wrong afterwards
	Wrong     int `json:"wrong"`     // before
	Recovered int `json:"recovered"` // of them, right afterwards

	Questions      int `json:"questions"`
	AnyRight       int `json:"any_right"`       // questions on which some agent is right afterwards
	PluralityRight int `json:"plurality_right"` // questions on which most agents' answer is, see agreement.Plurality

	Exposed int `json:"exposed"` // agents that were right, and whose peers' mode was wrong
	Misled  int `json:"misled"`  // of them, wrong afterwards
	Decided int `json:"decided"` // questions whose decision is right
	// Unmarked says that it is not known which answers are right: then no count of right and wrong ones means anything.
	Unmarked bool `json:"unmarked,omitempty"`
}

// InfluenceOf counts the debates of one condition that could be held; the result is nil if nobody answered twice.
func InfluenceOf(debates []relation.Debate) *Influence {
	n := Influence{Unmarked: !marked(debates)}
	for _, d := range debates {
		agents := d.Again()
		for _, a := range agents {
			n.count(a)
		}
		if len(agents) > 0 {
			n.Questions++
			n.AnyRight += stat.One[int](d.AnyRight())
			n.PluralityRight += stat.One[int](d.PluralityRight())
			n.Decided += stat.One[int](d.Decided())
		}
	}
	if n.Questions == 0 {
		return nil
	}
	return &n
}

func (n *Influence) count(a relation.Agent) {
	n.Agents++
	n.Flipped += stat.One[int](a.Flipped())
	if a.Opposed() {
		n.Opposed++
		n.OpposedFlipped += stat.One[int](a.Flipped())
		n.Adopted += stat.One[int](a.Took())
	}
	if !a.First.Right {
		n.Wrong++
		n.Recovered += stat.One[int](a.Last.Right)
		return
	}
	n.Right++
	n.Lost += stat.One[int](!a.Last.Right)
	if a.Mode.Read() && !a.Mode.Right {
		n.Exposed++
		n.Misled += stat.One[int](!a.Last.Right)
	}
}
