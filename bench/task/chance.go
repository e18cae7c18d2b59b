package task

import (
	"slices"

	"github.com/parley-debate/parley/debate/answer"
)

// Chance returns the accuracy of the constant answer that is right most often by the measure of the task, over those of
// its questions that have a right answer: what a system achieves that reads no question. The constants tried are all
// right answers, the letters of options that are right and, where texts are compared, all references and the texts of
// idle. Names of people, of which every question has its own, are no constant.
func (t Task) Chance() float64 {
	t.Questions = slices.DeleteFunc(slices.Clone(t.Questions), func(q Question) bool { return !q.Truth.Parsed })
	most := 0
	switch {
	case Judged(t.Measure): // no constant is known to agree with any fact
	case t.measure().floor != nil:
		most = t.mostNear(*t.measure().floor)
	default:
		count := make(map[string]int)
		for _, q := range t.Questions {
			for _, key := range rightOf(q) {
				count[key]++
				most = max(most, count[key])
			}
		}
	}
	return float64(most) / float64(max(1, len(t.Questions)))
}

// rightOf lists the answers that are right to a question, each once.
func rightOf(q Question) []string {
	keys := append(slices.Clone(q.Accepted), q.Truth.Text)
	if i := slices.Index(q.Options, q.Truth.Text); i >= 0 {
		keys = append(keys, answer.OptionName(i))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// idle are texts that translate nothing.
var idle = []string{"", "I do not know.", "This is a translation of the sentence.",
	"The sentence can be translated as follows, depending on the context in which it is said."}

// mostTried bounds the comparisons of a constant with the references of a question, and so the time of chance.
const mostTried = 100_000

// mostNear is on how many questions the best constant translation is right. Of a large file not all references are
// tried, but as many as the time allows, evenly from all of it.
func (t Task) mostNear(floor float64) (most int) {
	texts := make(gramNumbers)
	var correct, rejected, constants []profile
	for _, q := range t.Questions {
		correct, rejected = append(correct, texts.profile(q.Truth.Text)), append(rejected, texts.profile(q.Rejected))
	}
	for _, text := range idle {
		constants = append(constants, texts.profile(text))
	}
	step := 1 + 2*len(correct)*len(correct)/mostTried
	for i := 0; i < len(correct); i += step {
		constants = append(constants, correct[i], rejected[i])
	}
	for _, c := range constants {
		right := 0
		for i := range correct {
			if near := c.chrF(correct[i]); near >= floor && near > c.chrF(rejected[i]) {
				right++
			}
		}
		most = max(most, right)
	}
	return most
}
