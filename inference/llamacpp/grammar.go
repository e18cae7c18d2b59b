package llamacpp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a grammar. Within them llama.cpp needs little memory, time and stack.
const (
	grammarBytes       = 64 << 10
	grammarNesting     = 64      // groups within groups
	grammarChain       = 1000    // rules that begin with rules
	grammarBeginnings  = 4096    // ways in which a rule can begin
	grammarRepetitions = 2000    // llama.cpp's own
	grammarSymbols     = 1 << 17 // with all repetitions written out
)

// CheckGrammar finds errors in a grammar (GBNF) before llama.cpp sees it, which would write to stderr, loop or overflow
// its stack. It refuses what llama.cpp refuses, and besides: rules that can be empty in several ways, rules that are
// defined twice, classes without characters, and tokens in angle brackets.
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
		return b, errors.New("it is left recursive, or begins with a rule that is: it comes back to itself before " +
			"any character")
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
