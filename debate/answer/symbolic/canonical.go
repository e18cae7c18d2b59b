package symbolic

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Canonical returns one spelling for all texts of a value, so that answers can be counted by it. Ok is false for what
// has none: equations, inequalities, quotients of polynomials, functions, texts that cannot be read, and those whose
// spelling has another one, such as a product of letters that spells a name, or a list that is a number with its comma.
// Two texts with equal spellings have the same value, except that a unit behind a value is left out.
func Canonical(text string) (spelling string, ok bool) {
	if len(text) > maxLetters {
		return "", false
	}
	ok = decide(func() bool {
		spelling = canonical(clean(text))
		return spelling != "" && canonical(clean(spelling)) == spelling
	})
	return spelling, ok
}

// canonical spells a cleaned text by its form, in the order in which same looks at forms.
func canonical(text string) string {
	text = plain(text)
	if value, of := splitMeasure(text); of != "" {
		return canonical(value)
	}
	switch {
	case isWord(text):
		return strings.ToLower(wordOf(text))
	case strings.Contains(text, "="):
		left, right, _ := strings.Cut(text, "=")
		if strings.ContainsAny(right, "=<>") || !named.MatchString(left) {
			return ""
		}
		return canonical(right)
	case strings.ContainsAny(text, "<>"), matrix.MatchString(text):
		return ""
	}
	if _, sets, ok := unionOf(text); ok {
		return spellParts(sets, `\cup`, true)
	}
	if form, parts, ok := tupleOf(text); ok {
		inside := spellParts(parts, ",", false)
		if inside == "" {
			return ""
		}
		return form[:1] + inside + form[1:]
	}
	if _, parts, ok := listOf(text); ok {
		return spellParts(parts, ",", true)
	}
	return spellValue(text)
}

// spellParts spells parts and joins them, sorted if their order does not matter.
func spellParts(parts []string, mark string, anyOrder bool) string {
	if len(parts) > maxParts {
		return ""
	}
	spelled := make([]string, len(parts))
	for i, part := range parts {
		if spelled[i] = canonical(part); spelled[i] == "" {
			return ""
		}
	}
	if anyOrder {
		slices.Sort(spelled)
	}
	return strings.Join(spelled, mark)
}

// spellValue spells infinity, or a polynomial in variables, π, i and roots of whole numbers.
func spellValue(text string) string {
	if m := infinite.FindStringSubmatch(text); m != nil {
		return strings.TrimPrefix(m[1], "+") + `\infty`
	}
	e := rationalise(parse(text))
	below, ok := e.below[""]
	if !ok || len(e.below) > 1 {
		return ""
	}
	terms := make([]string, 0, len(e.above))
	for monomial := range e.above {
		terms = append(terms, monomial)
	}
	slices.Sort(terms)
	slices.Reverse(terms) // the constant comes last
	var b strings.Builder
	for _, monomial := range terms {
		factors, ok := spellFactors(powersOf(monomial))
		if !ok {
			return ""
		}
		term := spellTerm(new(big.Rat).Quo(e.above[monomial], below), factors)
		if b.Len() > 0 && term[0] != '-' {
			b.WriteByte('+')
		}
		b.WriteString(term)
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// rationalise expands a fraction whose denominator is a product of roots, so that it becomes a number.
func rationalise(e expression) expression {
	for monomial := range e.below {
		for name := range powersOf(monomial) {
			if len(e.below) > 1 || name != "i" && !strings.HasPrefix(name, root) {
				return e
			}
		}
		same := polynomial{monomial: big.NewRat(1, 1)}
		return expression{e.above.times(same), e.below.times(same)}
	}
	return e
}

// spellTerm spells a coefficient with its factors.
func spellTerm(c *big.Rat, factors string) string {
	sign := ""
	if c.Sign() < 0 {
		sign, c = "-", new(big.Rat).Neg(c)
	}
	switch {
	case !c.IsInt():
		return sign + `\frac{` + c.Num().String() + "}{" + c.Denom().String() + "}" + factors
	case factors != "" && c.Num().IsInt64() && c.Num().Int64() == 1:
		return sign + factors
	}
	return sign + c.Num().String() + factors
}

// spellFactors spells the atoms of a monomial with their powers. The roots of primes become one root.
func spellFactors(p powers) (text string, ok bool) {
	radicand := big.NewInt(1)
	for _, name := range sortedAtoms(p) {
		if prime, isRoot := strings.CutPrefix(name, root); isRoot {
			n, good := new(big.Int).SetString(prime, 10)
			if !good {
				return "", false
			}
			radicand.Mul(radicand, n)
			continue
		}
		if utf8.RuneCountInString(name) > 1 && !(strings.HasPrefix(name, `\`) && slices.Contains(symbols, name[1:])) {
			return "", false // an index, or a term that is not analysed
		}
		if text += name; p[name] > 1 {
			text += "^{" + big.NewInt(int64(p[name])).String() + "}"
		} else if name[0] == '\\' {
			text += " "
		}
	}
	if radicand.Cmp(big.NewInt(1)) != 0 {
		text = `\sqrt{` + radicand.String() + "}" + text
	}
	return strings.TrimSuffix(text, " "), true
}

func sortedAtoms(p powers) []string {
	names := make([]string, 0, len(p))
	for name := range p {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
