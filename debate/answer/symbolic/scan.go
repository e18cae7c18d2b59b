package symbolic

import (
	"slices"
	"strings"
	"unicode"
)

var (
	functions = []string{"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch",
		"arccot", "arcsec", "arccsc", "arcsin", "arccos", "arctan", "ln", "log", "exp", "Re", "Im"}
	written = append(slices.Clone(functions), "sqrt")
	symbols = []string{"pi", "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "theta", "vartheta",
		"lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "varphi",
		"chi", "psi", "omega", "eta", "zeta", "kappa", "xi", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi",
		"Omega", "ell", "hbar"}
	others = []string{"frac", "sqrt", "binom", "cdot", "times", "div", "begin", "end", "cup", "infty", "pm", "mp",
		"text", "mbox", "mathrm", "in"}
	// known are the commands that may end before the letters do: the published normalisation removes spaces, so that
	// \cot x arrives as \cotx.
	known = slices.Concat(functions, symbols, others)
)

// parser reads an expression in LaTeX from the front of a text. The methods in this file consume single tokens; those
// in parse.go read expressions.
type parser struct {
	rest  string
	depth int
}

// blank skips white space.
func (p *parser) blank() {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
}

// takes consumes text if it comes next, and reports whether it did.
func (p *parser) takes(text string) (ok bool) {
	p.blank()
	p.rest, ok = strings.CutPrefix(p.rest, text)
	return ok
}

// sees reports whether the next character is one of these, and consumes nothing but white space.
func (p *parser) sees(characters string) bool {
	p.blank()
	return p.rest != "" && strings.ContainsRune(characters, rune(p.rest[0]))
}

// command returns the name of the command that comes next, without its backslash, or "". If several known names fit, it
// is the longest. It consumes nothing but white space.
func (p *parser) command() string {
	p.blank()
	if !strings.HasPrefix(p.rest, `\`) {
		return ""
	}
	letters := p.rest[1:]
	noLetter := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }
	if end := strings.IndexFunc(letters, noLetter); end >= 0 {
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

// seesPlainFunction reports whether a function or a root comes next as programs write it, such as sin(x), and gives it
// its backslash.
func (p *parser) seesPlainFunction() bool {
	for _, name := range written {
		if rest, ok := strings.CutPrefix(p.rest, name); ok && rest != "" && strings.ContainsRune("(^", rune(rest[0])) {
			p.rest = `\` + p.rest
			return true
		}
	}
	return false
}

// takesCommand consumes the next command if it is one of these, and returns its name.
func (p *parser) takesCommand(names ...string) (string, bool) {
	name := p.command()
	if name == "" || !slices.Contains(names, name) {
		return "", false
	}
	p.rest = p.rest[1+len(name):]
	return name, true
}

// must consumes text, and is undecided if something else comes next.
func (p *parser) must(text string) {
	if !p.takes(text) {
		panic(undecided("no " + text))
	}
}
