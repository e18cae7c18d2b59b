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

// gpqa is the rule of GPQA's baselines (idavidrein/gpqa, parse_sampled_answer). It tries five patterns in order, from
// "answer is (X)" to "(X)"; the first pattern whose first match is one of A to D gives the answer.
func gpqa(reply string) Answer {
	for _, rule := range gpqaRules {
		if m := rule.FindStringSubmatch(reply); m != nil && m[1] >= "A" && m[1] <= "D" {
			return Of("(" + m[1] + ")")
		}
	}
	return Unparsed
}

var (
	finalSolution = regexp.MustCompile(`(?i:final solution)[` + SpaceClass + `]*:[` + SpaceClass +
		`]*\(?([A-Za-z])(?:[^\pM` + WordClass + `]|$)`)
	optionLetter = regexp.MustCompile(`([A-Z])(?:[)\]:]|\n?$)`)
)

// solutionLetter is MALLM's rule for multiple choice. It takes the letter, of either case, behind "Final Solution:";
// without one, the first capital before ")", "]", ":" or the end of the reply.
//
// The first step deviates from the source: the letter may follow a parenthesis, must be a whole word, and counts as a
// small letter too. (The source reads T from "Final Solution: The answer is B)".) The second step is the source's,
// which reads A from "NaCl (DNA)".
func solutionLetter(reply string) Answer {
	for _, rule := range []*regexp.Regexp{finalSolution, optionLetter} {
		if m := rule.FindStringSubmatch(reply); m != nil {
			return Of("(" + strings.ToUpper(m[1]) + ")")
		}
	}
	return Unparsed
}

var beforeBracket = regexp.MustCompile(`([A-Za-z])\)`)

// bracketLetter is LLM-Agora's rule for multiple choice (gauss5930/LLM-Agora, MMLU/mmlu_evaluation.py): the last letter
// before a closing parenthesis, of either case and also at the end of a word. Without one, the source takes the last
// number, which is no letter of an option; such a reply is unparsed here.
func bracketLetter(reply string) Answer {
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

// Reordered makes a rule that reads letters of a list give those of the question, whose option order[i], counted from
// 0, stands at place i of the list.
func Reordered(extract Extractor, order []int) Extractor {
	return func(reply string) Answer {
		a := extract(reply)
		for place, option := range order {
			if a.Text == OptionName(place) {
				a.Text = OptionName(option)
				break
			}
		}
		return a
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
