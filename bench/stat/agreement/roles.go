package agreement

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The metrics of this file are those of a controlled study of debate on puzzles of knights, knaves and spies (Wu, Li
// and Li, arXiv 2511.07784, appendix B): a solution has a role for each player.

// Smooth is the share of players whose role is right, 0 to 1. Always naming the most frequent role scores about a half,
// so it is read next to that floor. With no players it is 0.
func Smooth(roles, truth []int) float64 {
	if len(roles) != len(truth) {
		panic(fmt.Sprintf("%d roles for %d players", len(roles), len(truth)))
	}
	if len(truth) == 0 {
		return 0
	}
	right := 0
	for i := range truth {
		if correctnessOf(roles[i], truth[i]) == Right {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// Strict is whether the roles of all players are right; a puzzle without players is not solved.
func Strict(roles, truth []int) bool { return Smooth(roles, truth) == 1 }

// RoundArea is the area under the curve of a value over debate rounds, divided by their number: the mean over rounds,
// without the proposals before the first of them (appendix B). With no rounds it is 0.
func RoundArea(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	area := floats.Sum(values) / float64(len(values))
	if math.IsNaN(area) {
		panic("not a number")
	}
	return area
}

// HalfAgree reports whether at least half of the agents, rounded up, give the same answer: max over answers l of
// #{a: y_a = l} >= ceil(A/2), the agreement by majority of appendix B. In 2 against 2 both pairs are half of the four.
// Unparsed answers count as agents and agree with nobody; without agents nobody agrees.
func HalfAgree(answers []int) bool {
	_, counts := tally(answers)
	return slices.ContainsFunc(counts, func(c int) bool { return 2*c >= len(answers) })
}

// AllAgree reports whether all agents give the same answer, the unanimous agreement of appendix B; an unparsed answer
// is like no other.
func AllAgree(answers []int) bool {
	_, counts := tally(answers)
	return len(counts) == 1 && counts[0] == len(answers)
}

// majority is the one answer of at least half of the agents, rounded up: 2 of 3, 2 of 4, 3 of 5. found is false if no
// answer has that many, or if two have, as in 2 against 2: agents agree there (HalfAgree), and yet none of them stands
// with the majority. Unparsed answers count as agents and are nobody's majority.
func majority(answers []int) (answer int, found bool) {
	labels, counts := tally(answers)
	for i, c := range counts {
		switch {
		case 2*c < len(answers):
		case found: // a second one with half of the agents
			return Unparsed, false
		default:
			answer, found = labels[i], true
		}
	}
	if !found {
		return Unparsed, false
	}
	return answer, true
}

// Plurality is the answer that most agents give, of equal counts the one met first, as votes in puzzles are counted;
// Unparsed if no answer could be read.
func Plurality(answers []int) int {
	labels, counts := tally(answers)
	if len(labels) == 0 {
		return Unparsed
	}
	return labels[slices.Index(counts, slices.Max(counts))]
}

// Standing is where an agent stands among the others: with the majority, against one, or in chaos where there is none.
type Standing int

// Standings of an agent, each with a right or a wrong answer; an unparsed answer is wrong.
const (
	MajorityWrong Standing = iota
	MajorityRight
	MinorityWrong
	MinorityRight
	ChaosWrong
	ChaosRight
	nStandings
)

// String names the standing.
func (s Standing) String() string {
	return [...]string{"majority, wrong", "majority, right", "minority, wrong", "minority, right", "chaos, wrong",
		"chaos, right"}[s]
}

// IsRight says whether the agent's answer is right.
func (s Standing) IsRight() bool { return s%2 == 1 }

// Standings are those of the agents that gave these answers.
func Standings(answers []int, key Key) []Standing {
	standings := make([]Standing, len(answers))
	majority, found := majority(answers)
	for i, a := range answers {
		s := MinorityWrong
		switch {
		case !found:
			s = ChaosWrong
		case a == majority:
			s = MajorityWrong
		}
		if key.Mark(a) == Right {
			s++
		}
		standings[i] = s
	}
	return standings
}

// Shifts counts the twelve transitions: from each of the six standings in one round to a wrong (0) or a right (1)
// answer in the next. Shifts[MinorityWrong][1] are corrections of agents in the minority.
type Shifts [nStandings][2]int

// Count adds the agents of one question: before[i] and after[i] are the same agent's.
func (s *Shifts) Count(before, after []Standing) {
	if len(before) != len(after) {
		panic(fmt.Sprintf("%d agents before and %d after", len(before), len(after)))
	}
	for i, b := range before {
		right := 0
		if after[i].IsRight() {
			right = 1
		}
		s[b][right]++
	}
}
