package symbolic

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// An expression is a fraction of two polynomials with rational coefficients in atoms. Atoms are variables, π, i, the
// square roots of primes, and terms that are not analysed, such as sin x; an atom's name is canonical, so that equal
// names are equal values.
//
// Two expressions are equal if the cross products of their fractions are equal polynomials; no common factor has to be
// found. That never equates different values: multiply applies the only rules that atoms have (i² = -1, √p² = p), and
// every other atom is treated as independent of the rest, which can only miss equalities. Products of different roots
// of primes and i are linearly independent over the rationals, so that numbers made of them have one form, and below is
// not zero unless its polynomial is empty, which over refuses.
type expression struct{ above, below polynomial }

// polynomial maps each monomial, by its text, to its coefficient, which is not zero; the empty map is 0. Polynomials
// share coefficients and are never changed once they are complete.
type polynomial map[string]*big.Rat

// Bounds on what is computed; beyond them the result is undecided.
const (
	maxTerms    = 400
	maxExponent = 64
	maxBits     = 2048
	maxRadicand = 10_000_000_000
)

// powers is a monomial: atoms with their exponents, which are positive. Its text is its key in a polynomial; atoms are
// sorted in it, so that equal monomials have equal texts.
type powers map[string]int

// text returns the monomial's key. The separators are control characters, which no atom contains.
func (p powers) text() string {
	var parts []string
	for _, atom := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, atom+"\x01"+strconv.Itoa(p[atom]))
	}
	return strings.Join(parts, "\x00")
}

// powersOf is the inverse of text.
func powersOf(text string) powers {
	p := powers{}
	for part := range strings.SplitSeq(text, "\x00") {
		if atom, exponent, ok := strings.Cut(part, "\x01"); ok {
			p[atom], _ = strconv.Atoi(exponent)
		}
	}
	return p
}

// constant returns a polynomial of degree 0. Zero has no terms, so that it equals an empty sum.
func constant(r *big.Rat) polynomial {
	if r.Sign() == 0 {
		return polynomial{}
	}
	return polynomial{"": r}
}

func number(n int64) expression { return rational(big.NewRat(n, 1)) }

func rational(r *big.Rat) expression { return expression{constant(r), constant(big.NewRat(1, 1))} }

// atom returns a variable, a root of a prime, or another name of which nothing but its powers is known.
func atom(name string) expression {
	return expression{polynomial{powers{name: 1}.text(): big.NewRat(1, 1)}, constant(big.NewRat(1, 1))}
}

// plus returns the sum and leaves both summands as they are.
func (p polynomial) plus(q polynomial) polynomial {
	sum := maps.Clone(p)
	for monomial, c := range q {
		sum.add(monomial, c)
	}
	return sum
}

// add changes p, which must not be in use yet.
func (p polynomial) add(monomial string, c *big.Rat) {
	if old, ok := p[monomial]; ok {
		c = new(big.Rat).Add(old, c)
	}
	if p[monomial] = c; c.Sign() == 0 {
		delete(p, monomial)
	}
}

// times returns the product. It panics with undecided before a product has more than maxTerms terms or maxBits bits.
func (p polynomial) times(q polynomial) polynomial {
	if len(p)*len(q) > maxTerms {
		panic(undecided("too many terms"))
	}
	product := polynomial{}
	for a, x := range p {
		for b, y := range q {
			m, c := multiply(powersOf(a), powersOf(b), new(big.Rat).Mul(x, y))
			if c.Num().BitLen() > maxBits || c.Denom().BitLen() > maxBits {
				panic(undecided("numbers too large"))
			}
			product.add(m.text(), c)
		}
	}
	return product
}

// multiply returns the product of two monomials with coefficient c. It changes a. Squares of i and of roots of primes
// become part of the coefficient, so that each has one form.
func multiply(a, b powers, c *big.Rat) (powers, *big.Rat) {
	for name, exponent := range b {
		a[name] += exponent
		square := int64(0)
		if name == "i" {
			square = -1
		} else if radicand, ok := strings.CutPrefix(name, root); ok {
			square, _ = strconv.ParseInt(radicand, 10, 64)
		}
		for square != 0 && a[name] >= 2 {
			a[name] -= 2
			c = new(big.Rat).Mul(c, big.NewRat(square, 1))
		}
		if a[name] > maxExponent {
			panic(undecided("an exponent too large"))
		}
		if a[name] == 0 {
			delete(a, name)
		}
	}
	return a, c
}

// root is the prefix of the names of the roots of primes.
const root = "√"

// plus returns the sum over the product of the denominators. Fractions are not reduced: equals does not need it.
func (e expression) plus(f expression) expression {
	return expression{e.above.times(f.below).plus(f.above.times(e.below)), e.below.times(f.below)}
}

// times returns the product of numerators over that of denominators.
func (e expression) times(f expression) expression {
	return expression{e.above.times(f.above), e.below.times(f.below)}
}

func (e expression) negative() expression { return number(-1).times(e) }

// over returns the quotient. It panics with undecided if f is zero.
func (e expression) over(f expression) expression {
	if len(f.above) == 0 {
		panic(undecided("a division by zero"))
	}
	return e.times(expression{f.below, f.above})
}

// equals reports whether the difference has no terms left, which holds exactly if numerators cross-multiply to the
// same.
func (e expression) equals(f expression) bool {
	return len(e.plus(f.negative()).above) == 0
}

// value returns the rational number that an expression is, if its denominator is one and its numerator too.
func (e expression) value() (*big.Rat, bool) {
	below, ok := e.below[""]
	if !ok || len(e.below) > 1 || len(e.above) > 1 {
		return nil, false
	}
	if len(e.above) == 0 {
		return new(big.Rat), true
	}
	above, ok := e.above[""]
	if !ok {
		return nil, false
	}
	return new(big.Rat).Quo(above, below), true
}

// integer returns the whole number that an expression is, if it is at most maxExponent from zero.
func (e expression) integer() (int, bool) {
	v, ok := e.value()
	if !ok || !v.IsInt() || !v.Num().IsInt64() || v.Num().Int64() > maxExponent || v.Num().Int64() < -maxExponent {
		return 0, false
	}
	return int(v.Num().Int64()), true
}

// text names an expression, as part of an atom's name. Equal texts are equal values. Expressions with a numeric
// denominator have one text for all their spellings; others may have several.
func (e expression) text() string {
	if c, ok := e.below[""]; ok && len(e.below) == 1 {
		e = expression{e.above.times(constant(new(big.Rat).Inv(c))), constant(big.NewRat(1, 1))}
	}
	return e.above.text() + "÷" + e.below.text()
}

func (p polynomial) text() string {
	var b strings.Builder
	for _, monomial := range slices.Sorted(maps.Keys(p)) {
		b.WriteString("(" + p[monomial].RatString() + "|" + monomial + ")")
	}
	return strings.NewReplacer("\x00", "·", "\x01", "^").Replace(b.String())
}

// power raises an expression to a small whole number or to one half. With any other exponent the result is an atom.
func (e expression) power(f expression) expression {
	n, ok := f.integer()
	if !ok {
		if half, is := f.times(number(2)).integer(); is && half == 1 {
			return e.root()
		}
		return atom("(" + e.text() + ")^(" + f.text() + ")")
	}
	if n < 0 {
		return number(1).over(e).power(number(int64(-n)))
	}
	if n == 0 && len(e.above) == 0 {
		panic(undecided("0^0"))
	}
	product := number(1)
	for range n {
		product = product.times(e)
	}
	return product
}

// root returns the square root. For a rational number that is a rational number times roots of different primes, and
// times i if the number is negative; for anything else it is an atom, since √(x²) need not be x.
func (e expression) root() expression {
	v, ok := e.value()
	if !ok {
		return atom("sqrt(" + e.text() + ")")
	}
	// √(a/b) = √(ab)/b
	radicand := new(big.Int).Mul(v.Num(), v.Denom())
	result := rational(new(big.Rat).SetFrac(big.NewInt(1), v.Denom()))
	if radicand.Sign() < 0 {
		result, radicand = result.times(atom("i")), radicand.Neg(radicand)
	}
	if !radicand.IsInt64() || radicand.Int64() > maxRadicand {
		if whole := new(big.Int).Sqrt(radicand); new(big.Int).Mul(whole, whole).Cmp(radicand) == 0 {
			return result.times(rational(new(big.Rat).SetInt(whole)))
		}
		panic(undecided("a radicand too large"))
	}
	n := radicand.Int64()
	if n == 0 {
		return number(0)
	}
	for prime := int64(2); prime*prime <= n; prime++ {
		for ; n%(prime*prime) == 0; n /= prime * prime {
			result = result.times(number(prime))
		}
		if n%prime == 0 {
			result, n = result.times(atom(root+strconv.FormatInt(prime, 10))), n/prime
		}
	}
	if n > 1 {
		result = result.times(atom(root + strconv.FormatInt(n, 10)))
	}
	return result
}
