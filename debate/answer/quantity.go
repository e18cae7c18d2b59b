package answer

import (
	"math/big"
	"regexp"
	"strings"
)

// maxDigits bounds each number of a quantity. A longer one is noise, and arithmetic with it is slow.
const maxDigits = 60

var (
	quantity = regexp.MustCompile(minus + `([0-9][0-9,]*(?:\.[0-9]+)?)` +
		`(?:[` + SpaceClass + `]?(\\?%)|[` + SpaceClass + `]?(/|:|or )[` + SpaceClass + `]?([0-9]+|e))?`)
	latex = regexp.MustCompile(`\\[dt]?frac\{([` + WordClass + `]+)\}\{([` + WordClass + `]+)\}`)
)

// Quantity reads the answers of counter-intuitive arithmetic (source 3's CIAR), whose data writes 0.75, 75%, 3/4, 1/e,
// 1:1 and "6 or 12". It takes the last of these in the last \boxed{}; without a box, the last in the reply.
//
// Source 3 compared for equality and published no grader, so the canonical text is defined here: numbers, percentages
// and fractions of one value get one text, "3/4"; ratios are reduced; 1/e and pairs of values keep their form.
func Quantity(reply string) Answer {
	if content, ok := lastBoxed(reply); ok {
		reply = content
	}
	m := lastQuantity(latex.ReplaceAllString(reply, "$1/$2"))
	if m == nil || len(m[2]) > maxDigits || len(m[5]) > maxDigits {
		return Unparsed
	}
	value, ok := new(big.Rat).SetString(m[1] + strings.ReplaceAll(m[2], ",", ""))
	if !ok {
		return Unparsed
	}
	return amount(value, m[3] != "", strings.TrimSpace(m[4]), m[5])
}

// lastQuantity returns the groups of the last match of quantity: sign, number, percent sign, mark (/, : or "or"),
// second number. An e that begins another word is no second number.
func lastQuantity(text string) []string {
	all := quantity.FindAllStringSubmatchIndex(text, -1)
	if len(all) == 0 {
		return nil
	}
	at := all[len(all)-1]
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	if m[5] == "e" && !Alone(text, at[10], at[11]) {
		m[4], m[5] = "", ""
	}
	return m
}

// amount returns the canonical text of a value with the mark and the number behind it.
func amount(value *big.Rat, percent bool, mark, second string) Answer {
	other, rational := new(big.Rat).SetString(second)
	switch {
	case percent:
		value.Quo(value, big.NewRat(100, 1))
	case mark == "" || second == "":
	case !rational || mark == "or":
		return Of(value.RatString() + strings.Replace(mark, "or", " or ", 1) + second)
	case other.Sign() == 0:
		return Unparsed
	case mark == ":":
		value.Quo(value, other)
		return Of(value.Num().String() + ":" + value.Denom().String())
	default:
		value.Quo(value, other)
	}
	return Of(value.RatString())
}

// readQuantity reads a number, a percentage, a fraction, a ratio, or one of two values, in the order in which
// readNumber looks. The answer is the value as a fraction in lowest terms, so that 75%, 0.75, 3/4 and \frac34 are
// equal; ratios such as 1:2 are reduced, "1 in 500" is a fraction, and 1/e and pairs such as "6 or 12" keep their form.
func readQuantity(q Question) Extractor {
	n := numericOf(q, amountIn)
	n.pairs = true
	return n.read
}

var (
	toRatio = regexp.MustCompile(`^[ ]?(?::|to[ ])[ ]?([0-9]+(?:\.[0-9]+)?)(?:[^0-9:]|$)`)
	toOther = regexp.MustCompile(`^[ ]?or[ ]?$`)
	oneIn   = regexp.MustCompile(`^ (?:parts? |chances? )?(?:in|out of)(?: every)? $`)
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
