package answer

import (
	"regexp"
	"slices"
	"strings"
)

var proRules = []*regexp.Regexp{
	regexp.MustCompile(`answer is \(?([A-J])\)?`), regexp.MustCompile(`.*[aA]nswer:[` + SpaceClass + `]*([A-J])`),
}

// MMLUPro is the rule of MMLU-Pro's own evaluation (TIGER-AI-Lab/MMLU-Pro, evaluate_from_local.py): the letter behind
// the first "answer is"; else behind the last "answer:" of the first line that has one; else the last letter A to J
// that stands alone. As there, the first two take the first letter of a word too. Theirs draws a letter where none is
// found; here the reply is unparsed. A letter with a combining mark stands alone in theirs and not here.
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

// GPQA is the rule of GPQA's baselines (idavidrein/gpqa, parse_sampled_answer): of five patterns in order, from "answer
// is (X)" to "(X)", the first whose first match is one of A to D.
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

// SolutionLetter is source 4's rule for multiple choice: the letter behind "Final Solution:" in any case; else the
// first capital that ")", "]", ":" or the end of the reply follows. It differs from theirs in that the first letter may
// have a parenthesis before it and must be a whole word: theirs reads T from "Final Solution: The answer is B)", and
// gives a small letter no credit. The second is theirs, so that "NaCl (DNA)" says A.
func SolutionLetter(reply string) Answer {
	for _, rule := range []*regexp.Regexp{solutionLetter, optionLetter} {
		if m := rule.FindStringSubmatch(reply); m != nil {
			return Of("(" + strings.ToUpper(m[1]) + ")")
		}
	}
	return Unparsed
}

// Among returns the rule for options that are known by their names, such as suspects. The last line of a reply that has
// an option in it, by name or by letter in parentheses, decides; the answer is all options in it, in their order, so
// that source 4's rule for MuSR, that the right name is contained, can be applied to it. Source 4 looks at solutions
// that a model has drawn out of replies; in whole replies, which weigh all suspects, its rule would find every name.
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

// names reports whether a name stands in a line with nothing beside it that would make it another word.
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
