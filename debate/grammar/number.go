package grammar

import (
	"fmt"
	"strconv"
	"strings"
)

// numbersBetween returns expressions that together match exactly the numbers from one bound to the other.
func numbersBetween(from, to int) (out []string) {
	if from < 0 && from <= to {
		for _, e := range numbersBetween(max(1, -to), -from) {
			out = append(out, `"-" `+e)
		}
		from = 0
	}
	if from > to {
		return out
	}
	low, high := strconv.Itoa(from), strconv.Itoa(to)
	for len(low) < len(high) {
		out = append(out, digits(low, strings.Repeat("9", len(low)))...)
		low = "1" + strings.Repeat("0", len(low))
	}
	return append(out, digits(low, high)...)
}

// digits returns expressions for the numbers from low to high, which must have the same number of digits.
func digits(low, high string) (out []string) {
	switch rest := len(low) - 1; {
	case low == high:
		return []string{literal(low)}
	case low[0] == high[0]:
		return prefix(low[:1], digits(low[1:], high[1:]))
	case rest == 0:
		return []string{"[" + low + "-" + high + "]"}
	default:
		first, last := low[0], high[0]
		if strings.Trim(low[1:], "0") != "" {
			out = prefix(low[:1], digits(low[1:], strings.Repeat("9", rest)))
			first++
		}
		var above []string
		if strings.Trim(high[1:], "9") != "" {
			above = prefix(high[:1], digits(strings.Repeat("0", rest), high[1:]))
			last--
		}
		if first <= last {
			out = append(out, fmt.Sprintf("[%c-%c] [0-9]{%d}", first, last, rest))
		}
		return append(out, above...)
	}
}

// prefix puts a digit in front of each expression.
func prefix(digit string, expressions []string) (out []string) {
	for _, e := range expressions {
		out = append(out, literal(digit)+" "+e)
	}
	return out
}
