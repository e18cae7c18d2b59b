package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/limits"
)

// endless is a body that never ends. It counts what was read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestRead: a body comes as it was sent, in whatever pieces and whether its length is known or not, and takes a budget
// only if it is large.
func TestRead(t *testing.T) {
	for _, n := range []int{0, 1, smallBody, smallBody + 1, 300_000} {
		text := strings.Repeat("a", n)
		for _, declared := range []int64{-1, int64(n)} {
			for _, r := range []io.Reader{strings.NewReader(text), iotest.DataErrReader(strings.NewReader(text))} {
				lease := budget.New("bodies", 1<<30, 1).Lease(0)
				got, err := ReadBody(r, declared, 1<<20, lease)
				if took := lease.Bytes(); err != nil || string(got) != text || took > 0 && (n < smallBody ||
					took < bodyCost*int64(n)) || took == 0 && n > smallBody {
					t.Errorf("%d bytes, declared as %d: %d bytes came, %d were taken, %v", n, declared, len(got), took,
						err)
				}
			}
		}
	}
}

// TestBounds: what is beyond a bound is refused, and not much more of it is read than may be.
func TestBounds(t *testing.T) {
	bodies := budget.New("bodies", bodyCost*200_000, 1)
	other := bodies.Lease(0)
	if err := other.Grow(bodyCost * 100_000); err != nil {
		t.Fatal(err)
	}
	many := "[" + strings.Repeat("1,", int(limits.BodyValues.Most)) + "1]"
	deep := strings.Repeat(`{"a":[`, int(limits.BodyDepth.Most))
	for _, c := range []struct {
		name     string
		body     io.Reader
		declared int64
		most     int64
		want     string
	}{
		{"endless", &endless{}, -1, 50_000, "bytes of a body: there are"},
		{"declared", &endless{}, 50_001, 50_000, "bytes of a body: there are 50001, and at most 50000 are allowed"},
		{"in use", &endless{}, -1, 1 << 20, "400000 of 800000 are in use"},
		{"never", &endless{}, 250_000, 1 << 20, "and there are 800000 in all"},
		{"values", strings.NewReader(many), -1, 1 << 30, "values of a body"},
		{"depth", strings.NewReader(deep), -1, 1 << 30, "one within the other: there are 256"},
		{"no text", strings.NewReader("\xff\xfe\xfd"), -1, 1 << 20, "the body"},
		{"broken", iotest.ErrReader(io.ErrUnexpectedEOF), 5, 1 << 20, "unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := budget.New("bodies", 1<<30, 1)
			switch c.name {
			case "in use":
				of = bodies
			case "never":
				of = budget.New("bodies", bodies.Most(), 1)
			}
			lease := of.Lease(0)
			defer lease.End()
			_, err := ReadBody(c.body, c.declared, c.most, lease)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if e, ok := c.body.(*endless); ok && e.read > 2*c.most {
				t.Errorf("%d bytes were read, want at most %d", e.read, 2*c.most)
			}
			if no := errors.Is(err, errText); no != (c.name == "no text") {
				t.Errorf("the error %v is about the text: %v, want %v", err, no, !no)
			}
		})
	}
}

// TestShape counts keys and values, and what is within texts counts for nothing.
func TestShape(t *testing.T) {
	for text, want := range map[string][2]int{
		`1`: {1, 0}, `"[{,\"["`: {1, 0}, `[[],[[]]]`: {6, 3}, `{"a":1,"b":[2]}`: {6, 2}, `]]][`: {2, 0}, `"\`: {1, 0},
	} {
		if values, depth := extent([]byte(text)); values != want[0] || depth != want[1] {
			t.Errorf("%s: %d values, %d deep; want %v", text, values, depth, want)
		}
	}
}
