// Package symbolic says when two answers in LaTeX have the same value, as far as that can be decided without a
// computer-algebra system: numbers as exact fractions, polynomials and fractions of them, square roots, and lists,
// sets, tuples, intervals, unions and matrices of these. What it cannot read is the same only where the texts are. It
// is meant never to take different values for the same; it does miss equal ones, such as sin²x + cos²x and 1.
package symbolic

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxLetters and maxParts bound the answers that are looked into.
const maxLetters, maxParts = 1000, 50

// Same reports whether two answers have the same value.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > maxLetters || len(b) > maxLetters {
		return false
	}
	return same(clean(a), clean(b))
}

// spelling removes what has no value, and has one spelling for what has several.
var spelling = strings.NewReplacer(
	`\left`, "", `\right`, "", `\displaystyle`, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\cfrac`, `\frac`, `\dbinom`,
	`\binom`,
	`\!`, "", `\,`, "", `\;`, "", `\:`, "", `\ `, " ", "~", " ", `\quad`, " ", `\qquad`, " ", `\$`, "", "$", "", `\(`,
	"", `\)`, "", `\[`, "", `\]`, "",
	`^{\circ}`, "", `^\circ`, "", "°", "", `\degree`, "", `\%`, "", "%", "", "£", "", "€", "", "{,}", ",", "−", "-",
	"×", `\times `, "·", `\cdot `, "π", `\pi `, "∞", `\infty `, "√", `\sqrt`,
	"±", `\pm `, "∪", `\cup `, `\textrm`, `\text`, `\textbf`, `\text`, `\textit`, `\text`, `\mathrm`, `\text`, `\mbox`,
	`\text`, `\textup`, `\text`,
	`\text{and}`, ",", `\text{ and }`, ",", `\text{or}`, ",", `\text{ or }`, ",",
)

func clean(text string) string {
	text = spelling.Replace(text)
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), ".,;"))
}

var (
	thousands = regexp.MustCompile(`^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	unit      = regexp.MustCompile(`^(.*[^\s])\s*\\text\{\s*([^{}]*?)\s*\}(?:\^(?:([0-9])|\{([0-9])\}))?$`)
	named     = regexp.MustCompile(`^\s*(?:\\?[a-zA-Z]+(?:_(?:[a-zA-Z0-9]|\{[a-zA-Z0-9]+\}))?(?:\([a-zA-Z0-9]\))?|\([a-zA-Z](?:,\s*[a-zA-Z])*\))\s*$`)
	member    = regexp.MustCompile(`^\s*[a-zA-Z]\s*\\in\s*([\[(\\].*)$`)
	word      = regexp.MustCompile(`^\\text\{([^{}]*)\}$`)
	matrix    = regexp.MustCompile(`^\\begin\{([pbvBV]?matrix)\}(.*)\\end\{([pbvBV]?matrix)\}$`)
)

// same goes by the form of both.
func same(a, b string) bool {
	a, b = plain(a), plain(b)
	if a == b {
		return true
	}
	if x, unitX := measured(a); unitX != "" {
		if y, unitY := measured(b); unitY != "" {
			return unitX == unitY && same(x, y)
		}
		return same(x, b)
	}
	if y, unitY := measured(b); unitY != "" {
		return same(a, y)
	}
	switch {
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

// plain is a number without commas between thousands, and a set of numbers without the letter that is in it.
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

// measured is a value and its unit.
func measured(text string) (value, of string) {
	m := unit.FindStringSubmatch(text)
	if m == nil || m[2] == "" {
		return text, ""
	}
	return m[1], strings.TrimSuffix(strings.ToLower(strings.TrimSuffix(m[2], ".")), "s") + "^" + m[3] + m[4]
}

// isWord reports whether a text is a word, and not letters that are multiplied.
func isWord(text string) bool {
	return word.MatchString(text) || len(text) > 3 &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

func wordOf(text string) string {
	if m := word.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.Trim(text, " ().")
}

// sameEquation compares equations, or what a name is said to be with a value.
func sameEquation(a, b string) bool {
	left, right, okA := strings.Cut(a, "=")
	leftB, rightB, okB := strings.Cut(b, "=")
	switch {
	case strings.Contains(right+rightB, "=") || strings.ContainsAny(a+b, "<>"):
		return false
	case okA && okB && strings.TrimSpace(left) == strings.TrimSpace(leftB):
		return same(right, rightB)
	case okA && okB:
		return decided(func() bool {
			x, y := difference(left, right), difference(leftB, rightB)
			return len(x.above) > 0 && (x.equals(y) || x.equals(y.negative()))
		})
	case okA:
		return named.MatchString(left) && same(right, b)
	}
	return named.MatchString(leftB) && same(a, rightB)
}

func difference(left, right string) expression { return parse(left).plus(parse(right).negative()) }

// sameParts compares parts one by one, or, of a list, each with one of the other's.
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

// matrixOf are the cells of a matrix. Rows end in \\, or in one backslash, which is what the published normalisation
// makes of them.
func matrixOf(text string) (form string, cells []string, ok bool) {
	m := matrix.FindStringSubmatch(text)
	if m == nil || m[1] != m[3] {
		return "", nil, false
	}
	for _, row := range rows(m[2]) {
		form += "row"
		for cell := range strings.SplitSeq(row, "&") {
			form, cells = form+" cell", append(cells, strings.TrimSpace(cell))
		}
	}
	return form, cells, true
}

// rows cuts at backslashes that begin no command and no brace: two of them, or the first where the second begins a
// command.
func rows(text string) (all []string) {
	from := 0
	next := func(i int) rune {
		if i < len(text) {
			return rune(text[i])
		}
		return ' '
	}
	for i := 0; i < len(text); i++ {
		one, two := next(i+1), next(i+2)
		switch {
		case text[i] != '\\':
		case one == '\\' && !unicode.IsLetter(two):
			all, from = append(all, text[from:i]), i+2
			i++
		case one == '\\' || !unicode.IsLetter(one) && !strings.ContainsRune("{}", one):
			all, from = append(all, text[from:i]), i+1
		}
	}
	return append(all, text[from:])
}

func unionOf(text string) (form string, parts []string, ok bool) {
	parts = split(text, `\cup`)
	return "union", parts, len(parts) > 1
}

// tupleOf are the parts of a tuple or an interval, whose brackets are its form.
func tupleOf(text string) (form string, parts []string, ok bool) {
	if len(text) < 2 || !strings.ContainsRune("([", rune(text[0])) ||
		!strings.ContainsRune(")]", rune(text[len(text)-1])) || closing(text) != len(text)-1 {
		return "", nil, false
	}
	parts = split(text[1:len(text)-1], ",")
	return text[:1] + text[len(text)-1:], parts, len(parts) > 1
}

// listOf are the parts of a list or a set, with both values of ±.
func listOf(text string) (form string, parts []string, ok bool) {
	inside, set := strings.CutPrefix(text, `\{`)
	if set {
		if inside, set = strings.CutSuffix(inside, `\}`); !set || strings.Contains(inside, `\}`) {
			return "", nil, false
		}
	}
	all := []string{inside}
	if !thousands.MatchString(inside) {
		all = split(inside, ",")
	}
	for _, part := range all {
		if strings.Contains(part, `\pm`) || strings.Contains(part, `\mp`) {
			parts = append(parts, strings.NewReplacer(`\pm`, "+", `\mp`, "-").Replace(part),
				strings.NewReplacer(`\pm`, "-", `\mp`, "+").Replace(part))
		} else {
			parts = append(parts, part)
		}
	}
	return "list", parts, set || len(parts) > 1
}

// closing is where the bracket that a text begins with closes; brackets of intervals need not match.
func closing(text string) int {
	depth := 0
	for i, r := range text {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// split cuts a text where a mark stands outside of all brackets.
func split(text, mark string) (parts []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case depth == 0 && i >= from && strings.HasPrefix(text[i:], mark):
			parts, from = append(parts, strings.TrimSpace(text[from:i])), i+len(mark)
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

var infinite = regexp.MustCompile(`^\s*([+-]?)\s*\\infty\s*$`)

// sameValue compares expressions.
func sameValue(a, b string) bool {
	x, y := infinite.FindStringSubmatch(a), infinite.FindStringSubmatch(b)
	if x != nil || y != nil {
		return x != nil && y != nil && (x[1] == "-") == (y[1] == "-")
	}
	return decided(func() bool { return parse(a).equals(parse(b)) })
}

// decided is the result of a comparison, false where it is not decided.
func decided(compare func() bool) (is bool) {
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
