package llamacpp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	rules    int // that llama.cpp makes of it, at most
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
	item = gbnfItem{min: 1, max: 1, length: 1, rules: 1}
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
		for _, way := range item.group {
			for _, part := range way {
				item.rules += part.rules
			}
		}
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
	rules := of.rules * max(1, low, high)
	if rules > grammarRepetitions { // newer ones count repetitions within each other
		return out, false, fmt.Errorf("%d rules with all repetitions written out: at most %d are allowed", rules,
			grammarRepetitions)
	}
	length := of.length*max(low, 1) + (max(high-low, 1))*(of.length+3) // as llama.cpp writes it out
	if err := g.count(length); err != nil {
		return out, false, err
	}
	return gbnfItem{group: [][]gbnfItem{{of}}, length: max(1, of.length*low+min(1, high-low+1)), rules: rules, min: low,
		max: high}, true, nil
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
	digits, known := map[byte]int{'x': 2, 'u': 4, 'U': 8, 't': 0, 'r': 0, 'n': 0, '\\': 0, '"': 0, '[': 0,
		']': 0}[here[1]]
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
