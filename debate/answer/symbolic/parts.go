package symbolic

import (
	"regexp"
	"strings"
	"unicode"
)

// Functions named ...Of split a text into its parts. The form that they return tells texts apart that may have equal
// parts: (1,2) and [1,2]. ok is false for a text of another form.

var matrix = regexp.MustCompile(`^\\begin\{([pbvBV]?matrix)\}(.*)\\end\{([pbvBV]?matrix)\}$`)

// matrixOf returns the cells of a matrix; its form has the number of cells in each row. Rows end in two backslashes, or
// in one, which is what the published normalisation leaves of them.
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

// rows cuts the body of a matrix at backslashes that begin neither a command nor a brace. Two backslashes are one cut,
// unless the second begins a command: \\frac is a cut and \frac.
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

// unionOf returns the sets of a union.
func unionOf(text string) (form string, parts []string, ok bool) {
	parts = split(text, `\cup`)
	return "union", parts, len(parts) > 1
}

// tupleOf returns the parts of a tuple or an interval. Its form is the pair of brackets: (1,2) and [1,2] differ.
func tupleOf(text string) (form string, parts []string, ok bool) {
	if len(text) < 2 || !strings.ContainsRune("([", rune(text[0])) ||
		!strings.ContainsRune(")]", rune(text[len(text)-1])) || closingMark(text) != len(text)-1 {
		return "", nil, false
	}
	parts = split(text[1:len(text)-1], ",")
	return text[:1] + text[len(text)-1:], parts, len(parts) > 1
}

// listOf returns the parts of a list or a set; a part with ± becomes two. A set of one part is not that part.
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

// closingMark returns the offset at which the bracket that begins the text closes, or -1. A closing bracket closes any
// opening one, since those of intervals differ.
func closingMark(text string) int {
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

// split cuts a text at each mark that stands outside of all brackets.
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
