package team

import (
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// The sources of flips are called as in Not All Flips Are Conformity (Hao et al., arXiv 2606.00820), whose exact
// formulas were not at hand: the definitions below are ours, after what its abstract says.

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
	s.Harmful[source] += stat.One[int](was && !is)
	s.Helpful[source] += stat.One[int](!was && is)
}
