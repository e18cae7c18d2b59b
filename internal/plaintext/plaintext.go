// Package plaintext admits text from outside: files, standard input and bodies of HTTP requests. It is UTF-8, possibly
// after a byte order mark, which is no part of it. Anything else is refused with its place, since Go would put U+FFFD
// where a letter cannot be read, and the model would be asked another text than the user's.
package plaintext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// marks are the byte order marks of other encodings. That of UTF-32 begins with that of UTF-16 and comes before it.
var marks = []struct {
	encoding string
	bytes    []byte
}{
	{"UTF-32 (little endian)", []byte{0xff, 0xfe, 0, 0}},
	{"UTF-32 (big endian)", []byte{0, 0, 0xfe, 0xff}},
	{"UTF-16 (little endian)", []byte{0xff, 0xfe}},
	{"UTF-16 (big endian)", []byte{0xfe, 0xff}},
}

const mark = "\ufeff"

// RemoveMark returns a text without its byte order mark, and refuses other encodings by their name. Of looks at the
// whole text besides.
func RemoveMark(content []byte) ([]byte, error) {
	for _, m := range marks {
		if bytes.HasPrefix(content, m.bytes) {
			return nil, fmt.Errorf("is %s by its byte order mark; it must be UTF-8", m.encoding)
		}
	}
	if len(content) >= 2 && (content[0] == 0) != (content[1] == 0) { // no text begins with one zero byte
		return nil, errors.New("is no UTF-8 text: it looks like UTF-16 without a byte order mark, or like no text at " +
			"all")
	}
	return bytes.TrimPrefix(content, []byte(mark)), nil
}

// Of returns a text without its byte order mark. It refuses other encodings by their name, and the first byte that is
// not UTF-8 with its place.
func Of(content []byte) ([]byte, error) {
	content, err := RemoveMark(content)
	if err != nil {
		return nil, err
	}
	if at := invalid(content); at >= 0 {
		return nil, fmt.Errorf("is not UTF-8: %s is 0x%02x", describeOffset(content, at, "byte"), content[at])
	}
	return content, nil
}

// Read returns the text that a reader has, as Of does. most bounds its bytes; 0 is no bound.
func Read(in io.Reader, most int) ([]byte, error) {
	if most > 0 {
		in = io.LimitReader(in, int64(most)+1)
	}
	content, err := io.ReadAll(in)
	switch {
	case err != nil:
		return nil, err
	case most > 0 && len(content) > most:
		return nil, fmt.Errorf("has more than %s bytes, which is the most that is read",
			humanize.Comma(int64(most)))
	}
	return Of(content)
}

// ReadFile returns the text of a file, as Read does. Its errors name the file.
func ReadFile(path string, most int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := Read(file, most)
	if err != nil {
		return nil, fmt.Errorf("%q %w", path, err)
	}
	return text, nil
}

// invalid returns the offset of the first byte that is not UTF-8, -1 if there is none.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// describeOffset names an offset by its line and by the count of bytes in that line.
func describeOffset(text []byte, at int, what string) string {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	return fmt.Sprintf("line %d, %s %d", 1+bytes.Count(text[:at], []byte("\n")), what, at-start+1)
}

// Escapes refuses JSON in which an escape is half a letter: \ud800 to \udfff mean one only in pairs. JSON can carry
// such a half, UTF-8 cannot.
func Escapes(json []byte) error {
	for at := 0; at < len(json); at++ {
		skip := bytes.IndexByte(json[at:], '\\')
		if skip < 0 {
			return nil
		}
		at += skip
		unit, ok := unitAt(json, at)
		if !ok {
			at++ // also past the second of two backslashes
			continue
		}
		if low, ok := unitAt(json, at+6); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
			at += 11
			continue
		}
		if utf16.IsSurrogate(unit) {
			return fmt.Errorf("%s: the escape %s is half a letter (a lone surrogate)",
				describeOffset(json, at, "byte"), json[at:at+6])
		}
		at += 5
	}
	return nil
}

// unitAt returns the UTF-16 unit of an escape such as \u00e9 at an offset.
func unitAt(json []byte, at int) (unit rune, ok bool) {
	if at+6 > len(json) || json[at] != '\\' || json[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(json[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}
