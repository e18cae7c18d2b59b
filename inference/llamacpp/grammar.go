package llamacpp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// GrammarBytes is how many bytes a grammar may have.
const GrammarBytes = 64 << 10

// Further bounds of a grammar. Within them it is parsed and compiled with little memory, time and stack.
const (
	grammarNesting     = 64      // nested groups
	grammarChain       = 256     // rules each of which begins with the next; llama.cpp's own
	grammarBeginnings  = 4096    // ways in which a rule can begin
	grammarRepetitions = 2000    // llama.cpp's own
	grammarSymbols     = 1 << 17 // with all repetitions written out
)

// CheckGrammar finds errors in a grammar (GBNF). It refuses what llama.cpp refuses, so that every server may be sent
// it. It also refuses rules that can be empty in several ways, rules that are defined twice, classes without
// characters, and tokens in angle brackets.
func CheckGrammar(text string) error {
	_, err := parseGrammar(text)
	return err
}

// parseGrammar returns a grammar that has been checked.
func parseGrammar(text string) (*grammarParser, error) {
	switch {
	case len(text) > GrammarBytes:
		return nil, fmt.Errorf("a grammar of %d bytes: at most %d are allowed", len(text), GrammarBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, errors.New("a grammar must be text in UTF-8 without zero bytes")
	}
	p := &grammarParser{text: text, rules: map[string]*grammarRule{}}
	if err := p.parse(); err != nil {
		return nil, fmt.Errorf("grammar, line %d: %w", 1+strings.Count(text[:p.at], "\n"), err)
	}
	if p.rules["root"] == nil {
		return nil, errors.New(`grammar: it has no rule "root"`)
	}
	for _, check := range []func(*grammarRule) error{p.checkDefined, p.checkBeginning, p.repeats} {
		for _, name := range p.names {
			if err := check(p.rules[name]); err != nil {
				return nil, fmt.Errorf("grammar, rule %q: %w", name, err)
			}
		}
	}
	return p, nil
}

// beginning counts the terminals that a rule or item can begin with, the ways in which it can be empty, and the rules
// of the longest chain of beginnings: llama.cpp makes rules of groups and repetitions too.
type beginning struct{ terminals, empty, chain int }

// checkBeginning refuses a rule that is left recursive, or that can begin in too many ways or be empty in several.
func (p *grammarParser) checkBeginning(r *grammarRule) error {
	_, err := p.beginningOfRule(r)
	return err
}

// beginningOfRule returns the beginning of a rule. A rule that comes back to itself before any terminal is left
// recursive: llama.cpp would follow it for ever.
func (p *grammarParser) beginningOfRule(r *grammarRule) (b beginning, err error) {
	switch {
	case r.begins != nil:
		return *r.begins, nil
	case r.visiting:
		return b, errors.New("it is left recursive, or begins with a rule that is: it comes back to itself before " +
			"any character")
	}
	r.visiting = true
	if b, err = p.beginningOfAlternatives(r.body); err == nil {
		r.begins = &b
	}
	return b, err
}

// beginningOfAlternatives returns the beginning of the rule that has these alternatives.
func (p *grammarParser) beginningOfAlternatives(all [][]grammarItem) (sum beginning, err error) {
	for _, items := range all {
		b := beginning{empty: 1}
		for _, item := range items {
			if b.empty == 0 {
				break
			}
			next, err := p.beginningOfItem(item)
			if err != nil {
				return sum, err
			}
			b = beginning{b.terminals + next.terminals, next.empty, max(b.chain, next.chain)}
		}
		sum = beginning{sum.terminals + b.terminals, sum.empty + b.empty, max(sum.chain, b.chain)}
	}
	sum.chain++
	switch {
	case sum.chain > grammarChain:
		return sum, fmt.Errorf("more than %d rules, groups and repetitions begin with one another", grammarChain)
	case sum.empty > 1:
		return sum, errors.New("it can be empty in several ways")
	case sum.terminals > grammarBeginnings:
		return sum, fmt.Errorf("it can begin in more than %d ways", grammarBeginnings)
	}
	return sum, nil
}

func (p *grammarParser) beginningOfItem(item grammarItem) (b beginning, err error) {
	switch {
	case item.rule != "":
		b, err = p.beginningOfRule(p.rules[item.rule])
	case item.group != nil:
		b, err = p.beginningOfAlternatives(item.group)
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
	return beginning{b.terminals, 1 - min(item.min, 1), b.chain + 1}, nil
}

// checkDefined refuses a rule that names one that does not exist.
func (p *grammarParser) checkDefined(r *grammarRule) error {
	return eachItem(r.body, func(item grammarItem) error {
		if item.rule != "" && p.rules[item.rule] == nil {
			return fmt.Errorf("there is no rule %q", item.rule)
		}
		return nil
	})
}

// repeats checks the items that no rule begins with. It comes after checkBeginning, when the beginnings of all rules
// are known.
func (p *grammarParser) repeats(r *grammarRule) error {
	return eachItem(r.body, func(item grammarItem) error {
		_, err := p.beginningOfItem(item)
		return err
	})
}

// eachItem visits the items of a body and those of their groups.
func eachItem(body [][]grammarItem, visit func(grammarItem) error) error {
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
