package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/internal/plaintext"
)

// smallBody is how many bytes of a body cost nothing, so that large bodies do not shut out small ones.
const smallBody = 16 << 10

// bodyCost is how many bytes are taken from the budget for each byte of a body: what is made of it while it is read,
// its parts, and their texts. It is an estimate.
const bodyCost = 4

// errText is the error of a body that is no text in UTF-8, or that escapes what is none.
var errText = errors.New("the body")

// ReadBody reads a body of up to most bytes; declared is its length if that is known, or else negative. The budget is
// taken as the bytes come, so that who sends nothing holds nothing. Errors are a *limits.Beyond, a *budget.Spent,
// errText, or what the reader returned.
func ReadBody(r io.Reader, declared, most int64, of *budget.Lease) ([]byte, error) {
	if err := limits.BodyBytes.CheckOf(int(declared), most, ""); err != nil {
		return nil, err
	}
	var text []byte
	for {
		if len(text) == cap(text) {
			next := max(smallBody, 2*cap(text))
			if int(declared) >= len(text) {
				next = min(next, int(declared)+1)
			}
			if next > smallBody {
				if err := of.Grow(bodyCost*int64(next) - of.Bytes()); err != nil {
					return nil, err
				}
			}
			text = append(make([]byte, 0, next), text...)
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err := limits.BodyBytes.CheckOf(len(text), most, ""); err != nil {
			return nil, err
		}
		if errors.Is(err, io.EOF) {
			return checked(text)
		}
		if err != nil {
			return nil, err
		}
	}
}

// checked returns a body whose shape is within bounds.
func checked(text []byte) ([]byte, error) {
	text, err := plaintext.Of(text)
	if err == nil {
		err = plaintext.Escapes(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w %w", errText, err)
	}
	values, depth := extent(text)
	if err := limits.BodyValues.Check(values, ""); err != nil {
		return nil, err
	}
	return text, limits.BodyDepth.Check(depth, "")
}

// extent returns how many values a text has if it is JSON, keys counted as well, and how deep they are nested. Of other
// texts it returns some numbers.
func extent(text []byte) (values, depth int) {
	values = 1
	open, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			switch c {
			case '\\':
				i++
			case '"':
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == ',' || c == ':':
			values++
		case c == '[' || c == '{':
			values++
			open++
			depth = max(depth, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return values, depth
}
