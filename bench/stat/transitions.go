package stat

import "fmt"

// Mark says how an answer was marked.
type Mark int

// Marks of an answer.
const (
	Wrong Mark = iota
	Right
	Unread // the answer could not be parsed
	nMarks
)

// MarkOf marks an answer by the right one.
func MarkOf(answer, truth int) Mark {
	switch {
	case answer < Unparsed || truth < 0:
		panic(fmt.Sprintf("answer %d, right is %d", answer, truth))
	case answer == Unparsed:
		return Unread
	case answer == truth:
		return Right
	}
	return Wrong
}

// Transitions counts what became of answers from one round to the next, [before][after]. Transitions[Wrong][Right] are
// corrections, Transitions[Right][Wrong] are answers that the debate spoiled.
type Transitions [nMarks][nMarks]int

// Count adds the agents of one question: before[i] and after[i] are the same agent's.
func (t *Transitions) Count(before, after []Mark) {
	if len(before) != len(after) {
		panic(fmt.Sprintf("%d answers before and %d after", len(before), len(after)))
	}
	for i := range before {
		t[before[i]][after[i]]++
	}
}

// Changed is the share of answers with a mark that have another mark in the next round, 0 to 1; false if none had it.
func (t *Transitions) Changed(before Mark) (share float64, known bool) {
	total := 0
	for _, n := range t[before] {
		total += n
	}
	if total == 0 {
		return 0, false
	}
	return float64(total-t[before][before]) / float64(total), true
}
