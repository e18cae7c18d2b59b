package answer

import (
	"math/big"
	"regexp"
	"strings"
)

// maxDigits bounds each number of a quantity: longer ones are noise, and arithmetic with them takes long.
const maxDigits = 60

var (
	quantity = regexp.MustCompile(minus + `([0-9][0-9,]*(?:\.[0-9]+)?)` +
		`(?:[` + SpaceClass + `]?(\\?%)|[` + SpaceClass + `]?(/|:|or )[` + SpaceClass + `]?([0-9]+|e))?`)
	latex = regexp.MustCompile(`\\[dt]?frac\{([` + WordClass + `]+)\}\{([` + WordClass + `]+)\}`)
)

// Quantity reads the answers of counter-intuitive arithmetic (source 3's CIAR), whose data writes 0.75, 75%, 3/4, 1/e,
// 1:1 and "6 or 12": the last of these in the last \boxed{}, or else in the reply. Source 3 says that it compared for
// equality and published no grader. Numbers, percents and fractions of one value get one text here, "3/4"; ratios are
// reduced; what has 1/e or two values keeps its form.
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

// lastQuantity is the last match of quantity. An e with which another word begins belongs to no number.
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

// amount is a value, what stands behind it, and the number behind that.
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
