package reader

import (
	"math/rand/v2"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// Relisted returns a question with its options in another order: option order[i], counted from 0, under the letter at
// place i. It reports false if order is none of as many options, or the text does not list them as (A), (B) and so on.
func Relisted(q answer.Question, order []int) (answer.Question, bool) {
	options := optionsOf(q)
	seen := make([]bool, len(options))
	for _, o := range order {
		if o < 0 || o >= len(options) || seen[o] {
			return q, false
		}
		seen[o] = true
	}
	if len(options) < 2 || len(order) != len(options) {
		return q, false
	}
	text, end := "", q.Text
	relisted := make([]string, len(options))
	for i := len(options) - 1; i >= 0; i-- { // from the end: options may speak of earlier ones
		at := strings.LastIndex(end, answer.OptionName(i)+" "+options[i])
		if at < 0 {
			return q, false
		}
		relisted[i] = options[order[i]]
		at += len(answer.OptionName(i) + " ")
		text, end = relisted[i]+end[at+len(options[i]):]+text, end[:at]
	}
	return answer.Question{Text: end + text, Options: relisted}, true
}

// optionsOf returns the options of a question: those that it has, or else those that its text lists.
func optionsOf(q answer.Question) []string {
	if len(q.Options) > 0 {
		return q.Options
	}
	return optionsIn(q.Text)
}

// Relist asks a question with its options in an order that it draws. extract reads the letters of that list and gives
// those of the question.
type Relist func(random *rand.Rand) (order []int, question string, extract answer.Extractor)

// RelistBy returns the Relist of a question whose answers a rule reads; it is nil if Relisted is not possible, or
// answers are no letters.
func RelistBy(rule string, q answer.Question) Relist {
	if answer.KindOf(rule) != answer.KindChoice {
		return nil
	}
	return RelistOf(q, func(seen answer.Question) answer.Extractor {
		extract, _ := RuleFor(rule, seen) // which has read the question as it is
		return extract
	})
}

// RelistOf returns the Relist of a question, whose answers read reads; it is nil if Relisted is not possible.
func RelistOf(q answer.Question, read func(answer.Question) answer.Extractor) Relist {
	n := len(optionsOf(q))
	if _, ok := Relisted(q, rand.New(rand.NewPCG(0, 0)).Perm(n)); !ok {
		return nil
	}
	return func(random *rand.Rand) ([]int, string, answer.Extractor) {
		order := random.Perm(n)
		relisted, _ := Relisted(q, order)
		return order, relisted.Text, answer.Reordered(read(relisted), order)
	}
}
