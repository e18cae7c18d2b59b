package team

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// The measures of this file are called as in two papers of 2026. Of the first, The Cost of Consensus (Bertalanič and
// Fortuna, arXiv 2605.00914), and of the second, Not All Flips Are Conformity (Hao et al., arXiv 2606.00820), the exact
// formulas were not at hand: the definitions below are ours, after what their abstracts say.

// Exchange is what the agents of one question answered before and after they heard each other. An unparsed answer is
// wrong, and differs from every other answer.
type Exchange struct {
	Before, After []int // of the same agents
	// Modes has what most of each agent's peers answered before, Unparsed where no answer leads: see PeerModes.
	Modes []int
	Key   agreement.Key // the right answers
}

// PeerModes are for each agent the answer that most of those gave whom it heard, Unparsed where none or several lead.
// heard[i] are the places of these agents, which are others; nil: each agent heard all others.
func PeerModes(before []int, heard [][]int) []int {
	modes := make([]int, len(before))
	for i := range before {
		counts := make(map[int]int)
		for j, a := range before {
			if j != i && (heard == nil || slices.Contains(heard[i], j)) {
				counts[a]++
			}
		}
		most := 0
		modes[i] = agreement.Unparsed
		for a, n := range counts {
			switch {
			case a == agreement.Unparsed || n == 0 || n < most:
			case n == most:
				modes[i] = agreement.Unparsed
			default:
				modes[i], most = a, n
			}
		}
	}
	return modes
}

// Influence counts what became of answers. Its zero value has seen nothing.
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
}

// Count adds a question.
func (n *Influence) Count(e Exchange) error {
	if len(e.Before) != len(e.After) || len(e.Before) != len(e.Modes) {
		return fmt.Errorf("%d answers before, %d after and the modes of %d agents' peers", len(e.Before), len(e.After),
			len(e.Modes))
	}
	for i, before := range e.Before {
		after, mode := e.After[i], e.Modes[i]
		n.Agents++
		flipped := before != after
		n.Flipped += one(flipped)
		if mode != agreement.Unparsed && mode != before {
			n.Opposed++
			n.OpposedFlipped += one(flipped)
			n.Adopted += one(after == mode)
		}
		right := e.right(after)
		if e.right(before) {
			n.Right++
			n.Lost += one(!right)
		} else {
			n.Wrong++
			n.Recovered += one(right)
		}
	}
	n.Questions++
	n.AnyRight += one(slices.ContainsFunc(e.After, e.right))
	n.PluralityRight += one(e.right(agreement.Plurality(e.After)))
	return nil
}

func (e Exchange) right(a int) bool { return e.Key.Mark(a) == agreement.Right }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// FlipRate is the share of agents that changed their answer.
func (n *Influence) FlipRate() (share float64, known bool) { return shareOf(n.Flipped, n.Agents) }

// ModalAdoption is the share that took the mode of their peers, among agents that had another answer and changed it.
func (n *Influence) ModalAdoption() (share float64, known bool) {
	return shareOf(n.Adopted, n.OpposedFlipped)
}

// Conformity is the share that took the mode of their peers, among all agents that had another answer.
func (n *Influence) Conformity() (share float64, known bool) { return shareOf(n.Adopted, n.Opposed) }

// Vulnerability is the share of agents that ended wrong, among those that were right before.
func (n *Influence) Vulnerability() (share float64, known bool) { return shareOf(n.Lost, n.Right) }

// Recovery is the share of agents that ended right, among those that were wrong before.
func (n *Influence) Recovery() (share float64, known bool) { return shareOf(n.Recovered, n.Wrong) }

// shareOf is not known of nothing.
func shareOf(part, of int) (share float64, known bool) { return stat.Share(part, of), of > 0 }

// Asked has the answers of one agent to one question under conditions that differ in what it was told after its first
// answer.
type Asked struct {
	Initial   int           // its first answer
	Reflected int           // after it was asked to think again, and told nothing
	Answers   int           // after it was told what its peers answered, without reasons
	Reasons   int           // after it was told answers and reasons
	Mode      int           // what most of its peers had answered, Unparsed where no answer leads
	Key       agreement.Key // the right answers
}

// Sources divides agents by what changes their answers. Each is counted once, by the least that changes its answer.
type Sources struct {
	N           int `json:"n"`
	Spontaneous int `json:"spontaneous"` // thinking again does
	Stance      int `json:"stance"`      // not that, but the peers' answers do, towards their mode: conformity
	Reasoning   int `json:"reasoning"`   // neither, but the peers' reasons do, towards their mode: persuasion
	Otherwise   int `json:"otherwise"`   // only what peers said does, but not towards their mode
	Stable      int `json:"stable"`      // nothing does

	// Harmful counts, of Stance and of Reasoning in this order, answers that were right and became wrong; Helpful those
	// that were wrong and became right.
	Harmful [2]int `json:"harmful"`
	Helpful [2]int `json:"helpful"`
}

// Count adds an agent's answers to a question.
func (s *Sources) Count(a Asked) {
	s.N++
	led := a.Mode != agreement.Unparsed
	switch {
	case a.Reflected != a.Initial:
		s.Spontaneous++
	case a.Answers != a.Initial && a.Answers == a.Mode && led:
		s.Stance++
		s.judge(0, a, a.Answers)
	case a.Answers != a.Initial:
		s.Otherwise++
	case a.Reasons != a.Initial && a.Reasons == a.Mode && led:
		s.Reasoning++
		s.judge(1, a, a.Reasons)
	case a.Reasons != a.Initial:
		s.Otherwise++
	default:
		s.Stable++
	}
}

func (s *Sources) judge(source int, a Asked, after int) {
	was, is := a.Key.Mark(a.Initial) == agreement.Right, a.Key.Mark(after) == agreement.Right
	s.Harmful[source] += one(was && !is)
	s.Helpful[source] += one(!was && is)
}
