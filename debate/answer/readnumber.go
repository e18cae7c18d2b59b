package answer

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// readNumber reads a number. It looks for these, in this order, in the part of the reply behind its reasoning and
// before an invented next question:
//
//  1. the last \boxed{} with a number;
//  2. the number behind the first ####;
//  3. the number of the last statement: "the answer is 7", "Answer: 7";
//  4. a number alone in the last line, unless it is one of a list;
//  5. in a complete reply that does not end in a question, of the last sentence with a number: that behind its last =,
//     else that behind its last "is", else the last before "if", "because" and the like.
//
// In a statement, the number behind its = counts, else the first; one with two values, such as "5 or 6", gives none. A
// number is read with sign, groups, decimals, exponent and fraction, whatever the notation; units, currencies and
// percent signs are left out, and digits that are a part of something, such as the 2 of m², are no number.
func readNumber(Question) Extractor {
	return numeric{first: numberIn}.read
}

// numberIn gives the first number from an offset on.
func numberIn(_ string, from int, all []value) Answer {
	for _, v := range all {
		if v.from >= from {
			return v.number()
		}
	}
	return Unparsed
}

// readQuantity reads a number, a percentage, a fraction, a ratio, or one of two values, in the order in which
// readNumber looks. The answer is the value as a fraction in lowest terms, so that 75%, 0.75, 3/4 and \frac34 are
// equal; ratios such as 1:2 are reduced, "1 in 500" is a fraction, and 1/e and pairs such as "6 or 12" keep their form.
func readQuantity(Question) Extractor { return numeric{amountIn, true}.read }

// numeric reads values. Its function gives the answer of the first value of a text from an offset on.
type numeric struct {
	first func(text string, from int, all []value) Answer
	pairs bool // "6 or 12" is an answer
}

func (n numeric) read(reply string) Answer {
	p := pageOf(reply, 0)
	all, hashes := statements(p)
	if a := n.marked(p, all, hashes); a.Parsed {
		return explicit(a)
	}
	last := p.last()
	if last < 0 {
		return Answer{How: Nothing}
	}
	if a := n.alone(p.lines[last].text); a.Parsed && !p.open && !n.listed(p, last) &&
		(last == 0 || !numbering.MatchString(p.lines[last].text)) {
		return explicit(a)
	}
	if p.open || len(all) > 0 && all[len(all)-1].line >= last || len(all) > 0 && all[len(all)-1].text == "" ||
		asks.MatchString(p.lines[last].text) || n.listed(p, last) {
		return Answer{How: Nothing}
	}
	return n.concluded(p)
}

// marked reads the value in a box or behind a mark.
func (n numeric) marked(p page, all, hashes []statement) Answer {
	if content, ok := lastBoxed(p.text()); ok {
		if a := n.stated(content); a.Parsed {
			return a
		}
	}
	for _, s := range hashes {
		if a := n.hashed(s.text); a.Parsed {
			return a
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if a := n.stated(all[i].text); a.Parsed {
			return a
		}
	}
	return Unparsed
}

// asks matches a line that ends in a question.
var asks = regexp.MustCompile(`\?["'\])]*$`)

// listed reports whether a line and the two before it hold nothing but values: a list of them.
func (n numeric) listed(p page, i int) bool {
	for range 3 {
		if i < 0 || !n.alone(p.lines[i].text).Parsed {
			return false
		}
		i = p.previous(i)
	}
	return true
}

var (
	// doubled joins two values of which none is the answer.
	doubled  = regexp.MustCompile(`(?i)^ *(?:or|to|and) +[$£€-]*[0-9]`)
	between  = regexp.MustCompile(`(?i)\b(?:between|from|not|no longer|neither|if|unknown|unclear|cannot|can't)\b`)
	operator = regexp.MustCompile(`^[ ]*(?:[-+*/×÷–]|\bx\b|plus\b|minus\b|times\b)[ ]*[$(]?[0-9]`)
	letters  = regexp.MustCompile(`\pL{3,}`)
	// joined follows a number that is a part of a word.
	joined  = regexp.MustCompile(`^-\pL`)
	because = regexp.MustCompile(`(?i)[,;(]? *\b(?:because|since|as|so|which|where|when)\b`)
	// explaining begins a sentence on how the value before it was found.
	explaining = regexp.MustCompile(`(?i)^this (?:is|was|can be) (?:calculated|computed|done|found|obtained|determined|derived|because)\b`)
	// condition begins what a sentence supposes.
	condition = regexp.MustCompile(`(?i) (?:if|because|since|when|unless)\b`)
	asserted  = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|equals|equal to|totals)\b`)
)

// stated reads the value of a statement.
func (n numeric) stated(text string) Answer {
	text = ": " + figures.Replace(text) // so that a number at the beginning numbers no item
	if all := sentences(text); len(all) > 0 {
		text = all[0]
	}
	if strings.HasSuffix(strings.TrimSpace(text), "?") {
		return Unparsed
	}
	if at := because.FindStringIndex(text); at != nil && at[0] > 0 && len(valuesIn(text[:at[0]])) > 0 {
		text = text[:at[0]]
	}
	all := valuesIn(text)
	if len(all) == 0 {
		return Unparsed
	}
	from := 0
	if at := strings.LastIndex(text, "="); at >= 0 && all[len(all)-1].from > at && plainSum(text[:at]) {
		from = at
	}
	first := 0
	for first < len(all) && all[first].from < from {
		first++
	}
	v := all[first]
	if between.MatchString(text[from:v.from]) || len(strings.Fields(text[from:v.from])) > 12 {
		return Unparsed
	}
	rest := text[v.to:]
	if operator.MatchString(rest) || !n.pairs && doubled.MatchString(rest) ||
		strings.Contains(rest, "=") && plainSum(rest) {
		return Unparsed
	}
	return n.first(text, from, all)
}

// plainSum reports whether a text is a sum or a formula rather than words.
func plainSum(text string) bool { return len(letters.FindAllString(text, 3)) < 3 }

// hashed reads the value right behind ####, which also begins headings.
func (n numeric) hashed(text string) Answer {
	plain := figures.Replace(text)
	all := valuesIn(plain)
	if len(all) == 0 || letters.MatchString(plain[:all[0].from]) && !mark.MatchString(plain[:all[0].from]) {
		return Unparsed
	}
	return n.stated(text)
}

// alone reads a line that holds one value and at most a unit.
func (n numeric) alone(text string) Answer {
	text = figures.Replace(text)
	all := valuesIn(text)
	if len(all) == 0 || strings.Trim(text[:all[0].from], " *_$([:=#-≈"+"\\") != "" {
		return Unparsed
	}
	a := n.first(text, 0, all)
	rest := text[all[len(all)-1].to:]
	if !a.Parsed || len(all) > 1 && !strings.ContainsAny(a.Text, ":o") || len(letters.FindAllString(rest, -1)) > 1 ||
		strings.ContainsAny(rest, "=?+") {
		return Unparsed
	}
	return a
}

// concluded reads the last sentence with a value of a complete reply.
func (n numeric) concluded(p page) Answer {
	last := p.last()
	for i := last; i >= 0; i-- {
		all := sentences(figures.Replace(p.lines[i].text))
		for k := len(all) - 1; k >= 0; k-- {
			if numbering.MatchString(all[k]) && len(p.lines) > 1 || explaining.MatchString(all[k]) && k+i > 0 {
				continue
			}
			if values := valuesIn(all[k]); len(values) > 0 {
				if i < last && !ended(p.lines[last].text) {
					return Answer{How: Nothing} // it goes on, and breaks off
				}
				values = slices.DeleteFunc(values, func(v value) bool { return joined.MatchString(all[k][v.to:]) })
				if len(values) == 0 {
					return Answer{How: Nothing}
				}
				a := n.conclusion(all[k], values)
				if a.Parsed {
					a.How = Fallback
				} else {
					a.How = Nothing
				}
				return a
			}
		}
	}
	return Answer{How: Nothing}
}

// conclusion reads the value that a sentence comes to.
func (n numeric) conclusion(text string, all []value) Answer {
	last := all[len(all)-1]
	if strings.HasSuffix(text, "?") || len(all) > 2 && strings.Trim(text, "0123456789.,; $") == "" {
		return Unparsed // a question, or a list
	}
	if len(text) > 4*maxStatement {
		return n.first(text, last.from, all)
	}
	if at := strings.LastIndex(text, "="); at >= 0 {
		for _, v := range all {
			if v.from > at {
				return n.first(text, at, all)
			}
		}
	}
	if at := condition.FindStringIndex(text); at != nil && at[0] > all[0].from {
		for at[0] <= last.from {
			all = all[:len(all)-1]
			last = all[len(all)-1]
		}
	}
	from := last.from
	if k := len(all) - 2; n.pairs && k >= 0 && oneIn.MatchString(text[all[k].to:from]) {
		from = all[k].from
	}
	for _, at := range asserted.FindAllStringIndex(text, -1) {
		if at[1] > last.from {
			break
		}
		for _, v := range all {
			if v.from >= at[1] {
				if len(strings.Fields(text[at[1]:v.from])) <= 4 {
					from = v.from
				}
				break
			}
		}
	}
	return n.first(text, from, all)
}

// number returns the canonical text of a number: digits with a point, or a fraction that has no end.
func (v value) number() Answer {
	if v.rat == nil {
		return Unparsed
	}
	if places, finite := v.rat.FloatPrec(); finite && places <= maxDigits {
		return Of(v.rat.FloatString(places))
	}
	return Of(v.rat.RatString())
}

var (
	toRatio = regexp.MustCompile(`^[ ]?(?::|to[ ])[ ]?([0-9]+(?:\.[0-9]+)?)(?:[^0-9:]|$)`)
	toOther = regexp.MustCompile(`^[ ]?or[ ]?$`)
	oneIn   = regexp.MustCompile(`^ (?:in|out of)(?: every)? $`)
	perE    = regexp.MustCompile(`^[ ]?/[ ]?e(?:[^\pL\pN_]|$)`)
)

// in reports whether two values with a text between them are one in the other, as 1 in 500 or 3 out of 4.
func (v value) in(all value, between string) bool {
	return all.rat != nil && all.rat.Sign() > 0 && oneIn.MatchString(between) &&
		(v.rat.Cmp(big.NewRat(1, 1)) == 0 || strings.Contains(between, "out"))
}

// amountIn gives the quantity that begins with the first value from an offset on.
func amountIn(text string, from int, all []value) Answer {
	for i, v := range all {
		if v.from < from {
			continue
		}
		if v.rat == nil {
			return Unparsed
		}
		rat := v.rat
		if v.percent {
			rat = new(big.Rat).Quo(rat, big.NewRat(100, 1))
		}
		var m []string
		rest := text[v.to:]
		switch {
		case i+1 < len(all) && v.in(all[i+1], text[v.to:all[i+1].from]):
			return Of(new(big.Rat).Quo(rat, all[i+1].rat).RatString())
		case match(perE, rest, &m):
			return Of(rat.RatString() + "/e")
		case match(toRatio, rest, &m) && strings.HasPrefix(strings.TrimLeft(rest, " "), ":"):
			return amount(rat, false, ":", m[1])
		case i+1 < len(all) && all[i+1].rat != nil && toOther.MatchString(text[v.to:all[i+1].from]):
			return Of(rat.RatString() + " or " + all[i+1].rat.RatString())
		}
		return Of(rat.RatString())
	}
	return Unparsed
}
