package stat

import (
	"fmt"
	"slices"
)

// Unparsed stands for an answer that could not be read, wherever answers are numbers. All others are 0 or more, and
// mean only that equal numbers are equal answers.
const Unparsed = -1

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
