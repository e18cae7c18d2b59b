package answer

import (
	"strings"
	"unicode"
)

// maxPairs bounds a dictionary: judges are asked for four.
const maxPairs = 64

// Dictionary reads the first {...} of a reply as names and texts. It takes JSON, and what models write as often: the
// literal of a Python dictionary, with single quotes, and apostrophes inside them. Around it anything may stand. Values
// are texts, numbers or words; None and null are empty. Anything else is no dictionary.
func Dictionary(reply string) (map[string]string, bool) {
	at := strings.IndexByte(reply, '{')
	if at < 0 {
		return nil, false
	}
	r, pairs := &reader{rest: []rune(reply[at+1:])}, map[string]string{}
	for len(pairs) < maxPairs {
		if r.take('}') {
			return pairs, true
		}
		name, ok := r.text()
		if !ok || !r.take(':') {
			return nil, false
		}
		value, ok := r.text()
		if !ok {
			return nil, false
		}
		pairs[name] = value
		if !r.take(',') && !r.take('}') {
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
	last rune // taken
}

func (r *reader) skip() {
	for len(r.rest) > 0 && unicode.IsSpace(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

// take reports whether the next mark is this one, and if so goes on behind it.
func (r *reader) take(mark rune) bool {
	if r.skip(); len(r.rest) == 0 || r.rest[0] != mark {
		return false
	}
	r.rest, r.last = r.rest[1:], mark
	return true
}

// text takes a quoted text or a word.
func (r *reader) text() (string, bool) {
	r.skip()
	if len(r.rest) > 0 && (r.rest[0] == '\'' || r.rest[0] == '"') {
		return r.quoted(r.rest[0])
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

// quoted takes a text up to the quote that a comma, colon, brace or the end follows: others belong to it.
func (r *reader) quoted(quote rune) (string, bool) {
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

func unescape(c rune) rune {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}

func closes(rest []rune) bool {
	for _, c := range rest {
		if !unicode.IsSpace(c) {
			return strings.ContainsRune(",:}", c)
		}
	}
	return true
}
