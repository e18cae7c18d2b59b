package escape

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Writer passes text on without anything that a terminal would obey. Its output does not depend on how the text is cut
// into writes. It is not safe for concurrent use.
type Writer struct {
	to     io.Writer
	before rune   // the last character, 0 after one that was shown as a code
	rest   []byte // the beginning of a character, or a \r that may be half of a line end
}

// NewWriter returns a Writer to to. Call Flush at the end.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	var out []byte
	for len(text) > 0 && utf8.FullRune(text) && string(text) != "\r" {
		var n int
		out, n = w.next(out, text)
		text = text[n:]
	}
	w.rest = append([]byte(nil), text...)
	if err := w.write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write passes out on unless it is empty: a full disk would refuse an empty write too.
func (w *Writer) write(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	_, err := w.to.Write(out)
	return err
}

// next appends the first character of a text as it may be shown, and returns its number of bytes.
func (w *Writer) next(out, text []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(text)
	before := w.before
	w.before = 0
	switch {
	case r == utf8.RuneError && n == 1:
		return fmt.Appendf(out, `\x%02x`, text[0]), 1
	case r == '\r' && len(text) > 1 && text[1] == '\n':
		return append(out, "\r\n"...), 2
	case hidden(r, before):
		return appendCode(out, r), n
	}
	w.before = r
	return append(out, text[:n]...), n
}

// Flush writes the bytes that were held back because they might have been the beginning of a character or line end.
func (w *Writer) Flush() error {
	var out []byte
	for n := 0; len(w.rest) > 0; w.rest = w.rest[n:] {
		out, n = w.next(out, w.rest)
	}
	return w.write(out)
}
