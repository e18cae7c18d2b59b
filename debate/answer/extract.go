package answer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// extractors by the name that records carry.
var extractors = map[string]Extractor{
	"choice": Choice, "choice-yes-no": ChoiceYesNo, "letter": Letter, "mmlu-pro": MMLUPro, "gpqa": GPQA,
	"solution-letter": SolutionLetter,
	"math":            Math, "number": LastNumber, "last-word": LastWord, "quantity": Quantity, "span": Span,
	"raw": Raw,
}

// Names lists them.
func Names() []string { return slices.Sorted(maps.Keys(extractors)) }

// Named returns the extractor of a name that a record carries.
func Named(name string) (Extractor, error) {
	if e, ok := extractors[name]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("no answer rule %q; there are %s", name, strings.Join(Names(), ", "))
}

// examples are answers of each rule, as it gives them.
var examples = map[string]string{
	"choice": "(B)", "choice-yes-no": "Yes", "letter": "(B)", "mmlu-pro": "(B)", "gpqa": "(B)",
	"solution-letter": "(B)",
	"math":            `\frac{1}{2}`, "number": "42", "last-word": "42", "quantity": "3/4", "span": "norman conquest",
	"raw": "42",
}

// Example is what an answer by a rule looks like.
func Example(name string) string { return examples[name] }

var (
	letter  = regexp.MustCompile(`\(([A-Z])\)`)
	integer = regexp.MustCompile(`\((-?\p{Nd}+)\)`)
	yesNo   = regexp.MustCompile(`\((Yes|No)\)`)
)

// Choice is source 0's rule for multiple choice: the last single upper-case letter in parentheses, kept with them
// ("(B)"); if there is none, the last integer in parentheses, without them. Paper and code agree.
func Choice(reply string) Answer {
	if m := last(letter, reply); m != nil {
		return Of(m[0])
	}
	if m := last(integer, reply); m != nil {
		return Of(m[1])
	}
	return Unparsed
}

// ChoiceYesNo is the rule of source 0's evaluation in full: Choice, and where that reads nothing the last "(Yes)" or
// "(No)", without parentheses. Its debates order texts by Choice alone. A text that is "Yes" or "No" and nothing else
// is read too, since targets are written so.
func ChoiceYesNo(reply string) Answer {
	if a := Choice(reply); a.Parsed {
		return a
	}
	if m := last(yesNo, reply); m != nil {
		return Of(m[1])
	}
	if whole := strings.TrimSpace(reply); whole == "Yes" || whole == "No" {
		return Of(whole)
	}
	return Unparsed
}

var anyLetter = regexp.MustCompile(`\(([` + WordClass + `])\)`)

// Letter is the rule of Du et al. for multiple choice: the last single letter, digit or underscore in parentheses, as a
// capital in parentheses; if there is none, the last number.
func Letter(reply string) Answer {
	if m := last(anyLetter, reply); m != nil {
		return Of("(" + strings.ToUpper(m[1]) + ")")
	}
	return LastNumber(reply)
}

// LastWord is the rule of Du et al. for arithmetic: the last word that is a number, with a comma read as a point, so
// that "1,234" is 1.234.
func LastWord(reply string) Answer {
	words := strings.Fields(reply)
	for _, word := range slices.Backward(words) {
		if m := decimal.FindStringSubmatch(strings.ReplaceAll(word, ",", ".")); m != nil {
			return numeral(m[1], m[2])
		}
	}
	return Unparsed
}

var decimal = regexp.MustCompile(`^\+?(-?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`)

// Raw is source 1's rule: the reply itself, so that "42" and "42." differ. An empty reply says nothing.
func Raw(reply string) Answer {
	if reply == "" {
		return Unparsed
	}
	return Of(reply)
}

// minus is a hyphen that belongs to the number behind it: not one between two words, or behind a bracket.
const minus = `(?:(?:^|[^\pM` + WordClass + `)])(-)\$?)?`

var (
	braced = regexp.MustCompile(`\{([.,$]*[0-9][0-9.,$]*)\}`)
	number = regexp.MustCompile(minus + `([0-9][0-9,]*(?:\.[0-9]+)?)`)
)

// LastNumber is the rule of Du et al. for GSM8K: the last braces that hold only digits, dots, commas and dollar signs;
// if there are none, the last number in the text. Their code compares floats, so equal numbers get one text here:
// "$1,050.00" is "1050". It differs from theirs in that a number in the text keeps its minus and its commas (theirs
// reads 1,234 as 234); a hyphen after a letter or a digit is no minus.
func LastNumber(reply string) Answer {
	if m := last(braced, reply); m != nil {
		return numeral("", m[1])
	}
	if m := last(number, reply); m != nil {
		return numeral(m[1], m[2])
	}
	return Unparsed
}

// numeral is a number without commas, dollars and needless zeros; digits with two points in them are none.
func numeral(sign, digits string) Answer {
	digits = strings.TrimRight(strings.NewReplacer(",", "", "$", "").Replace(digits), ".")
	whole, fraction, _ := strings.Cut(digits, ".")
	if strings.Contains(fraction, ".") {
		return Unparsed
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if whole == "" && fraction == "" {
		return Of("0")
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return Of(sign + whole + fraction)
}

func last(re *regexp.Regexp, text string) []string {
	if all := re.FindAllStringSubmatch(text, -1); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}
