package answer

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Math reads the last \boxed{...} of a reply and normalises it as the published scoring of MATH does. Braces may nest
// to any depth; MADC's code reads two levels. A full stop at the end and a pair of dollar signs around the content
// are dropped. An empty box is unparsed. Two answers are the same if their strings are: report this measure as
// "string-normalised". Package symbolic compares values.
func Math(reply string) Answer {
	content, ok := LastBoxed(reply)
	if !ok {
		return Unparsed
	}
	content = strings.TrimSuffix(strings.TrimSpace(content), ".")
	if inner, ok := strings.CutPrefix(content, "$"); ok && strings.HasSuffix(inner, "$") {
		content = strings.TrimSuffix(inner, "$")
	}
	if content = NormalizeMath(content); content == "" {
		return Unparsed
	}
	return Of(content)
}

// LastBoxed returns the content of the \boxed that begins last among those whose braces close; of nested ones that is
// the inner one. It goes over the text once and keeps the open braces on a stack. Searching for the end of each \boxed
// separately would take hours on a reply in which many never close.
func LastBoxed(text string) (content string, found bool) {
	const open = `\boxed{`
	var opened []int // the offset behind each open brace
	last := 0        // where content begins
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // an escaped brace is text
		case '{':
			opened = append(opened, i+1)
		case '}':
			if len(opened) == 0 {
				continue
			}
			from := opened[len(opened)-1]
			opened = opened[:len(opened)-1]
			if from > last && strings.HasSuffix(text[:from], open) {
				content, found, last = text[from:i], true, from
			}
		}
	}
	return content, found
}

// rewritten pairs notations that do not affect the value with their replacements. The order is that of the published
// normaliser (Hendrycks et al. 2021, math_equivalence, as in MADC's code) and must stay: a replacement can create
// what a later one finds. Like the source, it keeps a bare %.
var rewritten = [][2]string{
	{"\n", ""}, {`\!`, ""}, {`\\`, `\`}, {"tfrac", "frac"}, {"dfrac", "frac"}, {`\left`, ""}, {`\right`, ""},
	{`^{\circ}`, ""}, {`^\circ`, ""}, {`\$`, ""},
	{`\(`, ""}, {`\)`, ""}, // MADC removes these two before it normalises again
}

var slash = regexp.MustCompile(`^(0|-?[1-9][0-9]*)/(0|-?[1-9][0-9]*)$`)

// NormalizeMath is the string normalisation of the MATH benchmark. It removes what does not change a value (line
// breaks, \left, degrees, dollars, units in \text, escaped percent signs, spaces), writes fractions and roots with
// braces and decimals with a leading zero, and replaces "x = ..." by its right-hand side. It is no algebra: 2/4 and 1/2
// stay different.
func NormalizeMath(s string) string {
	for _, r := range rewritten {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	s, _, _ = strings.Cut(s, `\text{ `) // the rest is a unit
	s = strings.ReplaceAll(s, `\%`, "")
	s = strings.ReplaceAll(strings.ReplaceAll(s, " .", " 0."), "{.", "{0.")
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	if left, right, ok := strings.Cut(s, "="); ok && !strings.Contains(right, "=") &&
		utf8.RuneCountInString(left) <= 2 {
		s = right
	}
	s = strings.ReplaceAll(braceRoots(s), " ", "")
	s = braceFractions(s)
	if s == "0.5" {
		return `\frac{1}{2}`
	}
	if m := slash.FindStringSubmatch(s); m != nil {
		return `\frac{` + m[1] + `}{` + m[2] + `}`
	}
	return s
}

// braceRoots writes \sqrt3 as \sqrt{3}.
func braceRoots(s string) string {
	parts := strings.Split(s, `\sqrt`)
	for i, p := range parts[1:] {
		if p != "" && p[0] != '{' && p[0] != '[' {
			head, tail := firstRune(p)
			parts[i+1] = "{" + head + "}" + tail
		}
	}
	return strings.Join(parts, `\sqrt`)
}

// braceFractions writes \frac12 and \frac1{72} as \frac{1}{2} and \frac{1}{72}. If a fraction is cut off, it returns s
// unchanged, as the source does.
func braceFractions(s string) string {
	parts := strings.Split(s, `\frac`)
	for i, p := range parts[1:] {
		if strings.HasPrefix(p, "{") {
			continue
		}
		above, rest := firstRune(p)
		if rest == "" {
			return s
		}
		if rest[0] != '{' {
			below, tail := firstRune(rest)
			rest = "{" + below + "}" + tail
		}
		parts[i+1] = "{" + above + "}" + rest
	}
	return strings.Join(parts, `\frac`)
}

// firstRune splits a text behind its first character.
func firstRune(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
