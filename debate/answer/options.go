package answer

import (
	"regexp"
	"slices"
	"strings"
)

var proRules = []*regexp.Regexp{
	regexp.MustCompile(`answer is \(?([A-J])\)?`), regexp.MustCompile(`.*[aA]nswer:[` + SpaceClass + `]*([A-J])`),
}

// MMLUPro is the rule of MMLU-Pro's own evaluation (TIGER-AI-Lab/MMLU-Pro, evaluate_from_local.py). It takes the first
// of these that exists:
//
//  1. the letter behind the first "answer is";
//  2. the letter behind the last "answer:" of the first line that has one;
//  3. the last letter A to J that stands alone.
//
// As in the source, the first two also take the first letter of a word. The rule deviates twice: where the source draws
// a letter at random because it finds none, the reply is unparsed; and a letter with a combining mark does not stand
// alone.
func MMLUPro(reply string) Answer {
	for _, rule := range proRules {
		if m := rule.FindStringSubmatch(reply); m != nil {
			return Of("(" + m[1] + ")")
		}
	}
	for i := len(reply) - 1; i >= 0; i-- {
		if 'A' <= reply[i] && reply[i] <= 'J' && Alone(reply, i, i+1) {
			return Of("(" + reply[i:i+1] + ")")
		}
	}
	return Unparsed
}

var gpqaRules = []*regexp.Regexp{
	regexp.MustCompile(`answer is \((.)\)`), regexp.MustCompile(`Answer: \((.)\)`),
	regexp.MustCompile(`answer: \((.)\)`),
	regexp.MustCompile(`answer \((.)\)`), regexp.MustCompile(`\((.)\)`),
}

// GPQA is the rule of GPQA's baselines (idavidrein/gpqa, parse_sampled_answer). It tries five patterns in order, from
// "answer is (X)" to "(X)"; the first pattern whose first match is one of A to D gives the answer.
func GPQA(reply string) Answer {
	for _, rule := range gpqaRules {
		if m := rule.FindStringSubmatch(reply); m != nil && m[1] >= "A" && m[1] <= "D" {
			return Of("(" + m[1] + ")")
		}
	}
	return Unparsed
}

var (
	solutionLetter = regexp.MustCompile(`(?i:final solution)[` + SpaceClass + `]*:[` + SpaceClass +
		`]*\(?([A-Za-z])(?:[^\pM` + WordClass + `]|$)`)
	optionLetter = regexp.MustCompile(`([A-Z])(?:[)\]:]|\n?$)`)
)

// SolutionLetter is source 4's rule for multiple choice. It takes the letter, of either case, behind "Final Solution:";
// without one, the first capital before ")", "]", ":" or the end of the reply.
//
// The first step deviates from the source: the letter may follow a parenthesis, must be a whole word, and counts as a
// small letter too. (The source reads T from "Final Solution: The answer is B)".) The second step is the source's,
// which reads A from "NaCl (DNA)".
func SolutionLetter(reply string) Answer {
	for _, rule := range []*regexp.Regexp{solutionLetter, optionLetter} {
		if m := rule.FindStringSubmatch(reply); m != nil {
			return Of("(" + strings.ToUpper(m[1]) + ")")
		}
	}
	return Unparsed
}

var beforeBracket = regexp.MustCompile(`([A-Za-z])\)`)

// BracketLetter is LLM-Agora's rule for multiple choice (gauss5930/LLM-Agora, MMLU/mmlu_evaluation.py): the last letter
// before a closing parenthesis, of either case and also at the end of a word. Without one, the source takes the last
// number, which is no letter of an option; such a reply is unparsed here.
func BracketLetter(reply string) Answer {
	if m := last(beforeBracket, reply); m != nil {
		return Of("(" + strings.ToUpper(m[1]) + ")")
	}
	return Unparsed
}

// Among returns the rule for options that have names, such as suspects. The last line that mentions an option, by name
// or by its letter in parentheses, decides; the answer lists all options in that line, in the order of options. Source
// 4's measure for MuSR then asks whether the right name is contained in it. The source applies its measure to solutions
// that a model extracted from replies. In whole replies, which weigh all suspects, it would find every name.
func Among(options []string) Extractor {
	return func(reply string) Answer {
		for _, line := range slices.Backward(strings.Split(reply, "\n")) {
			var found []string
			for i, option := range options {
				if strings.Contains(line, "("+string(rune('A'+i))+")") || names(line, option) {
					found = append(found, option)
				}
			}
			if len(found) > 0 {
				return Of(strings.Join(found, ", "))
			}
		}
		return Unparsed
	}
}

// names reports whether a line contains a name as a word of its own.
func names(line, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return false
		}
		if at += from; Alone(line, at, at+len(name)) {
			return true
		}
		from = at + 1
	}
	return false
}

// Asked tells from the words of a question what it wants to be answered with: one of its options, which it then
// returns, yes or no, a number, or else words. It knows English only; of a question in another language it finds the
// options.
//
// Options are lettered from A without a gap: "(A) Mars (B) Venus", also as "A) Mars" or, on lines of their own,
// "A. Mars" and "A: Mars".
func Asked(question string) (Kind, []string) {
	if options := optionsIn(question); options != nil {
		return KindChoice, options
	}
	asked := lastSentence(question)
	switch {
	case yesOrNo.MatchString(question), closed.MatchString(asked) && !notClosed.MatchString(asked):
		return KindYesNo, nil
	case counted.MatchString(asked), arithmetic.MatchString(asked):
		return KindNumber, nil
	}
	return KindWords, nil
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
