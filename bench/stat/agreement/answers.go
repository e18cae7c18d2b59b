// Package agreement measures how the answers of agents agree, change and become right over the rounds of a debate:
// whether they are right, the agreement of pairs, majorities, entropy, and what becomes of answers from round to round.
//
// Answers are numbers, of which only equality counts; nothing here knows where they come from. Impossible arguments
// (lists that do not pair, a right answer below 0, NaN) are a bug of the caller, and panic.
package agreement

import (
	"fmt"
	"slices"
)

// Unparsed stands for an answer that could not be read, wherever answers are numbers. All others are 0 or more, and
// mean only that equal numbers are equal answers.
const Unparsed = -1

// Key has the numbers of the right answers to a question, in any order; nobody needs to have given one.
type Key []int

// Mark says whether an answer is right.
func (k Key) Mark(answer int) Correctness {
	k.check()
	switch {
	case answer < Unparsed:
		panic(fmt.Sprintf("answer %d", answer))
	case answer == Unparsed:
		return Unread
	case slices.Contains(k, answer):
		return Right
	}
	return Wrong
}

// check panics if something unread is right.
func (k Key) check() {
	if slices.ContainsFunc(k, func(a int) bool { return a < 0 }) {
		panic(fmt.Sprintf("right answers %d", k))
	}
}

// tally counts the parsed answers, how many gave each, in the order in which they were first given.
func tally(answers []int) (labels, counts []int) {
	for _, a := range answers {
		if a < Unparsed {
			panic(fmt.Sprintf("answer %d", a))
		}
		if a == Unparsed {
			continue
		}
		i := slices.Index(labels, a)
		if i < 0 {
			i = len(labels)
			labels, counts = append(labels, a), append(counts, 0)
		}
		counts[i]++
	}
	return labels, counts
}
