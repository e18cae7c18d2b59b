package llamacpp

import (
	"unicode"
	"unicode/utf8"
)

// llama.cpp takes time that grows with the square of a text whose characters have no tokens in a vocabulary of
// SentencePiece: it makes room for the bytes of each anew. Such a vocabulary joins characters only to what is a token.
// So two of them that stand beside one another in no token's text are never joined, and a text can be cut there.

// partBytes is the length from which on a part of a text ends at the next border.
const partBytes = 4096

// borders say where the tokens of a text are those of its parts.
type borders struct {
	pairs  map[[2]rune]bool // that stand beside one another in some token
	begin  map[rune]bool    // begin a token that is looked for before a text is cut into characters
	end    map[rune]bool    // end one, after which a space is put, too
	lead   int              // how many tokens the space is that is put before every text
	strips bool             // a token takes the white space beside it
}

// space is how vocabularies write a blank.
const space = '\u2581'

func newBorders() *borders {
	return &borders{pairs: map[[2]rune]bool{}, begin: map[rune]bool{}, end: map[rune]bool{}}
}

// add notes a token's text. whole says that it is looked for before a text is cut into characters.
func (b *borders) add(token string, whole bool) {
	last := rune(-1)
	for _, r := range token {
		if last >= 0 {
			b.pairs[[2]rune{last, r}] = true
		} else if whole {
			b.begin[r] = true
		}
		last = r
	}
	if whole {
		b.end[last] = true
	}
}

// between tells whether a text can be cut between two characters. The second one is not joined to a space before it
// either, since that is put there.
func (b *borders) between(last, next rune) bool {
	if last == ' ' || next == ' ' || b.strips && (unicode.IsSpace(last) || unicode.IsSpace(next)) {
		return false
	}
	return !b.end[last] && !b.begin[next] &&
		!b.pairs[[2]rune{last, next}] && !b.pairs[[2]rune{space, next}]
}

// split cuts a text at borders, none of which is near another. What is no UTF-8 stays whole.
func (b *borders) split(text string) (parts []string) {
	if !utf8.ValidString(text) {
		return []string{text}
	}
	start, last := 0, ' '
	for i, r := range text {
		if i-start >= partBytes && b.between(last, r) {
			parts, start = append(parts, text[start:i]), i
		}
		last = r
	}
	return append(parts, text[start:])
}
