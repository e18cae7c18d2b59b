package symbolic

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// undecided is why a text is not looked into. It is thrown by what computes, and caught where two texts are compared.
type undecided string

// maxDepth bounds brackets in brackets, maxDigits a number.
const maxDepth, maxDigits = 40, 100

var (
	functions = []string{"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch",
		"arccot", "arcsec", "arccsc", "arcsin", "arccos", "arctan", "ln", "log", "exp", "Re", "Im"}
	symbols = []string{"pi", "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "theta", "vartheta",
		"lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "varphi",
		"chi", "psi", "omega", "eta", "zeta", "kappa", "xi", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi",
		"Omega", "ell", "hbar"}
	others = []string{"frac", "sqrt", "binom", "cdot", "times", "div", "begin", "end", "cup", "infty", "pm", "mp",
		"text", "mbox", "mathrm", "in"}
	// known are the commands that may be read off the front of letters: the published normalisation removes blanks, so
	// that \cot x is \cotx.
	known = slices.Concat(functions, symbols, others)
)

// parser reads an expression in LaTeX off the front of a text.
type parser struct {
	rest  string
	depth int
}

// parse is the expression that a text is.
func parse(text string) expression {
	p := &parser{rest: text}
	e := p.sum()
	if p.blank(); p.rest != "" {
		panic(undecided(fmt.Sprintf("%.20q", p.rest)))
	}
	return e
}

func (p *parser) blank() {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
}

// takes reports whether the text goes on with this, and goes on behind it.
func (p *parser) takes(text string) (ok bool) {
	p.blank()
	p.rest, ok = strings.CutPrefix(p.rest, text)
	return ok
}

// sees reports whether the next character is one of these.
func (p *parser) sees(characters string) bool {
	p.blank()
	return p.rest != "" && strings.ContainsRune(characters, rune(p.rest[0]))
}

// command is the name of the command that the text goes on with, without its backslash; "" for none.
func (p *parser) command() string {
	p.blank()
	if !strings.HasPrefix(p.rest, `\`) {
		return ""
	}
	letters := p.rest[1:]
	if end := strings.IndexFunc(letters, func(r rune) bool {
		return r > unicode.MaxASCII ||
			!unicode.IsLetter(r)
	}); end >= 0 {
		letters = letters[:end]
	}
	longest := ""
	for _, name := range known {
		if strings.HasPrefix(letters, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

func (p *parser) takesCommand(names ...string) (string, bool) {
	name := p.command()
	if name == "" || !slices.Contains(names, name) {
		return "", false
	}
	p.rest = p.rest[1+len(name):]
	return name, true
}

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

// product is factors with or without signs between them. Without one, nothing is read behind a slash, as in 1/2x, and
// no number.
func (p *parser) product() expression {
	e, divided := p.signed(), false
	for {
		_, times := p.takesCommand("cdot", "times")
		_, over := p.takesCommand("div")
		switch {
		case times || p.takes("*"):
			e, divided = e.times(p.signed()), false
		case over || p.takes("/"):
			e, divided = e.over(p.signed()), true
		case p.rest == "" || p.sees("+-)]},|"):
			return e
		case divided || p.sees(".0123456789"): // also x2 and 1 000
			panic(undecided("a factor without a sign"))
		default:
			e = e.times(p.factor())
		}
	}
}

// signed is a factor that may have a sign of its own, as behind a sign of multiplication.
func (p *parser) signed() expression {
	if p.takes("-") {
		return p.signed().negative()
	}
	return p.factor()
}

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

func factorial(e expression) expression {
	n, ok := e.integer()
	if !ok || n < 0 {
		panic(undecided("a factorial"))
	}
	return rational(new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n))))
}

func (p *parser) base() expression {
	p.blank()
	if p.rest == "" {
		panic(undecided("something is missing"))
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
	case r == '\\':
		return p.called()
	case unicode.IsLetter(r):
		p.rest = p.rest[size:]
		return p.variable(string(r))
	}
	panic(undecided(fmt.Sprintf("%.20q", p.rest)))
}

func (p *parser) must(text string) {
	if !p.takes(text) {
		panic(undecided("no " + text))
	}
}

// number is a decimal number, one in another base, or a mixed one: 1\frac{4}{5}.
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

// digits are the two arguments of a fraction if both are whole numbers.
func (p *parser) digits() (above, below *big.Rat, ok bool) {
	a, b := p.argument(), p.argument()
	above, okA := a.value()
	below, okB := b.value()
	return above, below, okA && okB && above.IsInt() && below.IsInt()
}

// argument is that of a command or of a power: braces, or one character.
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

// variable is a letter with what stands below it.
func (p *parser) variable(name string) expression {
	if p.takes("_") {
		name += "_" + p.subscript()
	}
	return atom(name)
}

func (p *parser) subscript() string {
	p.blank()
	end := 1
	if p.takes("{") {
		end = strings.IndexByte(p.rest, '}')
	} else {
		_, end = utf8.DecodeRuneInString(p.rest)
	}
	if end <= 0 {
		panic(undecided("nothing below"))
	}
	name := strings.Trim(p.rest[:end], " ")
	p.rest = strings.TrimPrefix(p.rest[end:], "}")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		panic(undecided("something below"))
	}
	return name
}

// called is what a command stands for.
func (p *parser) called() expression {
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

func (p *parser) binomial() expression {
	n, okN := p.argument().integer()
	k, okK := p.argument().integer()
	if !okN || !okK || n < 0 || k < 0 {
		panic(undecided("a binomial coefficient"))
	}
	return rational(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k))))
}

// function is one of an argument: in brackets, or a number, a letter or both.
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
	var of expression
	switch {
	case p.sees("({"):
		of = p.base()
	default:
		of = p.simple()
	}
	return atom(name + "(" + of.text() + ")").power(exponent)
}

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
