// Package escape makes untrusted texts harmless where they leave the program: on a terminal, in a web page, in a
// spreadsheet. Replies, file names, templates and recorded runs may contain anything.
//
// Characters that are invisible or move the cursor are shown as JSON writes them: \u001b, \u202e. A line of JSON that
// passes through a Writer therefore keeps its values. Bytes that are not UTF-8 are shown as \xff.
package escape

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden reports whether a character must not reach a reader as it is: control characters, which a terminal obeys, and
// format characters, which have no glyph or reverse their neighbours. Line feeds and tabs are allowed. The two joiners
// are part of the spelling of some words and emoji, but not after an ASCII character.
func hidden(r, before rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < utf8.RuneSelf: // what follows is slow, and pages are long
		return r < ' ' || r == '\x7f'
	case r == '\u200c' || r == '\u200d':
		return before < utf8.RuneSelf
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// appendCode appends a character as JSON writes it.
func appendCode(to []byte, r rune) []byte {
	for _, unit := range utf16.AppendRune(nil, r) {
		to = fmt.Appendf(to, `\u%04x`, unit)
	}
	return to
}

// Text returns a text with hidden characters shown as codes.
func Text(s string) string {
	var b strings.Builder
	w := NewWriter(&b)
	_, _ = w.Write([]byte(s)) // writing to memory cannot fail
	_ = w.Flush()
	return b.String()
}

// JSON rewrites encoded JSON so that decoding it gives Text of every text in it. It is for a page that decodes the JSON
// and shows the texts.
func JSON(encoded []byte) []byte {
	out, before := make([]byte, 0, len(encoded)), rune(0)
	for len(encoded) > 0 {
		r, n := decode(encoded)
		if hidden(r, before) && !(r == '\r' && bytes.HasPrefix(encoded[n:], []byte(`\n`))) {
			out, before = append(out, bytes.ReplaceAll(appendCode(nil, r), []byte(`\`), []byte(`\\`))...), 0
		} else {
			out, before = append(out, encoded[:n]...), r
		}
		encoded = encoded[n:]
	}
	return out
}

// decode returns the first character of encoded JSON and the number of bytes that encode it.
func decode(encoded []byte) (r rune, n int) {
	if len(encoded) < 2 || encoded[0] != '\\' {
		return utf8.DecodeRune(encoded)
	}
	switch encoded[1] {
	case 'b', 'f', 'r':
		return map[byte]rune{'b': '\b', 'f': '\f', 'r': '\r'}[encoded[1]], 2
	case 'u':
		first, ok := codeUnit(encoded)
		if !ok {
			break
		}
		second, ok := codeUnit(encoded[6:])
		if pair := utf16.DecodeRune(first, second); ok && pair != utf8.RuneError {
			return pair, 12
		}
		return first, 6
	}
	return '\\', 2
}

// codeUnit reads a code such as \u202e, which is one of the two halves of a character above U+FFFF.
func codeUnit(encoded []byte) (unit rune, ok bool) {
	if len(encoded) < 6 || encoded[0] != '\\' || encoded[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(encoded[2:6]), 16, 16)
	return rune(n), err == nil
}

// formula matches texts that a spreadsheet would compute, or would after removing an apostrophe. number matches those
// among them that are harmless.
var (
	formula = regexp.MustCompile("^'*[=+\\-@\t\r\n＝＋－＠]")
	number  = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
)

// Cell returns a text as a cell of CSV. A text that a spreadsheet would take for a formula gets an apostrophe in front;
// numbers stay numbers.
func Cell(s string) string {
	if formula.MatchString(s) && !number.MatchString(s) {
		return "'" + s
	}
	return s
}

// Cells applies Cell to each cell of a row.
func Cells(row []string) []string {
	out := make([]string, len(row))
	for i, s := range row {
		out[i] = Cell(s)
	}
	return out
}
