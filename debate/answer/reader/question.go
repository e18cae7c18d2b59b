package reader

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// KindOfQuestion tells from the words of a question what it wants to be answered with: one of its options, which it
// then returns, yes or no, a number, or else words. It knows English only; of a question in another language it finds
// the options.
//
// Options are lettered from A without a gap: "(A) Mars (B) Venus", also as "A) Mars" or, on lines of their own,
// "A. Mars" and "A: Mars".
func KindOfQuestion(question string) (answer.Kind, []string) {
	if options := optionsIn(question); options != nil {
		return answer.KindChoice, options
	}
	asked := lastSentence(question)
	switch {
	case yesOrNo.MatchString(question), closed.MatchString(asked) && !notClosed.MatchString(asked):
		return answer.KindYesNo, nil
	case counted.MatchString(asked), arithmetic.MatchString(asked):
		return answer.KindNumber, nil
	}
	return answer.KindWords, nil
}

var (
	yesOrNo = regexp.MustCompile(`(?i)\b(?:yes or no|yes/no|true or false|true/false)\b`)
	closed  = regexp.MustCompile(`(?i)^(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|` +
		`may|might|must|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|won't)\b.*\?$`)
	// "Is it A or B?", and German
	notClosed  = regexp.MustCompile(`(?i)\bor\b|^was (?:ist|sind|war|hat|wird|macht|bedeutet|kann)\b`)
	counted    = regexp.MustCompile(`(?i)\bhow (?:many|much)\b|\bwhat (?:number|percentage|percent|fraction)\b`)
	arithmetic = regexp.MustCompile(`[0-9)] *(?:[+*/×÷^=]| [-−] ) *[-−]?[(0-9?]`)
)

// lastSentence returns the last sentence that is a question, or else the last one.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.LastIndexByte(text, '?'); end >= 0 {
		text = text[:end+1]
	}
	from := strings.LastIndexAny(strings.TrimRight(text, ".!?"), ".!?:\n") + 1
	if from > 0 && from < len(text) && text[from] != ' ' && text[from-1] != '\n' { // a point within a number or a word
		from = strings.LastIndexAny(text[:from], "\n") + 1
	}
	return strings.TrimSpace(text[from:])
}

// lettering are ways to letter options: the letter is the group.
var lettering = []*regexp.Regexp{
	regexp.MustCompile(`\(([A-Za-z])\)`),
	regexp.MustCompile(`(?:^|\s)([A-Za-z])\)\s`),
	regexp.MustCompile(`(?m)^[ \t]*([A-Z])[.:]\s`),
}

// optionsIn returns the texts of the last list of at least two options, or nil.
func optionsIn(question string) []string {
	for _, letters := range lettering {
		var options []string
		from := -1 // where the text of the last option begins
		for _, at := range letters.FindAllStringSubmatchIndex(question, -1) {
			letter := strings.ToUpper(question[at[2]:at[3]])
			switch {
			case letter == "A":
				options, from = nil, at[1]
			case from >= 0 && letter == string(rune('A'+len(options)+1)):
				options, from = append(options, trimOption(question[from:at[0]])), at[1]
			}
		}
		if len(options) > 0 {
			return append(options, trimOption(firstLine(question[from:])))
		}
	}
	return nil
}

// trimOption removes white space, commas and semicolons around an option.
func trimOption(text string) string { return strings.Trim(text, " \t\r\n,;") }

// firstLine returns a text up to its first line break after its beginning.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return line
}

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
