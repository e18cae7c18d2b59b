package llamacpp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grammarParser reads a grammar in GBNF, the notation of llama.cpp: rules "name ::= alternatives", whose items are
// literals, classes, names and groups, each with an optional repetition. It accepts a little less than llama.cpp, so
// that whatever it accepts can be handed on (see CheckGrammar).
type grammarParser struct {
	text    string
	at      int // offset of what comes next
	rules   map[string]*grammarRule
	names   []string // of rules, in their order
	depth   int      // open groups
	symbols int      // so far, with all repetitions written out
}

type grammarRule struct {
	body     [][]grammarItem // alternatives, each a sequence
	begins   *beginning      // it is nil until it is known
	visiting bool            // its beginning is being computed
}

// grammarItem is the name of a rule, a group, or a terminal, repeated min to max times.
type grammarItem struct {
	rule     string
	group    [][]grammarItem
	classes  []class // of a literal's characters, or of one
	length   int     // in symbols
	rules    int     // upper bound on the rules that llama.cpp makes of it
	min, max int     // max < 0: without bound
}

func (p *grammarParser) parse() error {
	for p.space(true); p.at < len(p.text); p.space(true) {
		name := p.name()
		if name == "" {
			return fmt.Errorf("expected the name of a rule at %q", p.rest())
		}
		if p.rules[name] != nil {
			return fmt.Errorf("rule %q is defined twice", name)
		}
		p.space(false)
		if !p.skip("::=") {
			return fmt.Errorf(`expected ::= after %q, not %q`, name, p.rest())
		}
		p.space(true)
		body, err := p.alternatives()
		if err != nil {
			return err
		}
		if p.at < len(p.text) && !p.skip("\r") && !p.skip("\n") {
			return fmt.Errorf("expected a symbol or the end of the line at %q", p.rest())
		}
		p.rules[name], p.names = &grammarRule{body: body}, append(p.names, name)
	}
	return nil
}

func (p *grammarParser) alternatives() (all [][]grammarItem, err error) {
	for {
		sequence, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, sequence)
		if err := p.count(len(sequence) + 1); err != nil {
			return nil, err
		}
		if !p.skip("|") {
			return all, nil
		}
		p.space(true)
	}
}

func (p *grammarParser) sequence() (items []grammarItem, err error) {
	for {
		item, found, err := p.item()
		if err != nil || !found {
			return items, err
		}
		p.space(p.depth > 0)
		if err := p.count(item.length); err != nil {
			return nil, err
		}
		for {
			repeated, found, err := p.repetition(item)
			if err != nil {
				return nil, err
			}
			if !found {
				break
			}
			item = repeated
			p.space(p.depth > 0)
		}
		items = append(items, item)
	}
}

// item reads a symbol without its repetitions.
func (p *grammarParser) item() (item grammarItem, found bool, err error) {
	item = grammarItem{min: 1, max: 1, length: 1, rules: 1}
	switch name := p.name(); {
	case name != "":
		item.rule = name
	case p.skip(`"`):
		item.classes, err = p.literal()
		item.length = len(item.classes)
	case p.skip("["):
		c := class{not: p.skip("^")}
		if c.ranges, err = p.ranges(); err == nil && len(c.ranges) == 0 {
			err = errors.New("a class without characters")
		}
		item.classes, item.length = []class{c}, len(c.ranges)
	case p.skip("."):
		item.classes = []class{{not: true}}
	case p.skip("("):
		item.group, err = p.group()
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

// group reads what stands between parentheses, where a line may end anywhere.
func (p *grammarParser) group() (all [][]grammarItem, err error) {
	if p.depth++; p.depth > grammarNesting {
		return nil, fmt.Errorf("more than %d nested groups", grammarNesting)
	}
	p.space(true)
	all, err = p.alternatives()
	if err == nil && !p.skip(")") {
		err = fmt.Errorf("expected ) at %q", p.rest())
	}
	p.depth--
	return all, err
}

// repetition reads the repetition of an item, if there is one. The repeated item is a group of its own.
func (p *grammarParser) repetition(of grammarItem) (out grammarItem, found bool, err error) {
	low, high := 0, -1
	switch {
	case p.skip("*"):
	case p.skip("+"):
		low = 1
	case p.skip("?"):
		high = 1
	case p.skip("{"):
		if low, high, err = p.bounds(); err != nil {
			return out, false, err
		}
	default:
		return out, false, nil
	}
	if of.length == 0 {
		return out, false, errors.New("a repetition of nothing")
	}
	rules := of.rules * max(1, low, high)
	if rules > grammarRepetitions { // newer versions of llama.cpp multiply nested repetitions
		return out, false, fmt.Errorf("%d rules with all repetitions written out: at most %d are allowed", rules,
			grammarRepetitions)
	}
	length := of.length*max(low, 1) + (max(high-low, 1))*(of.length+3) // as llama.cpp writes it out
	if err := p.count(length); err != nil {
		return out, false, err
	}
	return grammarItem{group: [][]grammarItem{{of}}, length: max(1, of.length*low+min(1, high-low+1)), rules: rules,
		min: low, max: high}, true, nil
}

func (p *grammarParser) bounds() (low, high int, err error) {
	p.space(p.depth > 0)
	if low, err = p.number(); err != nil {
		return 0, 0, err
	}
	high = low
	if p.space(p.depth > 0); p.skip(",") {
		if p.space(p.depth > 0); p.digit() {
			if high, err = p.number(); err != nil {
				return 0, 0, err
			}
		} else {
			high = -1
		}
		p.space(p.depth > 0)
	}
	switch {
	case !p.skip("}"):
		return 0, 0, fmt.Errorf("expected } at %q", p.rest())
	case high >= 0 && high < low:
		return 0, 0, fmt.Errorf("a repetition from %d to %d", low, high)
	case max(low, high) > grammarRepetitions:
		return 0, 0, fmt.Errorf("%d repetitions: at most %d are allowed", max(low, high), grammarRepetitions)
	}
	return low, high, nil
}

func (p *grammarParser) digit() bool {
	return p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'
}

func (p *grammarParser) number() (int, error) {
	from := p.at
	for p.digit() {
		p.at++
	}
	n, err := strconv.Atoi(p.text[from:p.at])
	if err != nil {
		return 0, fmt.Errorf("expected a number at %q", p.text[from:min(len(p.text), from+20)])
	}
	return n, nil
}

// literal reads the characters of a literal up to its end.
func (p *grammarParser) literal() (all []class, err error) {
	for !p.skip(`"`) {
		r, err := p.character('"')
		if err != nil {
			return nil, err
		}
		all = append(all, class{ranges: [][2]uint32{{r, r}}})
	}
	return all, nil
}

// ranges reads the characters and ranges of a class up to its end.
func (p *grammarParser) ranges() (all [][2]uint32, err error) {
	for !p.skip("]") {
		r, err := p.character(']')
		if err != nil {
			return nil, err
		}
		last := r
		if rest := p.rest(); len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.at++
			if last, err = p.character(']'); err != nil {
				return nil, err
			}
		}
		all = append(all, [2]uint32{r, last})
	}
	return all, nil
}

// character reads a character of a literal or class that ends with another.
func (p *grammarParser) character(end byte) (uint32, error) {
	if p.at == len(p.text) {
		return 0, fmt.Errorf("the grammar ends where %q is missing", end)
	}
	if p.text[p.at] == '\\' {
		return p.escape()
	}
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	return uint32(r), nil
}

// escape reads an escape sequence.
func (p *grammarParser) escape() (uint32, error) {
	here := p.rest()
	if len(here) < 2 {
		return 0, errors.New("the grammar ends in an escape")
	}
	if at := strings.IndexByte(`trn\"[]`, here[1]); at >= 0 {
		p.at += 2
		return uint32("\t\r\n\\\"[]"[at]), nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[here[1]]
	r, err := strconv.ParseUint(here[2:min(len(here), 2+digits)], 16, 32)
	if err != nil || len(here) < 2+digits {
		return 0, fmt.Errorf("unknown escape %q", here)
	}
	p.at += 2 + digits
	return uint32(r), nil
}

func (p *grammarParser) name() string {
	from := p.at
	for ; p.at < len(p.text); p.at++ {
		if c := p.text[p.at]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
	}
	return p.text[from:p.at]
}

// space skips blanks and comments, and line ends if they mean nothing here.
func (p *grammarParser) space(lines bool) {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || lines && (c == '\r' || c == '\n'):
		case c == '#':
			for p.at+1 < len(p.text) && p.text[p.at+1] != '\r' && p.text[p.at+1] != '\n' {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *grammarParser) skip(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// rest returns the beginning of what comes next, for error messages.
func (p *grammarParser) rest() string { return p.text[p.at:min(len(p.text), p.at+20)] }

// count adds to the number of symbols, which is bounded.
func (p *grammarParser) count(symbols int) error {
	if p.symbols += symbols; p.symbols > grammarSymbols {
		return fmt.Errorf("more than %d symbols with all repetitions written out", grammarSymbols)
	}
	return nil
}
