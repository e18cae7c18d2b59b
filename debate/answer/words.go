package answer

import (
	"regexp"
	"strings"
	"unicode"
)

// NormalizeWords writes words in one spelling, as NormalizeSpan does, but keeps what makes them others: the sign and
// point of a number, the operators of a formula or a program, and letters that are names, such as that of vitamin A.
// So x+1 and x-1 differ, and 1.5 kg and 15 kg, while "well-known" and "U.S." are as SQuAD has them.
func NormalizeWords(text string) string {
	text = operators.Replace(text)
	for range 2 { // a match takes the last digit of the one before it
		text = formula.ReplaceAllString(gapped.ReplaceAllString(text, "$1$2"), "$1$2$3$4")
	}
	text = groups.ReplaceAllStringFunc(text, ungrouped.Replace)
	words := strings.Fields(text)
	kept := words[:0]
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		bare := strings.ToLower(strings.Trim(w, `"'()[]{}*_,;:`))
		w = normalWord(w)
		if w == "an" || w == "the" || bare == "a" && next != "" && !isName(words[i], next, i) {
			continue
		}
		if strings.ContainsFunc(w, says) || len(words) == 1 && w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// operators gives each operator one spelling.
var operators = strings.NewReplacer("−", "-", "–", "-", "—", " - ", "×", "*", "⋅", "*", "÷", "/", "≠", "!=", "≤", "<=",
	"≥", ">=")

var (
	// gapped matches a percent sign behind a space, and groups a number with its digits in groups.
	gapped = regexp.MustCompile(`([0-9]) (%)`)
	groups = regexp.MustCompile(`\b[0-9]{1,3}(?:[,'_][0-9]{3})+\b`)
)

// ungrouped takes the marks between groups of digits away.
var ungrouped = strings.NewReplacer(",", "", "'", "", "_", "")

// formula matches an operator with spaces around it between numbers or single letters.
var formula = regexp.MustCompile(`(^|[\s(])([A-Za-z]|[0-9.]+) ([-+*/=<>^|&%!]{1,3}) ([A-Za-z]|[0-9.]+)\b`)

// says reports whether a character is no mark.
func says(r rune) bool { return r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isName reports whether the word "A" is the name of something rather than an article, by the word behind it: that is
// no noun with a capital, and it stands within a text.
func isName(w, next string, at int) bool {
	first := strings.IndexFunc(next, unicode.IsLetter)
	return at > 0 && strings.HasPrefix(strings.TrimLeft(w, `"'(`), "A") &&
		(first != 0 || unicode.IsLower([]rune(next)[0]))
}

// normalWord returns a word in small letters with the marks that make it another: marks between what is left when
// others are gone are looked at again, so that the result stays as it is. Where that has no end soon, as in a
// long chain of marks, all of them go.
func normalWord(w string) string {
	for range 8 {
		next := withoutMarks(w)
		if next == w {
			return w
		}
		w = next
	}
	return strings.Map(func(r rune) rune {
		if says(r) {
			return r
		}
		return -1
	}, w)
}

// withoutMarks returns a word in small letters without the marks that tell nothing.
func withoutMarks(w string) string {
	runes, grouped := []rune(strings.ToLower(w)), grouping.MatchString(w)
	var b strings.Builder
	for i, r := range runes {
		if !strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) || (r == '(' || r == ')') && grouped ||
			tells(runes, i) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// tells reports whether a mark makes a word another one, by what stands on both sides.
func tells(w []rune, i int) bool {
	at := func(k int) rune {
		if k < 0 || k >= len(w) {
			return ' '
		}
		return w[k]
	}
	before, behind := at(i-1), at(i+1)
	if unicode.IsDigit(before) && unicode.IsDigit(behind) {
		return true // or both would be one number
	}
	switch w[i] {
	case '+', '<', '>', '=', '^', '|':
		return w[i] != '+' || i > 0 || !unicode.IsDigit(behind)
	case '%', '#':
		return unicode.IsDigit(before) == (w[i] == '%') && says(before)
	case '!':
		return behind == '=' || i == 0 && unicode.IsLetter(behind)
	case '.':
		return unicode.IsDigit(behind) && (before == ' ' || before == '-' && i == 1)
	case '-', '&', '/', '*':
		return joins(w, i) || w[i] == '-' && isSign(w, i)
	}
	return false
}

// grouping matches a formula in which parentheses matter.
var grouping = regexp.MustCompile(`[+*^=]|\)/|/\(`)

// joins reports whether an operator stands beside another one, or between two operands.
func joins(w []rune, i int) bool {
	return i > 0 && w[i-1] == w[i] || i+1 < len(w) && w[i+1] == w[i] || operand(w[:i], -1) && operand(w[i+1:], 1)
}

// isSign reports whether a hyphen is a sign: before a number or a letter, or behind what it charges, as in O-.
func isSign(w []rune, i int) bool {
	return i == len(w)-1 && i > 0 && says(w[i-1]) || i == 0 && len(w) > 1 && (w[1] == '.' || operand(w[1:], 1))
}

// operand reports whether what touches an operator is a number, a single letter or a group: its end if step is -1, its
// beginning if it is 1.
func operand(part []rune, step int) bool {
	k, end := 0, len(part)
	if step < 0 {
		k, end = len(part)-1, -1
	}
	letters, digits := 0, 0
	for ; k != end && (unicode.IsLetter(part[k]) || unicode.IsDigit(part[k])); k += step {
		if unicode.IsLetter(part[k]) {
			letters++
		} else {
			digits++
		}
	}
	if letters+digits == 0 {
		return k != end && strings.ContainsRune("()[]$", part[k])
	}
	return letters <= 1
}
