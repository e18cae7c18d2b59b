package grammar

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sentence returns a text that follows a grammar, for simulated replies. It reads GBNF as this package and its callers
// write it: without recursion, one rule a line. It takes the first of several alternatives. If most is set, whatever
// may be repeated is repeated as often as allowed, otherwise as rarely. Where nearly any character may stand, the text
// is taken from fill.
func Sentence(gbnf, fill string, most bool) (string, error) {
	w := walker{rules: make(map[string]string), fill: fill, most: most}
	for line := range strings.Lines(gbnf) {
		if name, body, ok := strings.Cut(line, "::="); ok {
			w.rules[strings.TrimSpace(name)] = strings.TrimSpace(body)
		}
	}
	text, err := w.rule("root", 0)
	return text, err
}

// deepest bounds how deep rules refer to each other; a grammar that goes deeper is taken for recursive.
const deepest = 200

// walker writes the sentence of one grammar.
type walker struct {
	rules map[string]string
	fill  string
	most  bool
}

// rule returns the text of a rule.
func (w walker) rule(name string, depth int) (string, error) {
	body, ok := w.rules[name]
	if !ok || depth > deepest {
		return "", fmt.Errorf("grammar: rule %q, depth %d: it is missing or recursive", name, depth)
	}
	text, _, err := w.sequence(body, depth)
	return text, err
}

// sequence returns the text of a body's first alternative and what follows the body: nothing, or the text behind its
// closing parenthesis. It reads the other alternatives only to skip them.
func (w walker) sequence(body string, depth int) (text, rest string, err error) {
	for first := true; ; {
		body = strings.TrimLeft(body, " \t")
		switch {
		case body == "":
			return text, "", nil
		case body[0] == ')':
			return text, body[1:], nil
		case body[0] == '|':
			first, body = false, body[1:]
			continue
		}
		var one string
		if one, body, err = w.element(body, depth); err != nil {
			return "", "", err
		}
		if first {
			text += one
		}
	}
}

// element returns the text of one literal, class, group or rule name with its repetitions, and what follows it.
func (w walker) element(body string, depth int) (text, rest string, err error) {
	free := false
	switch body[0] {
	case '"':
		text, rest, err = literalIn(body)
	case '[':
		text, rest, free = classIn(body)
	case '(':
		text, rest, err = w.sequence(body[1:], depth)
	default:
		end := strings.IndexAny(body+" ", " \t|)?*+{")
		if rest = body[end:]; end == 0 {
			return "", "", fmt.Errorf("grammar: %.20q cannot be read", body)
		}
		name := body[:end]
		free = strings.HasPrefix(w.rules[name], "[ ") || strings.HasPrefix(w.rules[name], "[^")
		text, err = w.rule(name, depth+1)
	}
	least, greatest, rest := times(rest)
	switch times := least; {
	case free && (greatest != 1 || least != 1):
		text = w.fillWithin(least, greatest)
	default:
		if w.most {
			times = max(least, min(greatest, 1000))
		}
		text = strings.Repeat(text, times)
	}
	return text, rest, err
}

// fillWithin returns as much of fill as the bounds allow; an upper bound of -1 is none.
func (w walker) fillWithin(least, most int) string {
	letters := []rune(w.fill)
	if !w.most {
		letters = nil
	}
	if most >= 0 && len(letters) > most {
		letters = letters[:most]
	}
	return string(letters) + strings.Repeat("a", max(0, least-len(letters)))
}

// times reads the repetition behind an element. Without an upper bound, most is -1.
func times(body string) (least, most int, rest string) {
	switch {
	case strings.HasPrefix(body, "?"):
		return 0, 1, body[1:]
	case strings.HasPrefix(body, "*"):
		return 0, -1, body[1:]
	case strings.HasPrefix(body, "+"):
		return 1, -1, body[1:]
	case !strings.HasPrefix(body, "{"):
		return 1, 1, body
	}
	numbers, rest, _ := strings.Cut(body[1:], "}")
	from, to, ranged := strings.Cut(numbers, ",")
	least, _ = strconv.Atoi(strings.TrimSpace(from))
	most, err := strconv.Atoi(strings.TrimSpace(to))
	switch {
	case !ranged:
		most = least
	case err != nil:
		most = -1
	}
	return least, most, rest
}

// literalIn reads the quoted text that body begins with.
func literalIn(body string) (text, rest string, err error) {
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(body[1:i]), body[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("grammar: %.20q has no end", body)
}

// classIn reads the character class that body begins with: its first character, and whether nearly any character fits.
func classIn(body string) (first, rest string, free bool) {
	end := 1
	for end < len(body) && body[end] != ']' {
		if body[end] == '\\' {
			end++
		}
		end++
	}
	letter, _ := utf8.DecodeRuneInString(body[1:])
	return string(letter), body[min(end+1, len(body)):], letter == '^' || letter == ' '
}
