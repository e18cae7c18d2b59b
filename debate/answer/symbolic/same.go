// Package symbolic decides whether two answers in LaTeX have the same value, as far as that is possible without a
// computer-algebra system. It knows exact rational numbers, polynomials and fractions of polynomials, square roots, and
// lists, sets, tuples, intervals, unions and matrices of these.
//
// Same errs on one side only: it must never equate different values, and it may miss equal ones, such as sin²x + cos²x
// and 1. Texts that it cannot read are the same only if they are equal as texts. So that this holds, whatever computes
// panics with undecided when it meets something unknown, ambiguous or too large, and decided turns that into false.
//
// Texts are compared by their form first (same.go): words, equations, and the parts of matrices, unions, tuples and
// lists (parts.go). What remains is parsed (scan.go, parse.go) into a canonical expression (expression.go) and compared
// exactly, without floats.
package symbolic

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxLetters bounds the length of an answer that is read, maxParts the length of a list.
const maxLetters, maxParts = 1000, 50

// Same reports whether two answers have the same value. It is symmetric, and every text is the same as itself.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > maxLetters || len(b) > maxLetters {
		return false
	}
	return same(clean(a), clean(b))
}

// spelling removes what does not affect a value, and replaces variant spellings by one. Percent and degree signs go
// too: an answer of 50% is graded like 50.
var spelling = strings.NewReplacer(
	`\left`, "", `\right`, "", `\displaystyle`, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\cfrac`, `\frac`, `\dbinom`,
	`\binom`,
	`\!`, "", `\,`, "", `\;`, "", `\:`, "", `\ `, " ", "~", " ", `\quad`, " ", `\qquad`, " ", `\$`, "", "$", "", `\(`,
	"", `\)`, "", `\[`, "", `\]`, "",
	`^{\circ}`, "", `^\circ`, "", "°", "", `\degree`, "", `\%`, "", "%", "", "£", "", "€", "", "{,}", ",", "−", "-",
	"×", `\times `, "·", `\cdot `, "π", `\pi `, "∞", `\infty `, "√", `\sqrt`,
	"±", `\pm `, "∪", `\cup `, `\textrm`, `\text`, `\textbf`, `\text`, `\textit`, `\text`, `\mathrm`, `\text`, `\mbox`,
	`\text`, `\textup`, `\text`,
	`\leqslant`, `\le`, `\geqslant`, `\ge`, `\leq`, `\le`, `\geq`, `\ge`, "≤", `\le`, "≥", `\ge`, "<=", `\le `, ">=", `\ge `,
	`\varnothing`, `\emptyset`, "∅", `\emptyset`, `\{\}`, `\emptyset`, `\neq`, `\ne`, "≠", `\ne`,
	`\text{and}`, ",", `\text{ and }`, ",", `\text{or}`, ",", `\text{ or }`, ",",
)

// clean returns a text in one spelling, without spaces around it and without punctuation at its end.
func clean(text string) string {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(spelling.Replace(text)), ".,;"))
	if bareSet.MatchString(text) {
		return text[1 : len(text)-1]
	}
	return text
}

// bareSet matches a set whose braces LaTeX does not show.
var bareSet = regexp.MustCompile(`^\{[^{}]*,[^{}]*\}$`)

var (
	thousands = regexp.MustCompile(`^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	unit      = regexp.MustCompile(`^(.*[^\s])\s*\\text\{\s*([^{}]*?)\s*\}(?:\^(?:([0-9])|\{([0-9])\}))?$`)
	// named matches the left side of x = 3, x_1 = 3, f(x) = 3, \alpha = 3 and (x, y) = (1, 2).
	named = regexp.MustCompile(`^\s*(?:\\?[a-zA-Z]+(?:_(?:[a-zA-Z0-9]|\{[a-zA-Z0-9]+\}))?(?:\([a-zA-Z0-9]\))?` +
		`|\([a-zA-Z](?:,\s*[a-zA-Z])*\))\s*$`)
	member = regexp.MustCompile(`^\s*[a-zA-Z]\s*\\in\s*([\[(\\].*)$`)
	word   = regexp.MustCompile(`^\\text\{([^{}]*)\}$`)
)

// related matches the sign of an inequality.
var related = regexp.MustCompile(`[<>]|\\(?:le|ge|ne)[a-zA-Z]?(?:[^a-zA-Z]|$)`)

// same compares two cleaned texts by their form. A unit matters only if both texts have one. Of the forms, the first in
// which either text can be read decides: the other must have it too.
func same(a, b string) bool {
	a, b = plain(a), plain(b)
	if a == b {
		return true
	}
	if x, unitX := splitMeasure(a); unitX != "" {
		if y, unitY := splitMeasure(b); unitY != "" {
			return unitX == unitY && same(x, y)
		}
		return same(x, b)
	}
	if y, unitY := splitMeasure(b); unitY != "" {
		return same(a, y)
	}
	switch {
	case related.MatchString(a) && related.MatchString(b):
		return ascending(a) == ascending(b)
	case isWord(a) || isWord(b):
		return wordOf(a) != "" && strings.EqualFold(wordOf(a), wordOf(b))
	case strings.Contains(a+b, "="):
		return sameEquation(a, b)
	}
	for _, parts := range []func(string) (string, []string, bool){matrixOf, unionOf, tupleOf, listOf} {
		form, x, okX := parts(a)
		other, y, okY := parts(b)
		if okX || okY {
			return okX && okY && form == other && sameParts(x, y, form == "list" || form == "union")
		}
	}
	return sameValue(a, b)
}

// greater matches the signs of an inequality whose greater side comes first.
var greater = regexp.MustCompile(`>|\\ge`)

// ascending returns an inequality, or a chain of them, without spaces and with the lesser side first.
func ascending(text string) string {
	text = strings.ReplaceAll(text, " ", "")
	if strings.Contains(text, "<") || strings.Contains(text, `\le`) {
		return text
	}
	sides, signs := greater.Split(text, -1), greater.FindAllString(text, -1)
	slices.Reverse(sides)
	slices.Reverse(signs)
	turned := sides[0]
	for i, sign := range signs {
		turned += strings.NewReplacer(">", "<", `\ge`, `\le`).Replace(sign) + sides[i+1]
	}
	return turned
}

// plain removes the commas between thousands from a number, and "x \in" from an interval or a set.
func plain(text string) string {
	text = strings.TrimSpace(text)
	if thousands.MatchString(text) {
		return strings.ReplaceAll(text, ",", "")
	}
	if m := member.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// splitMeasure splits a value from its unit, which is "" if there is none. A plural s, a point and case do not count; a
// power does.
func splitMeasure(text string) (value, of string) {
	m := unit.FindStringSubmatch(text)
	if m == nil || m[2] == "" {
		return text, ""
	}
	return m[1], strings.TrimSuffix(strings.ToLower(strings.TrimSuffix(m[2], ".")), "s") + "^" + m[3] + m[4]
}

// isWord reports whether a text is a word rather than a product of variables: it stands in \text, or has more than
// three letters and nothing else.
func isWord(text string) bool {
	return word.MatchString(text) || len(text) > 3 &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// wordOf returns a word without \text, parentheses and points.
func wordOf(text string) string {
	if m := word.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.Trim(text, " ().")
}

// sameEquation compares two texts of which at least one is an equation. Two equations with the same left side are
// compared by their right sides; others are the same if the differences of their sides are, up to sign. An equation and
// a value are the same if the left side is a name and the right side that value. Chains and inequalities are the same
// only as texts.
func sameEquation(a, b string) bool {
	left, right, okA := strings.Cut(a, "=")
	leftB, rightB, okB := strings.Cut(b, "=")
	switch {
	case strings.Contains(right+rightB, "=") || strings.ContainsAny(a+b, "<>"):
		return false
	case okA && okB && strings.TrimSpace(left) == strings.TrimSpace(leftB):
		return same(right, rightB)
	case okA && okB:
		return decide(func() bool {
			x, y := difference(left, right), difference(leftB, rightB)
			return len(x.above) > 0 && (x.equals(y) || x.equals(y.negative()))
		})
	case okA:
		return named.MatchString(left) && same(right, b)
	}
	return named.MatchString(leftB) && same(a, rightB)
}

// difference is zero where the equation left = right holds.
func difference(left, right string) expression { return parse(left).plus(parse(right).negative()) }

// sameParts pairs the parts of two texts, one by one or, for lists and unions, in any order. Each part is used once.
func sameParts(a, b []string, anyOrder bool) bool {
	if len(a) != len(b) || len(a) > maxParts {
		return false
	}
	b = slices.Clone(b)
	for i := range a {
		among := b[i : i+1]
		if anyOrder {
			among = b[i:]
		}
		at := slices.IndexFunc(among, func(part string) bool { return same(a[i], part) })
		if at < 0 {
			return false
		}
		among[0], among[at] = among[at], among[0]
	}
	return true
}

var infinite = regexp.MustCompile(`^\s*([+-]?)\s*\\infty\s*$`)

// sameValue compares two expressions. Infinity equals only itself: computing with it would equate ∞-∞ and 0.
func sameValue(a, b string) bool {
	x, y := infinite.FindStringSubmatch(a), infinite.FindStringSubmatch(b)
	if x != nil || y != nil {
		return x != nil && y != nil && (x[1] == "-") == (y[1] == "-")
	}
	return decide(func() bool { return parse(a).equals(parse(b)) })
}

// decide returns the result of a comparison, or false if the comparison panics with undecided. Any other panic is a
// mistake in this package and goes on.
func decide(compare func() bool) (is bool) {
	defer func() {
		if why := recover(); why != nil {
			if _, ok := why.(undecided); !ok {
				panic(why)
			}
			is = false
		}
	}()
	return compare()
}
