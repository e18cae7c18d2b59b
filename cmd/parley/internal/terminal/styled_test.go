package terminal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// TestStyledObeysNothing: but for the sequences of its own colours, a terminal obeys nothing of a coloured text, and no
// text changes where these are.
func TestStyledObeysNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, after := terminaltest.Orders(t, "text"), terminaltest.Orders(t, "after")
		got := Styled{{text, Wrong}, {after, normal}}.render(true)
		inside, rest, ok := strings.Cut(strings.TrimPrefix(got, "\x1b[1;31m"), "\x1b[m")
		if !ok || terminaltest.Obeyed(inside) != "" || terminaltest.Obeyed(rest) != "" {
			t.Errorf("%q and %q are drawn as %q, want nothing in them that a terminal obeys", text, after, got)
		}
		if got := (Styled{{text, Wrong}, {after, normal}}).render(false); got != inside+rest {
			t.Errorf("without colours it is %q, want the parts with them, %q and %q", got, inside, rest)
		}
	})
}
