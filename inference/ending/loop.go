package ending

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A text repeats itself if it ends with a unit again and again, byte for byte. What is a loop and what is a table, a
// list, code or a long number is decided by what the unit says:
//
//   - A unit that says something, with three different words that have letters, loops once it has come three times and
//     with eighteen words in all: a sentence of six or more words three times in a row, "I do not know." five times. A
//     word is what stands between blanks; in scripts without blanks, such as Chinese, a character. Rows of a table and
//     items of a list differ in a word or a number, and lines of code that are repeated have few blanks.
//   - A unit that says less ("yes", a row of zeros, dashes, 1111, blanks) loops once it has come twelve times and fills
//     300 bytes: no rule across a page and no number that somebody needs is that long.
//
// Text that counts while it repeats ("Step 5: The answer is 7. Step 6: The answer is 7.") is no loop: nothing tells it
// from a list.
const (
	saying      = 3    // different words with letters, from which on a unit says something
	leastTimes  = 3    // of such a unit
	leastWords  = 18   // of all its repetitions
	dullTimes   = 12   // of another unit
	dullBytes   = 300  // of all its repetitions
	longestUnit = 2048 // bytes
	// Whether the text repeats itself is looked at after each so many bytes, which is late by a few words at most. A
	// look goes once over the last leastTimes*longestUnit bytes, which is some microseconds.
	lookEvery = 32
)

// Loop finds where a text that comes in pieces begins to repeat itself.
type Loop struct {
	text []byte
	from int
	end  int   // of what shows that it does, in bytes
	same []int // scratch
}

// Push adds a piece, and reports whether the text repeats itself.
func (l *Loop) Push(piece string) bool {
	for l.from == 0 && piece != "" {
		n := min(len(piece), lookEvery-len(l.text)%lookEvery)
		l.text, piece = append(l.text, piece[:n]...), piece[n:]
		if len(l.text)%lookEvery == 0 {
			l.look()
		}
	}
	return l.from > 0
}

// From returns how many bytes came before those that only repeat what came before, or 0 if the text does not repeat
// itself.
func (l *Loop) From() int { return l.from }

// look sets from if the text repeats itself. Read backwards, the text begins with its last bytes: for each length of a
// unit, same is how many bytes agree with those one unit further (the Z function).
func (l *Loop) look() {
	end := l.text[max(0, len(l.text)-leastTimes*longestUnit):]
	last := len(end) - 1
	l.same = append(l.same[:0], 0)
	left, right, tried := 0, 0, 0
	for unit := 1; unit <= len(end)/leastTimes; unit++ {
		n := 0
		if unit < right {
			n = min(right-unit, l.same[unit-left])
		}
		for unit+n <= last && end[last-n] == end[last-unit-n] {
			n++
		}
		if unit+n > right {
			left, right = unit, unit+n
		}
		l.same = append(l.same, n)
		run := unit + n
		if run < leastTimes*unit || tried > 0 && unit%tried == 0 && run == tried+l.same[tried] {
			continue // the latter is several of a unit that was tried
		}
		if tried = unit; loops(end, unit, run) {
			l.from, l.end = len(l.text)-run+unit, len(l.text)
			return
		}
	}
}

// loops reports whether the last run bytes, which repeat a unit, are a loop.
func loops(text []byte, unit, run int) bool {
	words, different := say(text, len(text)-2*unit, unit)
	if different >= saying {
		return run >= unit*max(leastTimes, (leastWords+words-1)/words)
	}
	return run >= max(dullBytes, dullTimes*unit)
}

// say counts the words that begin in a unit, which another one follows: those with letters or digits, and up to saying
// different ones with letters. It is the same wherever in a repetition the unit begins.
func say(text []byte, start, unit int) (words, different int) {
	end, i := start+unit, start
	for i < end && !utf8.RuneStart(text[i]) {
		i++
	}
	var known [saying][]byte
	count := func(word []byte) {
		if !bytes.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return
		}
		words++
		if different < saying && bytes.ContainsFunc(word, unicode.IsLetter) &&
			!slices.ContainsFunc(known[:different], func(k []byte) bool { return bytes.Equal(k, word) }) {
			known[different] = word
			different++
		}
	}
	before, _ := utf8.DecodeLastRune(text[:i])
	within := !unicode.IsSpace(before) && !alone(before) // a word that began before the unit
	word := -1                                           // where one began in the unit
	for i < len(text) && (i < end || word >= 0) {
		r, size := utf8.DecodeRune(text[i:])
		switch single := alone(r); {
		case !single && !unicode.IsSpace(r):
			if !within && word < 0 {
				word = i
			}
		default:
			if within = false; word >= 0 {
				count(text[word:i])
				word = -1
			}
			if single && i < end {
				count(text[i : i+size])
			}
		}
		i += size
	}
	return words, different
}

// alone reports whether a character is a word of its own, in scripts that have no blanks between words.
func alone(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar)
}

// Repeats returns what Loop finds in a whole text: how many bytes come before those that only repeat what came before,
// and after how many that shows: the text could have ended there.
func Repeats(text string) (from, end int, repeats bool) {
	l := new(Loop)
	repeats = l.Push(text)
	for l.end < len(text) && !utf8.RuneStart(text[l.end]) {
		l.end++
	}
	return l.from, l.end, repeats
}
