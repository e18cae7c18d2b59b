package symbolic

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// undecided is the reason why two texts cannot be compared. Whatever parses or computes panics with it; decided catches
// it.
type undecided string

// maxDepth bounds how deep brackets nest, maxDigits the length of a number.
const maxDepth, maxDigits = 40, 100

// parse reads a text as one expression. It panics with undecided if it cannot read all of it.
func parse(text string) expression {
	p := &parser{rest: text}
	e := p.sum()
	if p.blank(); p.rest != "" {
		panic(undecided(fmt.Sprintf("%.20q", p.rest)))
	}
	return e
}

// sum reads products with + and - between them. Everything that nests goes through it, so it bounds the depth.
func (p *parser) sum() expression {
	if p.depth++; p.depth > maxDepth {
		panic(undecided("too deep"))
	}
	defer func() { p.depth-- }()
	var e expression
	switch {
	case p.takes("-"):
		e = p.product().negative()
	case p.takes("+"):
		e = p.product()
	default:
		e = p.product()
	}
	for {
		switch {
		case p.takes("+"):
			e = e.plus(p.product())
		case p.takes("-"):
			e = e.plus(p.product().negative())
		default:
			return e
		}
	}
}

// product reads factors with or without signs between them. Where people read it in two ways it is undecided: 1/2x is
// (1/2)x or 1/(2x), and a number right behind a factor may be an index (x2) or a group of digits (1 000).
func (p *parser) product() expression {
	e, divided := p.signedFactor(), false
	for {
		_, times := p.takesCommand("cdot", "times")
		_, over := p.takesCommand("div")
		switch {
		case times || p.takes("*"):
			e, divided = e.times(p.signedFactor()), false
		case over || p.takes("/"):
			e, divided = e.over(p.signedFactor()), true
		case p.rest == "" || p.sees("+-)]},|"):
			return e
		case divided || p.sees(".0123456789"):
			panic(undecided("a factor without a sign"))
		default:
			e = e.times(p.factor())
		}
	}
}

// signedFactor reads a factor that may begin with minus signs, as in 2\cdot-3.
func (p *parser) signedFactor() expression {
	if p.takes("-") {
		return p.signedFactor().negative()
	}
	return p.factor()
}

// factor reads a base with its powers and factorials.
func (p *parser) factor() expression {
	e := p.base()
	for {
		switch {
		case p.takes("^"):
			e = e.power(p.argument())
		case p.takes("!"):
			e = factorial(e)
		default:
			return e
		}
	}
}

// factorial returns the factorial of a small whole number; it panics with undecided for all else.
func factorial(e expression) expression {
	n, ok := e.integer()
	if !ok || n < 0 {
		panic(undecided("a factorial"))
	}
	return rational(new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n))))
}

// base reads brackets with a sum between them, a number, a command or a variable.
func (p *parser) base() expression {
	p.blank()
	if p.rest == "" {
		panic(undecided("a missing operand"))
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if p.takes(pair[:1]) {
			e := p.sum()
			p.must(pair[1:])
			return e
		}
	}
	switch r, size := utf8.DecodeRuneInString(p.rest); {
	case r == '.' || '0' <= r && r <= '9':
		return p.number()
	case r == '\\', p.seesPlainFunction():
		return p.readCommand()
	case unicode.IsLetter(r):
		p.rest = p.rest[size:]
		return p.variable(string(r))
	}
	panic(undecided(fmt.Sprintf("%.20q", p.rest)))
}

// number reads a decimal number, a number in another base (52_8, an atom), or a mixed number (1\frac{4}{5}).
func (p *parser) number() expression {
	digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789."))]
	p.rest = p.rest[len(digits):]
	value, ok := new(big.Rat).SetString(digits)
	if !ok || len(digits) > maxDigits {
		panic(undecided("a number"))
	}
	if p.takes("_") {
		return atom(digits + "_" + p.subscript())
	}
	e := rational(value)
	if behind := *p; value.IsInt() {
		if _, ok := behind.takesCommand("frac"); ok {
			if above, below, ok := behind.digits(); ok && value.Sign() > 0 && above.Sign() > 0 && below.Sign() > 0 {
				p.rest = behind.rest
				return e.plus(rational(new(big.Rat).Quo(above, below)))
			}
		}
	}
	return e
}

// digits reads the two arguments of \frac and reports whether both are whole numbers.
func (p *parser) digits() (above, below *big.Rat, ok bool) {
	a, b := p.argument(), p.argument()
	above, okA := a.value()
	below, okB := b.value()
	return above, below, okA && okB && above.IsInt() && below.IsInt()
}

// argument reads what a command or a power applies to: braces, one digit, or a base.
func (p *parser) argument() expression {
	p.blank()
	if p.takes("{") {
		e := p.sum()
		p.must("}")
		return e
	}
	if r, size := utf8.DecodeRuneInString(p.rest); '0' <= r && r <= '9' {
		p.rest = p.rest[size:]
		return number(int64(r - '0'))
	}
	return p.base()
}

// variable returns the atom of a letter with its index, if there is one.
func (p *parser) variable(name string) expression {
	if p.takes("_") {
		name += "_" + p.subscript()
	}
	return atom(name)
}

// subscript reads an index of letters and digits, in braces or a single one.
func (p *parser) subscript() string {
	p.blank()
	end := 1
	if p.takes("{") {
		end = strings.IndexByte(p.rest, '}')
	} else {
		_, end = utf8.DecodeRuneInString(p.rest)
	}
	if end <= 0 {
		panic(undecided("an empty index"))
	}
	name := strings.Trim(p.rest[:end], " ")
	p.rest = strings.TrimPrefix(p.rest[end:], "}")
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if name == "" || strings.ContainsFunc(name, mark) {
		panic(undecided("an index that is no name"))
	}
	return name
}

// readCommand reads a command and its arguments.
func (p *parser) readCommand() expression {
	name := p.command()
	if name == "" {
		panic(undecided(fmt.Sprintf("%.20q", p.rest)))
	}
	p.rest = p.rest[1+len(name):]
	switch {
	case name == "frac":
		above := p.argument()
		return above.over(p.argument())
	case name == "sqrt":
		return p.root()
	case name == "binom":
		return p.binomial()
	case slices.Contains(symbols, name):
		return p.variable(`\` + name)
	case slices.Contains(functions, name):
		return p.function(name)
	}
	panic(undecided(`\` + name))
}

// root reads the arguments of \sqrt. Roots other than square roots are atoms.
func (p *parser) root() expression {
	degree := number(2)
	if p.takes("[") {
		degree = p.sum()
		p.must("]")
	}
	e := p.argument()
	if degree.equals(number(2)) {
		return e.root()
	}
	return atom("root " + degree.text() + " of " + e.text())
}

// binomial reads the arguments of \binom, which must be whole numbers.
func (p *parser) binomial() expression {
	n, okN := p.argument().integer()
	k, okK := p.argument().integer()
	if !okN || !okK || n < 0 || k < 0 {
		panic(undecided("a binomial coefficient"))
	}
	return rational(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k))))
}

// function reads a function's index, exponent and argument: brackets, or a number, a letter or both. The result is an
// atom. An exponent of -1 is undecided, since \sin^{-1} is the inverse function and not a reciprocal.
func (p *parser) function(name string) expression {
	exponent := number(1)
	if p.takes("_") {
		name += "_" + p.subscript()
	}
	if p.takes("^") {
		if exponent = p.argument(); exponent.equals(number(-1)) {
			panic(undecided("an inverse function"))
		}
	}
	read := p.simple
	if p.sees("({") {
		read = p.base
	}
	argument := read()
	return atom(name + "(" + argument.text() + ")").power(exponent)
}

// simple reads an argument without brackets: x, 2, 2x, \frac{x}{2}, \pi.
func (p *parser) simple() expression {
	p.blank()
	if p.rest != "" && (p.rest[0] == '.' || '0' <= p.rest[0] && p.rest[0] <= '9') {
		n := p.number()
		if p.blank(); p.rest == "" || !unicode.IsLetter(rune(p.rest[0])) && p.command() != "pi" &&
			p.command() != "theta" {
			return n
		}
		return n.times(p.base())
	}
	if p.command() == "frac" || p.command() == "sqrt" || slices.Contains(symbols, p.command()) || p.command() == "" {
		return p.base()
	}
	panic(undecided("the argument of a function"))
}
