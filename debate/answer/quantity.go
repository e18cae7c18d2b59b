package answer

import (
	"math/big"
	"regexp"
	"strings"
)

var (
	quantity = regexp.MustCompile(`(?:(?:^|[^\w)])(-)\$?)?([0-9][0-9,]{0,30}(?:\.[0-9]{1,30})?)(?:\s?(\\?%)|\s?(/|:|or )\s?([0-9]{1,30}|e\b))?`)
	latex    = regexp.MustCompile(`\\[dt]?frac\{(\w+)\}\{(\w+)\}`)
)

// Quantity reads the answers of counter-intuitive arithmetic (source 3's CIAR), whose data writes 0.75, 75%, 3/4, 1/e, 1:1 and
// "6 or 12": the last of these in the last \boxed{}, or else in the reply. Source 3 says that it compared for equality and published
// no grader. Numbers, percents and fractions of one value get one text here, "3/4"; ratios are reduced; what has 1/e or two values
// keeps its form.
func Quantity(reply string) Answer {
	if content, ok := lastBoxed(reply); ok {
		reply = content
	}
	m := last(quantity, latex.ReplaceAllString(reply, "$1/$2"))
	if m == nil {
		return Unparsed
	}
	value, ok := new(big.Rat).SetString(m[1] + strings.ReplaceAll(m[2], ",", ""))
	if !ok {
		return Unparsed
	}
	return amount(value, m[3] != "", strings.TrimSpace(m[4]), m[5])
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
