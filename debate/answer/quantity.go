package answer

import (
	"math/big"
	"regexp"
	"strings"
)

// MaxDigits bounds the digits of a number that is read as a value. A longer one is noise, and arithmetic with it is
// slow.
const MaxDigits = 60

var (
	quantity = regexp.MustCompile(minus + `([0-9][0-9,]*(?:\.[0-9]+)?)` +
		`(?:[` + SpaceClass + `]?(\\?%)|[` + SpaceClass + `]?(/|:|or )[` + SpaceClass + `]?([0-9]+|e))?`)
	latex = regexp.MustCompile(`\\[dt]?frac\{([` + WordClass + `]+)\}\{([` + WordClass + `]+)\}`)
)

// Quantity reads the answers of counter-intuitive arithmetic (Liang et al.'s CIAR), whose data writes 0.75, 75%, 3/4,
// 1/e, 1:1 and "6 or 12". It takes the last of these in the last \boxed{}; without a box, the last in the reply.
//
// Liang et al. compared for equality and published no grader, so the canonical text is defined here: numbers,
// percentages and fractions of one value get one text, "3/4"; ratios are reduced; 1/e and pairs of values keep their
// form.
func Quantity(reply string) Answer {
	if content, ok := LastBoxed(reply); ok {
		reply = content
	}
	m := lastQuantity(latex.ReplaceAllString(reply, "$1/$2"))
	if m == nil || len(m[2]) > MaxDigits || len(m[5]) > MaxDigits {
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
