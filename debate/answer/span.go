package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NoSpan is the answer that the given text does not answer the question.
const NoSpan = "unknown"

var spanMark = regexp.MustCompile(`(?i)(?:final solution:|answer is:?)([^\n]*)`)

// Span reads an answer in words by the rules of SQuAD. It takes the rest of the line behind the last "Final Solution:"
// or "answer is"; if that is missing or empty, the whole reply. The result is normalised (NormalizeSpan). By MALLM's
// rule, a text that contains "unknown" says that the question cannot be answered.
func Span(reply string) Answer {
	if m := last(spanMark, reply); m != nil && strings.TrimSpace(m[1]) != "" {
		reply = m[1]
	}
	if strings.Contains(strings.ToLower(reply), NoSpan) {
		return Of(NoSpan)
	}
	if text := NormalizeSpan(reply); text != "" {
		return Of(text)
	}
	return Unparsed
}

// NormalizeSpan is normalize_answer of SQuAD 2.0's evaluation (Rajpurkar et al. 2018): lower case, no ASCII
// punctuation, no articles, single spaces. It deviates in one point: an article must stand between spaces, while the
// source also finds one beside letters and marks outside of ASCII.
func NormalizeSpan(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == "a" || w == "an" || w == "the" })
	return strings.Join(words, " ")
}

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
