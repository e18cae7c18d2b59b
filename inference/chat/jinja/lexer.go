package jinja

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a piece of a template's source.
type token struct {
	kind tokenKind
	text string // of a string what it says, else as it stands in the source
	line int    // from 1
}

type tokenKind int

const (
	end         tokenKind = iota // of the template
	data                         // text outside of tags
	outputBegin                  // {{
	outputEnd                    // }}
	blockBegin                   // {%
	blockEnd                     // %}
	name
	stringToken
	integerToken
	floatToken
	operator
)

// lexer cuts a source into tokens, with the white space around tags as transformers sets Jinja up: the first line end
// behind a block is dropped (trim_blocks), and so are blanks before a block that begins its line (lstrip_blocks).
type lexer struct {
	source string
	at     int
	line   int
	starts bool // what was read last ends a line, or nothing was read yet
	tokens []token
}

// lex cuts a source into tokens. The last line end of a source is no part of it.
func lex(source string) ([]token, error) {
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	l := &lexer{source: strings.TrimSuffix(source, "\n"), line: 1, starts: true}
	for l.at < len(l.source) {
		if err := l.text(); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.line, err)
		}
	}
	return append(l.tokens, token{end, "", l.line}), nil
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

// skip moves on by n bytes.
func (l *lexer) skip(n int) {
	l.line += strings.Count(l.source[l.at:l.at+n], "\n")
	l.at += n
	l.starts = n > 0 && l.source[l.at-1] == '\n'
}

// text reads up to the next tag, and the tag.
func (l *lexer) text() error {
	rest := l.source[l.at:]
	from := strings.IndexByte(rest, '{')
	for from >= 0 && (from+1 == len(rest) || !strings.ContainsRune("{%#", rune(rest[from+1]))) {
		next := strings.IndexByte(rest[from+1:], '{')
		if next < 0 {
			from = -1
			break
		}
		from += 1 + next
	}
	if from < 0 {
		l.add(data, rest)
		l.skip(len(rest))
		return nil
	}
	sign := ""
	if from+2 < len(rest) && (rest[from+2] == '-' || rest[from+2] == '+') {
		sign = rest[from+2 : from+3]
	}
	text := before(rest[:from], sign, rest[from+1] != '{', l.starts)
	if text != "" {
		l.add(data, text)
	}
	opening := rest[from : from+2]
	l.skip(from + 2 + len(sign))
	switch opening {
	case "{#":
		return l.comment()
	case "{%":
		if n := rawTag(l.source[l.at:]); n > 0 {
			l.skip(n)
			return l.raw()
		}
		l.add(blockBegin, opening)
		return l.tag("%}", blockEnd)
	}
	l.add(outputBegin, opening)
	return l.tag("}}", outputEnd)
}

// before returns the text before a tag without the white space that the tag drops; starts tells that the text begins a
// line.
func before(text, sign string, block, starts bool) string {
	switch {
	case sign == "-":
		return strings.TrimRightFunc(text, IsSpace)
	case sign == "+" || !block:
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || starts) && strings.TrimFunc(text[line:], IsSpace) == "" {
		return text[:line]
	}
	return text
}

// after drops what a tag drops behind itself: all white space, or the end of the line.
func (l *lexer) after(all, newline bool) {
	rest := l.source[l.at:]
	switch {
	case all:
		l.skip(len(rest) - len(strings.TrimLeftFunc(rest, IsSpace)))
	case newline && strings.HasPrefix(rest, "\n"):
		l.skip(1)
	default:
		l.starts = false
	}
}

func (l *lexer) comment() error {
	n := strings.Index(l.source[l.at:], "#}")
	if n < 0 {
		return fmt.Errorf("a comment does not end")
	}
	sign := byte(0)
	if n > 0 {
		sign = l.source[l.at+n-1]
	}
	l.skip(n + 2)
	l.after(sign == '-', sign != '+')
	return nil
}

var (
	rawEnd   = regexp.MustCompile(`\{%([-+]?)\s*endraw\s*([-+]?)%\}`)
	floating = regexp.MustCompile(
		`^[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE][-+]?[0-9](?:_?[0-9])*)?`)
	prefixed = regexp.MustCompile(`^0(?:[bB](?:_?[01])+|[oO](?:_?[0-7])+|[xX](?:_?[0-9a-fA-F])+)`)
)

// rawTag returns the length of what follows {% in the tag of a raw section, 0 if the tag is another one.
func rawTag(rest string) int {
	trimmed := strings.TrimLeftFunc(rest, IsSpace)
	after, ok := strings.CutPrefix(trimmed, "raw")
	if !ok {
		return 0
	}
	after = strings.TrimLeftFunc(after, IsSpace)
	all, ok := strings.CutPrefix(after, "-%}")
	if ok {
		all = strings.TrimLeftFunc(all, IsSpace)
	} else if all, ok = strings.CutPrefix(after, "%}"); !ok {
		return 0
	}
	return len(rest) - len(all)
}

// word returns the name that a text begins with, "" if it begins with something else.
func word(rest string) string {
	for i, r := range rest {
		letter := r == '_' || unicode.IsLetter(r)
		if !letter && (i == 0 || !unicode.In(r, unicode.N, unicode.M)) {
			return rest[:i]
		}
	}
	return rest
}

func (l *lexer) raw() error {
	m := rawEnd.FindStringSubmatchIndex(l.source[l.at:])
	if m == nil {
		return fmt.Errorf("raw does not end")
	}
	rest := l.source[l.at:]
	if text := before(rest[:m[0]], rest[m[2]:m[3]], true, l.starts); text != "" {
		l.add(data, text)
	}
	sign := rest[m[4]:m[5]]
	l.skip(m[1])
	l.after(sign == "-", sign != "+")
	return nil
}

// longestNumber bounds a number in a template, which the patterns read.
const longestNumber = 100

// operators are those of expressions, the longer before their beginnings.
var operators = []string{"**", "//", "==", "!=", ">=", "<=", "+", "-", "*", "/", "%", "~", "<", ">", "=", "|", ".", ",",
	":", "(", ")", "[", "]", "{", "}"}

// tag reads the tokens of a tag up to its end, which is only looked for outside of brackets.
func (l *lexer) tag(closing string, kind tokenKind) error {
	var open []byte
	for l.at < len(l.source) {
		rest := l.source[l.at:]
		if n := len(rest) - len(strings.TrimLeftFunc(rest, IsSpace)); n > 0 {
			l.skip(n)
			continue
		}
		if len(open) == 0 {
			sign, n := rest[0], len(closing)
			if sign == '-' || sign == '+' && kind == blockEnd {
				n++
			}
			if strings.HasPrefix(rest[n-len(closing):], closing) {
				l.add(kind, closing)
				l.skip(n)
				l.after(sign == '-', kind == blockEnd && sign != '+')
				return nil
			}
		}
		if err := l.operand(rest, &open); err != nil {
			return err
		}
	}
	return fmt.Errorf("a tag does not end")
}

// operand reads one token of an expression; open are the brackets that are not closed yet.
func (l *lexer) operand(rest string, open *[]byte) error {
	if m := word(rest); m != "" {
		l.add(name, m)
		l.skip(len(m))
		return nil
	}
	if rest[0] == '\'' || rest[0] == '"' {
		return l.readString(rest)
	}
	number := rest[:min(len(rest), longestNumber)]
	if m := prefixed.FindString(number); m != "" {
		l.add(integerToken, m)
		l.skip(len(m))
		return nil
	}
	if m := floating.FindString(number); m != "" {
		kind := integerToken
		if strings.ContainsAny(m, ".eE") {
			kind = floatToken
		}
		l.add(kind, m)
		l.skip(len(m))
		return nil
	}
	for _, o := range operators {
		if !strings.HasPrefix(rest, o) {
			continue
		}
		if err := balance(o, open); err != nil {
			return err
		}
		l.add(operator, o)
		l.skip(len(o))
		return nil
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return fmt.Errorf("%q is no part of an expression", r)
}

// balance keeps account of brackets.
func balance(o string, open *[]byte) error {
	switch at := strings.Index("([{", o); {
	case at >= 0:
		if *open = append(*open, ")]}"[at]); len(*open) > deepestSource {
			refuse("brackets over %d deep", deepestSource)
		}
	case strings.Contains(")]}", o):
		last := len(*open) - 1
		if last < 0 || (*open)[last] != o[0] {
			return fmt.Errorf("%q closes no bracket", o)
		}
		*open = (*open)[:last]
	}
	return nil
}

// readString reads a string.
func (l *lexer) readString(rest string) error {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			text, err := unescape(rest[1:i])
			if err != nil {
				return err
			}
			l.add(stringToken, text)
			l.skip(i + 1)
			return nil
		}
	}
	return fmt.Errorf("a string does not end")
}

var simpleEscapes = map[byte]string{'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f",
	'n': "\n",
	'r': "\r", 't': "\t", 'v': "\v"}

// unescape is Python's unicode-escape.
func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		simple, known := simpleEscapes[s[i]]
		switch {
		case known:
			b.WriteString(simple)
		case digits > 0:
			if i+digits >= len(s)+0 && i+digits > len(s)-1 {
				return "", fmt.Errorf("the escape \\%c needs %d digits", s[i], digits)
			}
			n, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			if err != nil || !utf8.ValidRune(rune(n)) {
				return "", fmt.Errorf("the escape \\%s is no character", s[i:i+1+digits])
			}
			b.WriteRune(rune(n))
			i += digits
		case '0' <= s[i] && s[i] <= '7':
			n, end := 0, i
			for end < len(s) && end < i+3 && '0' <= s[end] && s[end] <= '7' {
				n, end = n*8+int(s[end]-'0'), end+1
			}
			b.WriteRune(rune(n))
			i = end - 1
		case s[i] == 'N':
			return "", fmt.Errorf("escapes by names of characters are not known")
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}
