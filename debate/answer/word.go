package answer

import (
	"unicode"
	"unicode/utf8"
)

// Most published rules are written for Python's re, whose \w and \s follow Unicode. Go's follow ASCII, so that ΔG would
// end in a letter that stands alone. These are the insides of bracket expressions with Python's meaning.
const (
	WordClass  = `\pL\pN_`
	SpaceClass = `\t-\r\x1c-\x20\x{85}\pZ`
)

// Touching reports whether a rune belongs to the same word as a letter beside it. Combining marks do: an A with an
// accent is not an A, however it is encoded. Python's \b treats them as the end of the word.
func Touching(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) || r == '_' }

// Alone reports whether text[from:to] is a word of its own: no letter, digit, mark or underscore touches it.
func Alone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !Touching(before) && !Touching(after)
}
