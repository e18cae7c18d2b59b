package trial

import (
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate/answer"
)

// Numbers are answers as the numbers that package stat takes: equal answers have equal numbers, in the order in which
// answers are first met.
type Numbers map[string]int

// Of returns the number of an answer, stat.Unparsed if it could not be read.
func (n Numbers) Of(a answer.Answer) int {
	if !a.Parsed {
		return stat.Unparsed
	}
	if _, known := n[a.Text]; !known {
		n[a.Text] = len(n)
	}
	return n[a.Text]
}

// Key has those of the numbered answers that are right in a debate.
func (n Numbers) Key(o Outcome) (k stat.Key) {
	for text, number := range n {
		if o.IsRight(answer.Of(text)) {
			k = append(k, number)
		}
	}
	return k
}
