package calculator

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Why an expression has no value, in the words that replies get.
var (
	errExpression = errors.New("no expression")
	errDivision   = errors.New("division by zero")
	errExponent   = errors.New("the exponent is not a whole number")
	errLarge      = errors.New("too large")
	errSmall      = errors.New("too small")
)

const (
	mostBits     = 4096 // of a numerator or denominator
	mostDigits   = 40   // of the whole part of a value
	mostNested   = 50   // signs, parentheses and exponents in each other
	exactPlaces  = 10   // decimals that a value has at most, unless it is rounded
	shownFigures = 10   // significant ones of a value that is rounded
	mostPlaces   = 30   // decimals of such a value
)

// spellings are other ways to write operators, and signs that change nothing.
var spellings = strings.NewReplacer("**", "^", "×", "*", "·", "*", "÷", "/", "−", "-", "–", "-",
	"$", "", "€", "", "£", "", "\u00a0", " ", "\t", " ")

// thousands matches a comma between groups of digits.
var thousands = regexp.MustCompile(`(\d),(\d{3})\b`)

// Value computes an expression of + - * / ^, parentheses, percentages and numbers in decimals, exactly. Operators bind
// as in Python, where -2^2 is -4. The value is in decimals, and rounded to ten significant figures if it has more than
// ten decimals. Time and memory are bounded for any expression. The errors are few words.
func Value(expression string) (string, error) {
	if len(expression) > mostExpression {
		return "", errExpression
	}
	text := spellings.Replace(expression)
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	p := parser{rest: text}
	value, err := p.sum()
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(p.rest) != "":
		return "", errExpression
	}
	return decimals(value)
}

// decimals writes a number.
func decimals(v *big.Rat) (string, error) {
	if places, exact := v.FloatPrec(); exact && places <= exactPlaces {
		text := v.FloatString(places)
		if whole, _, _ := strings.Cut(text, "."); len(whole) > mostDigits {
			return "", errLarge
		}
		return text, nil
	}
	rounded := new(big.Float).SetPrec(2*mostBits).SetRat(v).Text('e', shownFigures-1)
	_, magnitude, _ := strings.Cut(rounded, "e")
	power, _ := strconv.Atoi(magnitude)
	places := max(2, shownFigures-1-power)
	switch {
	case power >= mostDigits:
		return "", errLarge
	case places > mostPlaces:
		return "", errSmall
	}
	return strings.TrimSuffix(strings.TrimRight(v.FloatString(places), "0"), "."), nil
}

// parser reads an expression from its beginning.
type parser struct {
	rest   string
	nested int
}

// next takes one of some characters, 0 if there is none.
func (p *parser) next(of string) byte {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" || strings.IndexByte(of, p.rest[0]) < 0 {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// sum reads terms between + and -.
func (p *parser) sum() (*big.Rat, error) {
	return p.chain("+-", p.product)
}

// product reads factors between * and /.
func (p *parser) product() (*big.Rat, error) {
	return p.chain("*/", p.factor)
}

// chain reads what stands between operators, and computes from the left.
func (p *parser) chain(operators string, part func() (*big.Rat, error)) (*big.Rat, error) {
	value, err := part()
	for err == nil {
		operator := p.next(operators)
		if operator == 0 {
			return value, nil
		}
		var other *big.Rat
		if other, err = part(); err == nil {
			value, err = operate(operator, value, other)
		}
	}
	return nil, err
}

// operate computes a new number.
func operate(operator byte, a, b *big.Rat) (*big.Rat, error) {
	v := new(big.Rat)
	switch operator {
	case '+':
		v.Add(a, b)
	case '-':
		v.Sub(a, b)
	case '*':
		v.Mul(a, b)
	case '/':
		if b.Sign() == 0 {
			return nil, errDivision
		}
		v.Quo(a, b)
	}
	return v, bounded(v)
}

// bounded refuses numbers that are too long.
func bounded(v *big.Rat) error {
	if v.Num().BitLen() > mostBits || v.Denom().BitLen() > mostBits {
		return errLarge
	}
	return nil
}

// factor reads a number or what is in parentheses, with its sign, percent sign and exponent.
func (p *parser) factor() (*big.Rat, error) {
	if p.nested++; p.nested > mostNested {
		return nil, errExpression
	}
	defer func() { p.nested-- }()
	if sign := p.next("+-"); sign != 0 {
		v, err := p.factor()
		if err == nil && sign == '-' {
			v = new(big.Rat).Neg(v)
		}
		return v, err
	}
	base, err := p.atom()
	if err == nil && p.next("%") != 0 {
		base, err = operate('/', base, big.NewRat(100, 1))
	}
	if err != nil || p.next("^") == 0 {
		return base, err
	}
	exponent, err := p.factor()
	if err != nil {
		return nil, err
	}
	return power(base, exponent)
}

// power computes a power with a whole exponent.
func power(base, exponent *big.Rat) (*big.Rat, error) {
	if !exponent.IsInt() {
		return nil, errExponent
	}
	if exponent.Sign() < 0 {
		if base.Sign() == 0 {
			return nil, errDivision
		}
		base, exponent = new(big.Rat).Inv(base), new(big.Rat).Neg(exponent)
	}
	n := exponent.Num()
	if n.Sign() > 0 && bitsOf(base) == 0 { // of 0, 1 and -1 the first two powers are all
		n = big.NewInt(2 - int64(n.Bit(0)))
	}
	if !n.IsInt64() || n.Int64() > mostBits || bitsOf(base)*n.Int64() > mostBits {
		return nil, errLarge
	}
	v := new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), n, nil), new(big.Int).Exp(base.Denom(), n, nil))
	return v, bounded(v)
}

// bitsOf returns how many bits more a number has at least with each factor of its own.
func bitsOf(v *big.Rat) int64 { return int64(max(v.Num().BitLen(), v.Denom().BitLen()) - 1) }

// atom reads a number, or an expression in parentheses.
func (p *parser) atom() (*big.Rat, error) {
	if p.next("(") != 0 {
		v, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = errExpression
		}
		return v, err
	}
	n := 0 // next has left no blanks here
	for n < len(p.rest) && (p.rest[n] >= '0' && p.rest[n] <= '9' || p.rest[n] == '.') {
		n++
	}
	v, ok := new(big.Rat).SetString(p.rest[:n])
	if p.rest = p.rest[n:]; !ok {
		return nil, errExpression
	}
	return v, nil
}
