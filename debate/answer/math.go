package answer

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Math reads the last \boxed{...} of a reply and normalises it as the published MATH scoring does. Braces may nest to
// any depth (source 0's code: two levels). One full stop at the end and a pair of dollar signs around are dropped; an
// empty box says nothing. Equality is that of strings: report it as "string-normalised".
func Math(reply string) Answer {
	content, ok := lastBoxed(reply)
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

// lastBoxed is the content of the last \boxed whose braces close. It goes through the text once, with the braces that
// are open on a stack: looking for the end of each \boxed anew would take hours where many never close.
func lastBoxed(text string) (content string, found bool) {
	const open = `\boxed{`
	var opened []int // behind each brace
	last := 0
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

// rewritten are notations without meaning for the value and what stands for them, in the order of the published
// normaliser: Hendrycks et al. 2021, math_equivalence, as source 0's code has it. A bare % is kept there, and so here.
var rewritten = [][2]string{
	{"\n", ""}, {`\!`, ""}, {`\\`, `\`}, {"tfrac", "frac"}, {"dfrac", "frac"}, {`\left`, ""}, {`\right`, ""},
	// the last two: source 0, before it normalises again
	{`^{\circ}`, ""}, {`^\circ`, ""}, {`\$`, ""}, {`\(`, ""}, {`\)`, ""},
}

var slash = regexp.MustCompile(`^(0|-?[1-9][0-9]*)/(0|-?[1-9][0-9]*)$`)

// NormalizeMath is the string normalisation of the MATH benchmark: it removes what does not change a value (line
// breaks, \left, degrees, dollars, units in \text, percent signs, blanks), writes fractions and roots with braces,
// numbers with a leading zero, and takes the right-hand side of "x = ...".
func NormalizeMath(s string) string {
	for _, r := range rewritten {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	s, _, _ = strings.Cut(s, `\text{ `) // from here on it is a unit
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

// braceFractions writes \frac12 and \frac1{72} as \frac{1}{2} and \frac{1}{72}. A fraction that is cut short leaves all
// as it is.
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

func firstRune(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
