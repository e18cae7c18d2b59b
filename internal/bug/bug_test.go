package bug_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/bug"
)

// TestGuarded: a panic is an error with its place and its stack, and the words that others see are one line.
func TestGuarded(t *testing.T) {
	ended := make(chan error)
	var list []int
	go bug.Guarded(func() error { return outside(list) }, func(err error) { ended <- err })()
	var b bug.Error
	if err := <-ended; !errors.As(err, &b) {
		t.Fatalf("the panic came as %v, want a bug.Error", err)
	}
	if !strings.HasPrefix(b.Place, "bug_test.outside (bug_test.go:") || !strings.Contains(string(b.Stack),
		"bug_test.go") {
		t.Errorf("the place of a panic is %q, want bug_test.outside in bug_test.go, also in the stack\n%s", b.Place,
			b.Stack)
	}
	if said := b.Error(); !strings.Contains(said, "index out of range") || !strings.Contains(said, b.Place) ||
		strings.Contains(said, "\n") {
		t.Errorf("the error of a panic says %q, want one line with \"index out of range\" and %q", said, b.Place)
	}
	plain := errors.New("no panic")
	go bug.Guarded(func() error { return plain }, func(err error) { ended <- err })()
	if err := <-ended; err != plain {
		t.Errorf("an error came as %v, want %v", err, plain)
	}
	go bug.Guarded(func() error { panic("of ours") }, func(err error) { ended <- err })()
	if err := <-ended; !errors.As(err, &b) || !strings.HasPrefix(b.Place, "bug_test.TestGuarded.func") {
		t.Errorf("a panic of our own came as %v, want a bug.Error", err)
	}
}

func outside(list []int) error { list[3]++; return nil }
