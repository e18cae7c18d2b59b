package reader

import (
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
