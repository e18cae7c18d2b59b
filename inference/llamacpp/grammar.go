package llamacpp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a grammar: what is within them costs llama.cpp little memory, little time and a shallow stack.
const (
	grammarBytes       = 64 << 10
	grammarNesting     = 64      // groups within groups
	grammarChain       = 1000    // rules that begin with rules
	grammarBeginnings  = 4096    // ways in which a rule can begin
	grammarRepetitions = 2000    // llama.cpp's own
	grammarSymbols     = 1 << 17 // with all repetitions written out
)

// CheckGrammar says what is wrong with a grammar (GBNF) before llama.cpp sees it, which writes to stderr, loops or overflows its
// stack where something is. It refuses what llama.cpp does, and besides: rules that can be empty in several ways, what is defined twice,
// classes without characters, and tokens in angle brackets.
func CheckGrammar(text string) error {
	switch {
	case len(text) > grammarBytes:
		return fmt.Errorf("a grammar of %d bytes: at most %d are allowed", len(text), grammarBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errors.New("a grammar that is no text in UTF-8")
	}
	g := &gbnf{text: text, rules: map[string]*gbnfRule{}}
	if err := g.parse(); err != nil {
		return fmt.Errorf("grammar, line %d: %w", 1+strings.Count(text[:g.at], "\n"), err)
	}
	if g.rules["root"] == nil {
		return errors.New(`grammar: it has no rule "root"`)
	}
	for _, look := range []func(*gbnfRule) error{g.defined, g.begin, g.repeats} {
		for _, name := range g.names {
			if err := look(g.rules[name]); err != nil {
				return fmt.Errorf("grammar, rule %q: %w", name, err)
			}
		}
	}
	return nil
}

// gbnf is a grammar that is being read.
type gbnf struct {
	text    string
	at      int
	rules   map[string]*gbnfRule
	names   []string // of rules, in order
	depth   int      // groups that are open
	symbols int
}

type gbnfRule struct {
	body   [][]gbnfItem
	begins *beginning // nil until it is known
	onWay  bool       // its beginning is being found
}

// gbnfItem is a rule's name, a group, or a terminal, so many times.
type gbnfItem struct {
	rule     string
	group    [][]gbnfItem
	length   int // symbols of a terminal
	min, max int // max < 0: without bound
}

func (g *gbnf) parse() error {
	for g.space(true); g.at < len(g.text); g.space(true) {
		name := g.name()
		if name == "" {
			return fmt.Errorf("expected the name of a rule at %q", g.rest())
		}
		if g.rules[name] != nil {
			return fmt.Errorf("rule %q is defined twice", name)
		}
		g.space(false)
		if !g.skip("::=") {
			return fmt.Errorf(`expected ::= behind %q, not %q`, name, g.rest())
		}
		g.space(true)
		body, err := g.alternatives()
		if err != nil {
			return err
		}
		if g.at < len(g.text) && !g.skip("\r") && !g.skip("\n") {
			return fmt.Errorf("expected a symbol or the end of the line at %q", g.rest())
		}
		g.rules[name], g.names = &gbnfRule{body: body}, append(g.names, name)
	}
	return nil
}

func (g *gbnf) alternatives() (all [][]gbnfItem, err error) {
	for {
		sequence, err := g.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, sequence)
		if err := g.count(len(sequence) + 1); err != nil {
			return nil, err
		}
		if !g.skip("|") {
			return all, nil
		}
		g.space(true)
	}
}

func (g *gbnf) sequence() (items []gbnfItem, err error) {
	for {
		item, found, err := g.item()
		if err != nil || !found {
			return items, err
		}
		g.space(g.depth > 0)
		if err := g.count(item.length); err != nil {
			return nil, err
		}
		for {
			repeated, found, err := g.repetition(item)
			if err != nil {
				return nil, err
			}
			if !found {
				break
			}
			item = repeated
			g.space(g.depth > 0)
		}
		items = append(items, item)
	}
}

// item reads a symbol without its repetitions.
func (g *gbnf) item() (item gbnfItem, found bool, err error) {
	item = gbnfItem{min: 1, max: 1, length: 1}
	switch name := g.name(); {
	case name != "":
		item.rule = name
	case g.skip(`"`):
		item.length, err = g.characters('"')
	case g.skip("["):
		g.skip("^")
		if item.length, err = g.characters(']'); err == nil && item.length == 0 {
			err = errors.New("a class without characters")
		}
	case g.skip("."):
	case g.skip("("):
		item.group, err = g.group()
	default:
		return item, false, nil
	}
	return item, true, err
}

// group reads what stands between parentheses. Within them a line may end anywhere.
func (g *gbnf) group() (all [][]gbnfItem, err error) {
	if g.depth++; g.depth > grammarNesting {
		return nil, fmt.Errorf("more than %d groups within each other", grammarNesting)
	}
	g.space(true)
	all, err = g.alternatives()
	if err == nil && !g.skip(")") {
		err = fmt.Errorf("expected ) at %q", g.rest())
	}
	g.depth--
	return all, err
}

// repetition reads what may stand behind an item. A repeated item is a group of its own.
func (g *gbnf) repetition(of gbnfItem) (out gbnfItem, found bool, err error) {
	low, high := 0, -1
	switch {
	case g.skip("*"):
	case g.skip("+"):
		low = 1
	case g.skip("?"):
		high = 1
	case g.skip("{"):
		if low, high, err = g.bounds(); err != nil {
			return out, false, err
		}
	default:
		return out, false, nil
	}
	if of.length == 0 {
		return out, false, errors.New("nothing is repeated")
	}
	length := of.length*max(low, 1) + (max(high-low, 1))*(of.length+3) // as llama.cpp writes it out
	if err := g.count(length); err != nil {
		return out, false, err
	}
	return gbnfItem{group: [][]gbnfItem{{of}}, length: max(1, of.length*low+min(1, high-low+1)), min: low, max: high}, true, nil
}

func (g *gbnf) bounds() (low, high int, err error) {
	g.space(g.depth > 0)
	if low, err = g.number(); err != nil {
		return 0, 0, err
	}
	high = low
	if g.space(g.depth > 0); g.skip(",") {
		if g.space(g.depth > 0); g.digit() {
			if high, err = g.number(); err != nil {
				return 0, 0, err
			}
		} else {
			high = -1
		}
		g.space(g.depth > 0)
	}
	switch {
	case !g.skip("}"):
		return 0, 0, fmt.Errorf("expected } at %q", g.rest())
	case high >= 0 && high < low:
		return 0, 0, fmt.Errorf("a repetition from %d to %d", low, high)
	case max(low, high) > grammarRepetitions:
		return 0, 0, fmt.Errorf("%d repetitions: at most %d are allowed", max(low, high), grammarRepetitions)
	}
	return low, high, nil
}

func (g *gbnf) digit() bool { return g.at < len(g.text) && '0' <= g.text[g.at] && g.text[g.at] <= '9' }

func (g *gbnf) number() (int, error) {
	from := g.at
	for g.digit() {
		g.at++
	}
	n, err := strconv.Atoi(g.text[from:g.at])
	if err != nil {
		return 0, fmt.Errorf("expected a number at %q", g.text[from:min(len(g.text), from+20)])
	}
	return n, nil
}

// characters reads those of a literal or a class up to its end, and counts them.
func (g *gbnf) characters(end byte) (n int, err error) {
	for g.at < len(g.text) {
		switch c := g.text[g.at]; {
		case c == end:
			g.at++
			return n, nil
		case c == '\\':
			if err := g.escape(); err != nil {
				return 0, err
			}
		default:
			_, size := utf8.DecodeRuneInString(g.text[g.at:])
			g.at += size
		}
		n++
	}
	return 0, fmt.Errorf("the end of the grammar where %q is missing", end)
}

// escape reads a backslash and what belongs to it.
func (g *gbnf) escape() error {
	const hex = "0123456789abcdefABCDEF"
	here := g.rest()
	if len(here) < 2 {
		return errors.New("the grammar ends in an escape")
	}
	digits, known := map[byte]int{'x': 2, 'u': 4, 'U': 8, 't': 0, 'r': 0, 'n': 0, '\\': 0, '"': 0, '[': 0, ']': 0}[here[1]]
	if !known || len(here) < 2+digits || strings.Trim(here[2:2+digits], hex) != "" {
		return fmt.Errorf("an escape that is unknown: %q", here)
	}
	g.at += 2 + digits
	return nil
}

func (g *gbnf) name() string {
	from := g.at
	for ; g.at < len(g.text); g.at++ {
		if c := g.text[g.at]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
	}
	return g.text[from:g.at]
}

// space skips blanks and comments, and ends of lines where they mean nothing.
func (g *gbnf) space(lines bool) {
	for ; g.at < len(g.text); g.at++ {
		switch c := g.text[g.at]; {
		case c == ' ' || c == '\t' || lines && (c == '\r' || c == '\n'):
		case c == '#':
			for g.at+1 < len(g.text) && g.text[g.at+1] != '\r' && g.text[g.at+1] != '\n' {
				g.at++
			}
		default:
			return
		}
	}
}

func (g *gbnf) skip(text string) bool {
	if !strings.HasPrefix(g.text[g.at:], text) {
		return false
	}
	g.at += len(text)
	return true
}

// rest is what comes next, for complaints.
func (g *gbnf) rest() string { return g.text[g.at:min(len(g.text), g.at+20)] }

func (g *gbnf) count(symbols int) error {
	if g.symbols += symbols; g.symbols > grammarSymbols {
		return fmt.Errorf("more than %d symbols with all repetitions written out", grammarSymbols)
	}
	return nil
}

// beginning counts the terminals that something can begin with, and the ways in which it can be empty.
type beginning struct{ terminals, empty int }

// begin finds how a rule can begin.
func (g *gbnf) begin(r *gbnfRule) error {
	_, err := g.ofRule(r, 0)
	return err
}

// ofRule is the beginning of a rule. One that comes back to itself before any terminal is left recursive.
func (g *gbnf) ofRule(r *gbnfRule, chain int) (b beginning, err error) {
	switch {
	case r.begins != nil:
		return *r.begins, nil
	case r.onWay:
		return b, errors.New("it is left recursive, or begins with a rule that is: it comes back to itself before any character")
	case chain > grammarChain:
		return b, fmt.Errorf("more than %d rules begin with each other", grammarChain)
	}
	r.onWay = true
	if b, err = g.ofAlternatives(r.body, chain+1); err == nil {
		r.begins = &b
	}
	return b, err
}

func (g *gbnf) ofAlternatives(all [][]gbnfItem, chain int) (sum beginning, err error) {
	for _, items := range all {
		b := beginning{empty: 1}
		for _, item := range items {
			if b.empty == 0 {
				break
			}
			next, err := g.ofItem(item, chain)
			if err != nil {
				return sum, err
			}
			b.terminals, b.empty = b.terminals+next.terminals, next.empty
		}
		sum.terminals, sum.empty = sum.terminals+b.terminals, sum.empty+b.empty
	}
	switch {
	case sum.empty > 1:
		return sum, errors.New("it can be empty in several ways")
	case sum.terminals > grammarBeginnings:
		return sum, fmt.Errorf("it can begin in more than %d ways", grammarBeginnings)
	}
	return sum, nil
}

func (g *gbnf) ofItem(item gbnfItem, chain int) (b beginning, err error) {
	switch {
	case item.rule != "":
		b, err = g.ofRule(g.rules[item.rule], chain)
	case item.group != nil:
		b, err = g.ofAlternatives(item.group, chain)
	default:
		b = beginning{terminals: min(item.length, 1), empty: 1 - min(item.length, 1)}
	}
	if err != nil || item.min == 1 && item.max == 1 {
		return b, err
	}
	if b.empty > 0 {
		return b, errors.New("it repeats what can be empty")
	}
	if item.max == 0 {
		b.terminals = 0
	}
	return beginning{b.terminals, 1 - min(item.min, 1)}, nil
}

// defined finds names without rules.
func (g *gbnf) defined(r *gbnfRule) error {
	return eachItem(r.body, func(item gbnfItem) error {
		if item.rule != "" && g.rules[item.rule] == nil {
			return fmt.Errorf("there is no rule %q", item.rule)
		}
		return nil
	})
}

// repeats looks at what no rule begins with; how all rules begin is known.
func (g *gbnf) repeats(r *gbnfRule) error {
	return eachItem(r.body, func(item gbnfItem) error {
		_, err := g.ofItem(item, 0)
		return err
	})
}

// eachItem visits items and those of their groups.
func eachItem(body [][]gbnfItem, visit func(gbnfItem) error) error {
	for _, item := range slices.Concat(body...) {
		if err := visit(item); err != nil {
			return err
		}
		if err := eachItem(item.group, visit); err != nil {
			return err
		}
	}
	return nil
}
