package jinja

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// errPower is the error of powers that C's pow rounds otherwise than Go's.
var errPower = errors.New("only powers of whole numbers, to whole numbers from 0, are known")

var errTooLarge = errors.New("a whole number over 63 bits, which Python has and Parley has not")

// operate computes an arithmetic operation as Python does.
func (e *evaluator) operate(o string, a, b any) (any, error) {
	e.spend(1, 0)
	for _, v := range []any{a, b} {
		if u, ok := v.(undefined); ok {
			return nil, errUndefined(u)
		}
	}
	x, i, xWhole, xOK := number(a)
	y, k, yWhole, yOK := number(b)
	switch {
	case xOK && yOK && xWhole && yWhole:
		return integers(o, i, k)
	case xOK && yOK:
		return floats(o, x, y)
	case o == "+":
		return e.add(a, b)
	case isMarkup(a) || isMarkup(b):
		return nil, fmt.Errorf("%s of a text that is marked safe is not known", o)
	case o == "*" && xWhole:
		return e.repeat(b, i)
	case o == "*" && yWhole:
		return e.repeat(a, k)
	case o == "%":
		if format, ok := a.(string); ok {
			return e.printf(format, b)
		}
	}
	return nil, fmt.Errorf("%s %s %s is not defined", typeName(a), o, typeName(b))
}

func integers(o string, a, b int) (any, error) {
	switch o {
	case "+":
		if c := a + b; (c > a) == (b > 0) {
			return c, nil
		}
		return nil, errTooLarge
	case "-":
		if c := a - b; (c < a) == (b > 0) {
			return c, nil
		}
		return nil, errTooLarge
	case "*":
		return product(a, b)
	case "**":
		return power(a, b)
	}
	if b == 0 {
		return nil, errors.New("division by zero")
	}
	if o == "/" {
		return quotient(a, b)
	}
	if a == math.MinInt && b == -1 {
		if o == "%" {
			return 0, nil
		}
		return nil, errTooLarge
	}
	quotient, rest := a/b, a%b
	if rest != 0 && (rest < 0) != (b < 0) {
		quotient, rest = quotient-1, rest+b
	}
	if o == "//" {
		return quotient, nil
	}
	return rest, nil
}

// quotient is Python's true division of whole numbers, which rounds once; so does a division of floats as long as both
// are exact.
func quotient(a, b int) (any, error) {
	const exact = 1 << 53
	if a > exact || a < -exact || b > exact || b < -exact {
		return nil, errTooLarge
	}
	return float64(a) / float64(b), nil
}

func product(a, b int) (any, error) {
	if a == 0 || b == 0 {
		return 0, nil
	}
	c := a * b
	if c/b != a || a == -1 && b == math.MinInt || b == -1 && a == math.MinInt {
		return nil, errTooLarge
	}
	return c, nil
}

func power(a, b int) (any, error) {
	if b < 0 {
		return nil, errPower
	}
	result := 1
	for n := bits.Len(uint(b)) - 1; n >= 0; n-- {
		squared, err := product(result, result)
		if err == nil && b>>n&1 == 1 {
			squared, err = product(squared.(int), a)
		}
		if err != nil {
			return nil, err
		}
		result = squared.(int)
	}
	return result, nil
}

func floats(o string, a, b float64) (any, error) {
	switch o {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "**":
		return nil, errPower
	}
	if b == 0 {
		return nil, errors.New("division by zero")
	}
	switch o {
	case "/":
		return a / b, nil
	case "//":
		rest := modulo(a, b)
		quotient := (a - rest) / b
		if quotient == 0 {
			return math.Copysign(0, a/b), nil
		}
		whole := math.Floor(quotient)
		if quotient-whole > 0.5 {
			whole++
		}
		return whole, nil
	}
	return modulo(a, b), nil
}

// modulo is Python's %, which has the sign of the divisor.
func modulo(a, b float64) float64 {
	rest := math.Mod(a, b)
	switch {
	case rest == 0:
		return math.Copysign(0, b)
	case (rest < 0) != (b < 0):
		return rest + b
	}
	return rest
}

func applySign(v any, minus bool) (any, error) {
	f, i, whole, ok := number(v)
	switch u, missing := v.(undefined); {
	case missing:
		return nil, errUndefined(u)
	case !ok:
		return nil, fmt.Errorf("%s has no sign", typeName(v))
	case whole && minus && i == math.MinInt:
		return nil, errTooLarge
	case whole && minus:
		return -i, nil
	case whole:
		return i, nil
	case minus:
		return -f, nil
	}
	return f, nil
}

// add joins two texts or two lists.
func (e *evaluator) add(a, b any) (any, error) {
	if isMarkup(a) || isMarkup(b) {
		return e.addMarked(a, b)
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			e.spend(0, len(x)+len(y))
			return x + y, nil
		}
	case *sequence:
		if y, ok := b.(*sequence); ok && x.kind == y.kind && x.kind <= tuple {
			e.spend(len(x.items)+len(y.items), 0)
			return &sequence{append(append([]any{}, x.items...), y.items...), x.kind}, nil
		}
	}
	return nil, fmt.Errorf("%s + %s is not defined", typeName(a), typeName(b))
}

func isMarkup(v any) bool { _, ok := v.(markup); return ok }

// addMarked joins texts of which one is marked safe. jinja2 escapes the other, which is refused if it has to be.
func (e *evaluator) addMarked(a, b any) (any, error) {
	for _, v := range []any{a, b} {
		if s, ok := v.(string); ok && strings.ContainsAny(s, `&<>'"`) {
			return nil, fmt.Errorf("%.20q is added to a text that is marked safe, and would be escaped", s)
		}
	}
	v, err := e.add(plain(a), plain(b))
	if s, ok := v.(string); ok {
		return markup(s), err
	}
	return v, err
}

// repeat repeats a text or a list.
func (e *evaluator) repeat(v any, times int) (any, error) {
	times = max(0, times)
	switch v := v.(type) {
	case string:
		if n := len(v); n > 0 && times > e.bytes/n {
			refuse("a text of %d bytes is repeated %d times", n, times)
		}
		e.spend(0, len(v)*times)
		return strings.Repeat(v, times), nil
	case *sequence:
		if v.kind > tuple {
			break
		}
		if n := len(v.items); n > 0 && times > e.steps/n {
			refuse("a list of %d elements is repeated %d times", n, times)
		}
		e.spend(len(v.items)*times, 0)
		return &sequence{slices.Repeat(v.items, min(times, len(v.items)*times)), v.kind}, nil
	}
	return nil, fmt.Errorf("%s cannot be repeated", typeName(v))
}

// printf is Python's % of texts, for %s, %r, %d and %%.
func (e *evaluator) printf(format string, v any) (any, error) {
	values := []any{v}
	if s, ok := v.(*sequence); ok && s.kind == tuple {
		values = s.items
	}
	var b strings.Builder
	used := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			return nil, errors.New("a format ends with %")
		}
		if format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if used == len(values) {
			return nil, errors.New("not enough values for a format")
		}
		text, err := e.formatValue(format[i], values[used])
		if err != nil {
			return nil, err
		}
		used++
		e.spend(0, len(text))
		b.WriteString(text)
	}
	if used < len(values) {
		return nil, errors.New("too many values for a format")
	}
	e.spend(0, b.Len())
	return b.String(), nil
}

func (e *evaluator) formatValue(verb byte, v any) (string, error) {
	switch verb {
	case 's':
		return e.text(v)
	case 'r':
		return e.repr(v, 0)
	case 'd':
		if _, i, whole, _ := number(v); whole {
			return fmt.Sprint(i), nil
		}
	}
	return "", fmt.Errorf("%%%c of %s is not known in formats", verb, typeName(v))
}

// holds is a comparison.
func (e *evaluator) holds(o string, a, b any) (bool, error) {
	switch o {
	case "==":
		return e.equal(a, b), nil
	case "!=":
		return !e.equal(a, b), nil
	case "in":
		return e.contains(b, a)
	case "not in":
		in, err := e.contains(b, a)
		return !in, err
	}
	x, _, _, xOK := number(a)
	y, _, _, yOK := number(b)
	if xOK && yOK && (math.IsNaN(x) || math.IsNaN(y)) {
		return false, nil
	}
	c, err := e.compare(a, b)
	if err != nil {
		return false, err
	}
	switch o {
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	}
	return c >= 0, nil
}

// contains is Python's in.
func (e *evaluator) contains(all, v any) (bool, error) {
	switch all := plain(all).(type) {
	case string:
		part, ok := plain(v).(string)
		if !ok {
			return false, fmt.Errorf("%s in a text is not defined", typeName(v))
		}
		e.spend(1+len(all)/64, 0)
		return strings.Contains(all, part), nil
	case *Dict:
		if !isKey(v) {
			return false, fmt.Errorf("%s is no key of a mapping", typeName(v))
		}
		e.spend(1+len(all.pairs)/16, 0)
		_, ok := all.get(v)
		return ok, nil
	}
	items, err := elements(all)
	if err != nil {
		return false, err
	}
	for _, item := range items {
		if e.equal(item, v) {
			return true, nil
		}
	}
	return false, nil
}
