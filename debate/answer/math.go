package answer

import (
	"regexp"
	"strings"
)

// Math reads the last \boxed{...} of a reply and normalises it as the published MATH scoring does. Braces may nest to any
// depth (source 0's code: two levels). One full stop at the end and dollar signs around are dropped; an empty box says
// nothing. Equality is that of strings: report it as "string-normalised".
func Math(reply string) Answer {
	content, ok := lastBoxed(reply)
	if !ok {
		return Unparsed
	}
	content = strings.TrimSuffix(strings.TrimSpace(content), ".")
	content = NormalizeMath(strings.Trim(content, "$"))
	if content == "" {
		return Unparsed
	}
	return Of(content)
}

// lastBoxed is the content of the last \boxed whose braces close.
func lastBoxed(text string) (string, bool) {
	const open = `\boxed{`
	for at := strings.LastIndex(text, open); at >= 0; at = strings.LastIndex(text[:at], open) {
		depth := 0
		body := text[at+len(open):]
		for i := 0; i < len(body); i++ {
			switch body[i] {
			case '\\':
				i++ // an escaped brace is text
			case '{':
				depth++
			case '}':
				if depth == 0 {
					return body[:i], true
				}
				depth--
			}
		}
	}
	return "", false
}

var (
	// dropped are notations without meaning for the value, in the order of the published normaliser (Hendrycks et al.
	// 2021, math_equivalence), followed by the inline-math marks that source 0 drops too.
	rewritten = strings.NewReplacer("\n", "", `\!`, "", `\\`, `\`, "tfrac", "frac", "dfrac", "frac")
	dropped   = strings.NewReplacer(`\left`, "", `\right`, "", `^{\circ}`, "", `^\circ`, "", `\$`, "", `\(`, "", `\)`, "")
	percent   = strings.NewReplacer(`\%`, "", "%", "")
	leading   = strings.NewReplacer(" .", " 0.", "{.", "{0.")
	slash     = regexp.MustCompile(`^(-?[0-9]+)/(-?[0-9]+)$`)
)

// NormalizeMath is the string normalisation of the MATH benchmark: it removes what does not change a value (line breaks,
// \left, degrees, dollars, units in \text, percent signs, blanks), writes fractions and roots with braces, numbers with a
// leading zero, and takes the right-hand side of "x = ...".
func NormalizeMath(s string) string {
	s = dropped.Replace(rewritten.Replace(s))
	if value, _, unit := strings.Cut(s, `\text{ `); unit {
		s = value
	}
	s = leading.Replace(percent.Replace(s))
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	if left, right, ok := strings.Cut(s, "="); ok && !strings.Contains(right, "=") && len(strings.TrimSpace(left)) <= 2 {
		s = strings.TrimLeft(right, " ")
	}
	s = braceRoots(s)
	s = strings.ReplaceAll(s, " ", "")
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

// braceFractions writes \frac12 and \frac1{72} as \frac{1}{2} and \frac{1}{72}.
func braceFractions(s string) string {
	parts := strings.Split(s, `\frac`)
	for i, p := range parts[1:] {
		if p == "" || p[0] == '{' {
			continue
		}
		above, rest := firstRune(p)
		if rest == "" {
			continue
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
