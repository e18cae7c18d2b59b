package llamacpp

import (
	"slices"
)

// class is a set of characters: those in one of the ranges, or those in none of them.
type class struct {
	not    bool
	ranges [][2]uint32
}

// symbol is a part of a rule: a character of a class, or another rule.
type symbol struct {
	class *class
	rule  int // if class is nil
}

// Kinds of the elements of a program. grammar.cpp has the same.
const (
	elementEnd      = iota // of a rule
	elementOr              // between two alternatives
	elementRule            // the index of its first element
	elementOptional        // the same, and the rule can be empty
	elementClass           // its offset among the numbers of the program
)

// program compiles grammars that CheckGrammar accepts to what grammar.cpp follows: the number of elements, the index of
// the root's first, and the elements, which are pairs of a kind and a value; then the classes, each of them whether it
// is negated, how many ranges it has, and their bounds. A rule comes before those that it can begin with.
type program struct {
	names map[string]int // of rules
	rules [][][]symbol   // alternatives, each a sequence

	empty []bool // known from beginnings on
	order []int  // rules, those first that others begin with
}

// compile returns the program of a grammar that was accepted.
func (p *grammarParser) compile() []int32 {
	c := program{names: map[string]int{}}
	for i, name := range p.names {
		c.names[name] = i
	}
	c.rules = make([][][]symbol, len(p.names))
	for i, name := range p.names {
		c.rules[i] = c.alternatives(p.rules[name].body)
	}
	c.empty = make([]bool, len(c.rules))
	seen := make([]bool, len(c.rules))
	for rule := range c.rules {
		c.beginnings(rule, seen)
	}
	slices.Reverse(c.order)
	return c.numbers()
}

func (c *program) alternatives(all [][]grammarItem) (rule [][]symbol) {
	for _, items := range all {
		var sequence []symbol
		for _, item := range items {
			sequence = append(sequence, c.symbols(item)...)
		}
		rule = append(rule, sequence)
	}
	return rule
}

// symbols returns what an item is in a rule. What repeats it is rules: of a or nothing, then of a and such a rule or
// nothing, and so on; without bound it is a rule of a and itself or nothing.
func (c *program) symbols(item grammarItem) (all []symbol) {
	switch {
	case item.rule != "":
		return []symbol{{rule: c.names[item.rule]}}
	case item.group == nil:
		for i := range item.classes {
			all = append(all, symbol{class: &item.classes[i]})
		}
		return all
	}
	one := c.add(c.alternatives(item.group))
	for range item.min {
		all = append(all, one)
	}
	switch {
	case item.max < 0:
		again := c.add(nil)
		c.rules[again.rule] = [][]symbol{{one, again}, nil}
		return append(all, again)
	case item.max > item.min:
		rest := c.add([][]symbol{{one}, nil})
		for range item.max - item.min - 1 {
			rest = c.add([][]symbol{{one, rest}, nil})
		}
		return append(all, rest)
	}
	return all
}

func (c *program) add(rule [][]symbol) symbol {
	c.rules = append(c.rules, rule)
	return symbol{rule: len(c.rules) - 1}
}

// beginnings finds out whether a rule can be empty, and appends it to the order after those that it can begin with. No
// rule begins with itself.
func (c *program) beginnings(rule int, seen []bool) {
	if seen[rule] {
		return
	}
	seen[rule] = true
	for _, sequence := range c.rules[rule] {
		empty := true
		for _, s := range sequence {
			if empty = s.class == nil; !empty {
				break
			}
			c.beginnings(s.rule, seen)
			if empty = c.empty[s.rule]; !empty {
				break
			}
		}
		c.empty[rule] = c.empty[rule] || empty
	}
	c.order = append(c.order, rule)
}

// numbers writes the program out.
func (c *program) numbers() []int32 {
	starts, n := make([]int32, len(c.rules)), int32(0)
	for _, rule := range c.order {
		starts[rule] = n
		for _, sequence := range c.rules[rule] {
			n += int32(len(sequence)) + 1
		}
	}
	elements, classes := []int32{n, starts[c.names["root"]]}, []int32(nil)
	for _, rule := range c.order {
		for i, sequence := range c.rules[rule] {
			if i > 0 {
				elements = append(elements, elementOr, 0)
			}
			for _, s := range sequence {
				switch {
				case s.class != nil:
					elements = append(elements, elementClass, 2+2*n+int32(len(classes)))
					classes = s.class.append(classes)
				case c.empty[s.rule]:
					elements = append(elements, elementOptional, starts[s.rule])
				default:
					elements = append(elements, elementRule, starts[s.rule])
				}
			}
		}
		elements = append(elements, elementEnd, 0)
	}
	return append(elements, classes...)
}

func (c *class) append(to []int32) []int32 {
	not := int32(0)
	if c.not {
		not = 1
	}
	to = append(to, not, int32(len(c.ranges)))
	for _, r := range c.ranges {
		to = append(to, int32(r[0]), int32(r[1]))
	}
	return to
}
