package schema

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/inference/serve/limits"
)

// Regex returns the grammar of the texts that a regular expression (ECMA 262) matches from their beginning to their
// end.
func Regex(pattern string) (string, error) {
	tree, err := parsePattern(pattern)
	if err != nil {
		return "", err
	}
	w := patternWriter{}
	body, err := w.search(tree)
	return "root ::= " + body + "\n", err
}

// pattern is an expression for the JSON strings in which a regular expression matches somewhere, as JSON schema has it.
func (c *compiler) pattern(n *node, at string) (string, error) {
	pattern, ok := n.string()
	if !ok {
		return "", fmt.Errorf("%s: must be a text", at)
	}
	tree, err := parsePattern(pattern)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	w := patternWriter{around: "char*", json: true}
	body, err := w.search(tree)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	if strings.Contains(body, w.around) {
		c.part("char")
	}
	return `"\"" ` + body + ` "\""`, nil
}

// parsePattern parses a regular expression.
func parsePattern(pattern string) (*syntax.Regexp, error) {
	if err := limits.Patterns.Check(len(pattern), ""); err != nil {
		return nil, err
	}
	text, err := goSyntax(pattern)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	wrong := new(syntax.Error)
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: %q", wrong.Code, wrong.Expr)
	}
	return tree, err
}

// patternWriter writes regular expressions as expressions of a grammar.
type patternWriter struct {
	around string // stands on the sides on which a match need not reach the end; "" if it always reaches it
	json   bool   // the characters are those of a JSON string
	bytes  int    // of the literals and classes so far
}

// search is an expression for the texts in which a regular expression matches.
func (w *patternWriter) search(tree *syntax.Regexp) (string, error) {
	parts := []*syntax.Regexp{tree}
	switch tree.Op {
	case syntax.OpCapture:
		return w.search(tree.Sub[0])
	case syntax.OpAlternate:
		return w.alternatives(tree.Sub, w.search)
	case syntax.OpConcat:
		parts = tree.Sub
	}
	before, after := w.around, w.around
	if len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		parts, before = parts[1:], ""
	}
	if last := len(parts) - 1; last >= 0 && parts[last].Op == syntax.OpEndText {
		parts, after = parts[:last], ""
	}
	all := []string{before}
	for _, part := range parts {
		one, err := w.expression(part)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return sequence(append(all, after)), nil
}

// sequence joins expressions of which those of nothing are left out.
func sequence(all []string) string {
	var some []string
	for _, one := range all {
		if one != "" && one != nothing {
			some = append(some, one)
		}
	}
	if len(some) == 0 {
		return nothing
	}
	return strings.Join(some, " ")
}

// nothing is an expression for the empty text.
const nothing = `""`

func (w *patternWriter) alternatives(trees []*syntax.Regexp, write func(*syntax.Regexp) (string, error)) (string,
	error) {
	all := make([]string, len(trees))
	for i, tree := range trees {
		var err error
		if all[i], err = write(tree); err != nil {
			return "", err
		}
	}
	return either(all), nil
}

// expression is an expression for the texts that a regular expression matches. It can be repeated as it stands.
func (w *patternWriter) expression(tree *syntax.Regexp) (string, error) {
	switch tree.Op {
	case syntax.OpEmptyMatch:
		return nothing, nil
	case syntax.OpLiteral:
		return w.spend(w.literal(string(tree.Rune)))
	case syntax.OpCharClass:
		return w.class(tree.Rune)
	case syntax.OpAnyChar:
		return w.class([]rune{0, unicode.MaxRune})
	case syntax.OpAnyCharNotNL:
		return w.class([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune})
	case syntax.OpCapture:
		return w.expression(tree.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		one, err := w.expression(tree.Sub[0])
		if err != nil || one == nothing {
			return one, err
		}
		return "(" + one + ")" + count(tree), nil
	case syntax.OpAlternate:
		return w.alternatives(tree.Sub, w.expression)
	case syntax.OpConcat:
		all := make([]string, len(tree.Sub))
		for i, part := range tree.Sub {
			var err error
			if all[i], err = w.expression(part); err != nil {
				return "", err
			}
		}
		return "(" + sequence(all) + ")", nil
	case syntax.OpNoMatch:
		return "", errors.New("no text matches it")
	case syntax.OpBeginText, syntax.OpEndText:
		return "", errors.New("^ and $ are supported only at the ends of the whole expression, or of one of its " +
			"alternatives")
	}
	return "", fmt.Errorf("%s is not supported", tree)
}

// count is how often a part is repeated.
func count(tree *syntax.Regexp) string {
	switch tree.Op {
	case syntax.OpStar:
		return "*"
	case syntax.OpPlus:
		return "+"
	case syntax.OpQuest:
		return "?"
	}
	return times(tree.Min, tree.Max)
}

// literal is an expression for exactly this text.
func (w *patternWriter) literal(text string) string {
	written := text
	if w.json {
		quoted := encode(text)
		written = quoted[1 : len(quoted)-1]
	}
	return literal(written)
}

// class is an expression for one character of these ranges, each of two characters.
func (w *patternWriter) class(ranges []rune) (string, error) {
	var plain, escaped strings.Builder
	allowed := []rune{'\t', '\n', '\r', '\r', ' ', '~', 0x80, 0xd7ff, 0xe000, unicode.MaxRune}
	if w.json {
		allowed = []rune{' ', '!', '#', '[', ']', '~', 0x80, 0xd7ff, 0xe000, unicode.MaxRune}
		for i, c := range `"\` + "\b\f\n\r\t" {
			if within(ranges, c) {
				escaped.WriteString(classRune(rune(`"\bfnrt`[i])))
			}
		}
	}
	for i := 0; i < len(ranges); i += 2 {
		for k := 0; k < len(allowed); k += 2 {
			low, high := max(ranges[i], allowed[k]), min(ranges[i+1], allowed[k+1])
			if low <= high {
				plain.WriteString(classRune(low))
			}
			if low < high {
				plain.WriteString("-" + classRune(high))
			}
		}
	}
	switch {
	case plain.Len() == 0 && escaped.Len() == 0:
		return "", errors.New("a class has no character that a reply can have")
	case escaped.Len() == 0:
		return w.spend("[" + plain.String() + "]")
	case plain.Len() == 0:
		return w.spend(`("\\" [` + escaped.String() + "])")
	}
	return w.spend("([" + plain.String() + `] | "\\" [` + escaped.String() + "])")
}

// spend counts the bytes of an expression without parts, so that an expression of many long ones ends early.
func (w *patternWriter) spend(expression string) (string, error) {
	w.bytes += len(expression)
	return expression, limits.Grammar.Check(w.bytes, "")
}

func within(ranges []rune, c rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= c && c <= ranges[i+1] {
			return true
		}
	}
	return false
}

// classRune writes a character in a class.
func classRune(c rune) string {
	switch {
	case c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		return string(c)
	case c < 0x80:
		return fmt.Sprintf(`\x%02x`, c)
	case c < 0x10000:
		return fmt.Sprintf(`\u%04x`, c)
	}
	return fmt.Sprintf(`\U%08x`, c)
}
