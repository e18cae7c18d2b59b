package answer

import (
	"strings"
	"unicode"
)

// maxPairs bounds a dictionary; judges are asked for four entries.
const maxPairs = 64

// Dictionary reads the first {...} of a reply as a map from names to texts. It accepts JSON and, since models write it
// as often, the literal of a Python dictionary: single quotes, with apostrophes between them. Any text may surround the
// braces. Values are quoted texts, numbers or words; None and null become empty texts. Anything else, such as a list,
// makes it no dictionary.
func Dictionary(reply string) (map[string]string, bool) {
	at := strings.IndexByte(reply, '{')
	if at < 0 {
		return nil, false
	}
	r, pairs := &reader{rest: []rune(reply[at+1:])}, map[string]string{}
	for len(pairs) < maxPairs {
		if r.consume('}') {
			return pairs, true
		}
		name, ok := r.text()
		if !ok || !r.consume(':') {
			return nil, false
		}
		value, ok := r.text()
		if !ok {
			return nil, false
		}
		pairs[name] = value
		if !r.consume(',') && !r.consume('}') {
			return nil, false
		} else if r.last == '}' {
			return pairs, true
		}
	}
	return nil, false
}

// reader takes tokens off the front of a text.
type reader struct {
	rest []rune
	last rune // the mark that consume removed last
}

// skip removes white space.
func (r *reader) skip() {
	for len(r.rest) > 0 && unicode.IsSpace(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

// consume removes the next mark if it is this one, and reports whether it was.
func (r *reader) consume(mark rune) bool {
	if r.skip(); len(r.rest) == 0 || r.rest[0] != mark {
		return false
	}
	r.rest, r.last = r.rest[1:], mark
	return true
}

// text consumes a quoted text or a word.
func (r *reader) text() (string, bool) {
	r.skip()
	if len(r.rest) > 0 && (r.rest[0] == '\'' || r.rest[0] == '"') {
		return r.quotedText(r.rest[0])
	}
	n := 0
	for n < len(r.rest) && (unicode.IsLetter(r.rest[n]) || unicode.IsDigit(r.rest[n]) ||
		strings.ContainsRune("+-._", r.rest[n])) {
		n++
	}
	word := string(r.rest[:n])
	r.rest = r.rest[n:]
	if word == "None" || word == "null" {
		return "", true
	}
	return word, n > 0
}

// quotedText consumes a quoted text. It ends at the quote that stands before a comma, a colon, a closing brace or the
// end of the reply; any other quote is an apostrophe.
func (r *reader) quotedText(quote rune) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '\\' && i+1 < len(r.rest):
			i++
			b.WriteRune(unescape(r.rest[i]))
		case c == quote && closes(r.rest[i+1:]):
			r.rest = r.rest[i+1:]
			return b.String(), true
		default:
			b.WriteRune(c)
		}
	}
	return "", false
}

// unescape returns what a character behind a backslash stands for; most stand for themselves.
func unescape(c rune) rune {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}

// closes reports whether a quote before this text ends a quoted text.
func closes(rest []rune) bool {
	for _, c := range rest {
		if !unicode.IsSpace(c) {
			return strings.ContainsRune(",:}", c)
		}
	}
	return true
}
