package escape

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Writer writes to a terminal, or to what may end up on one, nothing that it would obey. It is not safe for concurrent
// use.
type Writer struct {
	to     io.Writer
	before rune   // the last one, 0 if it was shown as a code
	rest   []byte // a character whose end has not been written yet, or a \r, which may be half of a line end
}

// NewWriter makes one. Flush writes what is left at the end.
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

// write writes what there is: a full disk refuses nothing too.
func (w *Writer) write(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	_, err := w.to.Write(out)
	return err
}

// next appends the first character of a text as it may be shown, and says how many bytes it was.
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

// Flush writes what looked like the beginning of something.
func (w *Writer) Flush() error {
	var out []byte
	for n := 0; len(w.rest) > 0; w.rest = w.rest[n:] {
		out, n = w.next(out, w.rest)
	}
	return w.write(out)
}
