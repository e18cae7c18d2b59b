package answer

import (
	"regexp"
	"slices"
	"strings"
)

// extractors holds the rules of papers' programs by name. Records carry these names, so a name must never
// change its meaning.
var extractors = map[string]Extractor{
	"choice": Choice, "choice-yes-no": ChoiceYesNo, "letter": letter, "mmlu-pro": MMLUPro, "gpqa": gpqa,
	"solution-letter": solutionLetter, "bracket-letter": bracketLetter,
	"math": Math, "number": LastNumber, "last-word": lastWord, "quantity": Quantity, "span": Span, "square": square,
	"raw": Raw,
}

// PaperRule returns the rule of a paper's program by its name.
func PaperRule(name string) (rule Extractor, ok bool) {
	rule, ok = extractors[name]
	return rule, ok
}

// examples holds one answer per rule, in the rule's canonical form.
var examples = map[string]string{
	"choice": "(B)", "choice-yes-no": "Yes", "letter": "(B)", "mmlu-pro": "(B)", "gpqa": "(B)",
	"solution-letter": "(B)", "bracket-letter": "(B)",
	"math": `\frac{1}{2}`, "number": "42", "last-word": "42", "quantity": "3/4", "span": "norman conquest",
	"square": "e5", "raw": "42",
}

var (
	capital = regexp.MustCompile(`\(([A-Z])\)`)
	integer = regexp.MustCompile(`\((-?\p{Nd}+)\)`)
	yesNo   = regexp.MustCompile(`\((Yes|No)\)`)
)

// Choice is MADC's rule for multiple choice. It takes the last single capital letter in parentheses and keeps them:
// "(B)". Without one, it takes the last integer in parentheses and drops them. The source's paper and code agree.
func Choice(reply string) Answer {
	if m := last(capital, reply); m != nil {
		return Of(m[0])
	}
	if m := last(integer, reply); m != nil {
		return Of(m[1])
	}
	return Unparsed
}

// ChoiceYesNo is the rule that MADC evaluates with. It applies Choice; if that reads nothing, it takes the last
// "(Yes)" or "(No)" without the parentheses. The source's debates order texts by Choice alone. The bare texts "Yes" and
// "No" are read as well, because targets are written like that.
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

// letter is Du et al.'s rule for multiple choice. It takes the last single letter, digit or underscore in parentheses
// and returns it as a capital in parentheses. Without one, it takes the last number.
func letter(reply string) Answer {
	if m := last(anyLetter, reply); m != nil {
		return Of("(" + strings.ToUpper(m[1]) + ")")
	}
	return LastNumber(reply)
}

// lastWord is Du et al.'s rule for arithmetic: the last word that is a number. Like the source, it reads a comma as a
// decimal point, so that "1,234" is 1.234.
func lastWord(reply string) Answer {
	words := strings.Fields(reply)
	for _, word := range slices.Backward(words) {
		if m := decimal.FindStringSubmatch(strings.ReplaceAll(word, ",", ".")); m != nil {
			return numeral(m[1], m[2])
		}
	}
	return Unparsed
}

var decimal = regexp.MustCompile(`^\+?(-?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`)

var (
	squareAlone     = regexp.MustCompile(`(?im)^\W*([a-h][1-8])\W*$`)
	squareInParens  = regexp.MustCompile(`(?i)\(\W*([a-h][1-8])\W*\)`)
	squareOrMove    = regexp.MustCompile(`\b(?:[KQRBN]?(?:[a-h]?[1-8]?x?))([a-h][1-8])[qrbnQRBN]?\b`)
	squareOfCapital = regexp.MustCompile(`\b([A-H][1-8])\b`)
)

// square reads a square of a chess board, "e5", in the forms that Du et al. ask for: the last one that stands on a line
// of its own, or else the last one in parentheses. Without either, it takes the last square or move in the text, of a
// move the square that the piece goes to.
func square(reply string) Answer {
	for _, form := range []*regexp.Regexp{squareAlone, squareInParens, squareOrMove, squareOfCapital} {
		if m := last(form, reply); m != nil {
			return Of(strings.ToLower(m[1]))
		}
	}
	return Unparsed
}

// Raw is the agents-lab lesson's rule: the whole reply, so that "42" and "42." differ. An empty reply is unparsed.
func Raw(reply string) Answer {
	if reply == "" {
		return Unparsed
	}
	return Of(reply)
}

// minus matches a hyphen that is the sign of the number behind it. A hyphen after a word or a closing parenthesis is
// none.
const minus = `(?:(?:^|[^\pM` + WordClass + `)])(-)\$?)?`

var (
	braced = regexp.MustCompile(`\{([.,$]*[0-9][0-9.,$]*)\}`)
	number = regexp.MustCompile(minus + `([0-9][0-9,]*(?:\.[0-9]+)?)`)
)

// LastNumber is Du et al.'s rule for GSM8K. It takes the last braces that hold only digits, dots, commas and dollar
// signs; without them, the last number in the text. The source compares floats, so equal numbers get one text here:
// "$1,050.00" is "1050". It deviates from the source in numbers outside of braces, which keep their minus and their
// commas: the source reads 1,234 as 234.
func LastNumber(reply string) Answer {
	if m := last(braced, reply); m != nil {
		return numeral("", m[1])
	}
	if m := last(number, reply); m != nil {
		return numeral(m[1], m[2])
	}
	return Unparsed
}

// numeral returns a number without commas, dollar signs, leading zeros and trailing zeros. Digits with two points are
// unparsed.
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

// last returns the last match with its groups, or nil.
func last(re *regexp.Regexp, text string) []string {
	if all := re.FindAllStringSubmatch(text, -1); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}
