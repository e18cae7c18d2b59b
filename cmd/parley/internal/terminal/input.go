package terminal

import (
	"context"
	"io"

	"github.com/parley-debate/parley/internal/bug"
)

// NewInput returns a standard input whose reads return when the context ends.
func NewInput(ctx context.Context, in io.Reader) io.Reader { return typing{ctx, in} }

// typing is standard input whose reads return when the context ends. What is typed after that is lost.
type typing struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (t typing) Read(p []byte) (int, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	text, n := make([]byte, len(p)), 0 // p belongs to the caller again once the context has ended
	go bug.Guarded(func() (err error) {
		n, err = t.in.Read(text)
		return err
	}, func(err error) { read <- result{text[:n], err} })()
	select {
	case r := <-read:
		return copy(p, r.text), r.err
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	}
}
