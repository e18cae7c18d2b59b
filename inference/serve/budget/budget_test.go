package budget

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestBudget: what does not fit is refused with the numbers, and has taken nothing.
func TestBudget(t *testing.T) {
	b := New("bodies", 100)
	l := b.Lease()
	if err := errors.Join(l.Grow(60), b.Take(30)); err != nil || b.used.Load() != 90 {
		t.Fatalf("%v, and %d bytes are used, want 90", err, b.used.Load())
	}
	spent := new(Spent)
	if err := l.Grow(11); !errors.As(err, &spent) || spent.Never() ||
		err.Error() != "bodies: 71 bytes are needed, and 30 of 100 are in use" {
		t.Errorf("%v, want a *Spent that a later call can avoid", err)
	}
	if err := l.Grow(41); !errors.As(err, &spent) || !spent.Never() ||
		err.Error() != "bodies: 101 bytes are needed, and there are 100 in all" {
		t.Errorf("%v, want a *Spent for ever", err)
	}
	if b.Give(30); b.used.Load() != 60 || l.Bytes() != 60 || l.Grow(40) != nil {
		t.Errorf("%d bytes are used, want 60 and then 100", b.used.Load())
	}
	if l.End(); b.used.Load() != 0 || l.Bytes() != 0 {
		t.Errorf("%d bytes are used after the end, want 0", b.used.Load())
	}
}

// TestTogether: whatever many goroutines take and give back, never more than all is taken, and in the end nothing is.
func TestTogether(t *testing.T) {
	b := New("bytes", 1000)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 2000 {
				l := b.Lease()
				for range r.IntN(5) {
					_ = l.Grow(r.Int64N(400))
				}
				if used := b.used.Load(); used > b.Most() || used < l.Bytes() {
					t.Errorf("%d bytes of %d are used, and one lease has %d", used, b.Most(), l.Bytes())
				}
				l.End()
			}
		})
	}
	if group.Wait(); b.used.Load() != 0 {
		t.Errorf("%d bytes are used in the end, want 0", b.used.Load())
	}
}
