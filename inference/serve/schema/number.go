package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/grammar"
)

// mostDigits is how many decimal digits a float64 always keeps apart. Bounds have no more, nor have the numbers between
// them, so that a number that is rounded when it is read is still on its side of an exclusive bound.
const mostDigits = 15

const (
	mostWhole  = 999_999_999_999_999 // of 15 digits
	belowWhole = "minimum and maximum must be numbers of up to 15 digits"
)

// edge is one end of the numbers that a schema accepts, as its distance from zero.
type edge struct {
	whole  int
	digits string // of the fraction, without zeros at the end
	open   bool   // the number itself is not accepted
	value  float64
}

// edgeOf returns the stricter one of an inclusive and an exclusive bound, nil if there is neither. side is 1 for the
// upper end and -1 for the lower one.
func edgeOf(inclusive, exclusive *node, side float64) (*edge, error) {
	var strictest *edge
	for _, n := range []*node{inclusive, exclusive} {
		if n == nil {
			continue
		}
		e, err := readEdge(n)
		if err != nil {
			return nil, err
		}
		e.open = n == exclusive
		if strictest == nil || side*e.value < side*strictest.value || e.value == strictest.value && e.open {
			strictest = e
		}
	}
	return strictest, nil
}

func readEdge(n *node) (*edge, error) {
	value, err := strconv.ParseFloat(n.text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(n.text), "e")
	written := strings.TrimPrefix(strconv.FormatFloat(value, 'f', -1, 64), "-")
	whole, digits, _ := strings.Cut(written, ".")
	e := &edge{digits: digits, value: value}
	if err == nil && len(strings.Trim(mantissa, "-0.")) <= mostDigits+1 && len(whole)+len(digits) <= mostDigits {
		e.whole, err = strconv.Atoi(whole)
		if err == nil {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%s: %s", n.json(), belowWhole)
}

// number is a number, between two bounds if there are any. Between bounds it has no exponent.
func (c *compiler) number(n *node, at string) (string, error) {
	low, err := edgeOf(n.fields["minimum"], n.fields["exclusiveMinimum"], -1)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	high, err := edgeOf(n.fields["maximum"], n.fields["exclusiveMaximum"], 1)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	if low == nil && high == nil {
		return c.part("number"), nil
	}
	if low != nil && high != nil && (low.value > high.value || low.value == high.value && (low.open || high.open)) {
		return "", fmt.Errorf("%s: no number is above the minimum and below the maximum", at)
	}
	var all []string
	if high == nil || high.value > 0 || high.value == 0 && !high.open {
		from := &edge{}
		if low != nil && low.value >= 0 {
			from = low
		}
		all = append(all, between(from, high)...)
	}
	if low == nil || low.value < 0 {
		from := &edge{open: true}
		if high != nil && high.value < 0 {
			from = high
		}
		if negative := between(from, low); len(negative) > 0 {
			all = append(all, `"-" `+either(negative))
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s: no number of up to %d digits is above the minimum and below the maximum", at,
			mostDigits)
	}
	return "(" + strings.Join(all, " | ") + ")", nil
}

// between are expressions for the numbers from zero on that two edges have between them; high is nil if nothing bounds
// them.
func between(low, high *edge) (all []string) {
	add := func(whole int, f fraction) {
		if f.empty || len(f.ways) > 0 {
			all = append(all, literal(strconv.Itoa(whole))+f.behindPoint())
		}
	}
	room := mostDigits - len(strconv.Itoa(low.whole))
	most := mostWhole
	if high != nil {
		room = mostDigits - len(strconv.Itoa(high.whole))
		most = high.whole - 1
	}
	if high != nil && low.whole == high.whole {
		add(low.whole, fractions(&tail{low.digits, low.open}, &tail{high.digits, high.open}, room))
		return all
	}
	add(low.whole, fractions(&tail{low.digits, low.open}, nil, room))
	if low.whole < most {
		all = append(all, "("+wholeNumbers(low.whole+1, most)+")"+fractions(nil, nil, room).behindPoint())
	}
	if high != nil {
		add(high.whole, fractions(nil, &tail{high.digits, high.open}, room))
	}
	return all
}

// wholeNumbers is an expression for the whole numbers from one to another, to be put in parentheses.
func wholeNumbers(from, to int) string {
	_, body, _ := strings.Cut(strings.TrimSpace(grammar.Number(from, to).String()), " ::= ")
	return body
}

// tail are the digits of an edge from some place behind the point on.
type tail struct {
	digits string
	open   bool
}

// next returns the first digit and what follows it.
func (t tail) next() (int, *tail) {
	if t.digits == "" {
		return 0, &t
	}
	return int(t.digits[0] - '0'), &tail{t.digits[1:], t.open}
}

// fraction are the digits that may stand behind the point of a number.
type fraction struct {
	ways  []string // expressions for one digit or more
	empty bool     // there may be none
}

// behindPoint is an expression that goes on with a number.
func (f fraction) behindPoint() string { return f.follow(` "." `) }

func (f fraction) follow(before string) string {
	if len(f.ways) == 0 {
		return ""
	}
	if f.empty {
		return " (" + strings.TrimPrefix(before, " ") + either(f.ways) + ")?"
	}
	return before + either(f.ways)
}

// fractions are those of up to room digits between two ends, of which nil bounds nothing.
func fractions(low, high *tail, room int) fraction {
	if low != nil && low.digits == "" && !low.open {
		low = nil
	}
	switch {
	case high != nil && high.digits == "" && (low != nil || high.open):
		return fraction{}
	case high != nil && high.digits == "" && room > 0:
		return fraction{[]string{`"0"`}, true}
	case room <= 0:
		return fraction{nil, low == nil}
	case low == nil && high == nil:
		return fraction{[]string{"[0-9]" + times(1, room)}, true}
	}
	from, to := 0, 9 // digits that anything may follow
	var ways []string
	add := func(digit int, f fraction) {
		if f.empty || len(f.ways) > 0 {
			ways = append(ways, literal(strconv.Itoa(digit))+f.follow(" "))
		}
	}
	var first, last int
	var lows, highs *tail
	if low != nil {
		first, lows = low.next()
		from = first + 1
	}
	if high != nil {
		last, highs = high.next()
		to = last - 1
	}
	if low != nil && high != nil && first == last {
		add(first, fractions(lows, highs, room-1))
		return fraction{ways, false}
	}
	if low != nil {
		add(first, fractions(lows, nil, room-1))
	}
	if from <= to {
		ways = append(ways, fmt.Sprintf("[%d-%d]", from, to)+fractions(nil, nil, room-1).follow(" "))
	}
	if high != nil {
		add(last, fractions(nil, highs, room-1))
	}
	return fraction{ways, low == nil}
}
