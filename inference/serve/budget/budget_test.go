package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestBudget: what does not fit is refused with the numbers, and has taken nothing.
func TestBudget(t *testing.T) {
	b := New("bodies", 100, 1)
	l, other := b.Lease(0), b.Lease(0)
	if err := errors.Join(l.Grow(60), other.Grow(30)); err != nil || b.used != 90 {
		t.Fatalf("%v, and %d bytes are used, want 90", err, b.used)
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
	if other.End(); b.used != 60 || l.Bytes() != 60 || l.Grow(40) != nil {
		t.Errorf("%d bytes are used, want 60 and then 100", b.used)
	}
	if l.End(); b.used != 0 || l.Bytes() != 0 {
		t.Errorf("%d bytes are used after the end, want 0", b.used)
	}
}

// TestParts: of several holders none has more than half of what the others leave, however it divides its leases, so
// that whoever comes finds something.
func TestParts(t *testing.T) {
	b := New("bodies", 1000, 3)
	var leases []*Lease
	for holder, want := range []int64{500, 250, 125} {
		got := int64(0)
		for l := b.Lease(holder); l.Grow(5) == nil; l = b.Lease(holder) {
			leases = append(leases, l)
			got += 5
		}
		if got != want {
			t.Errorf("holder %d has %d bytes, want %d", holder, got, want)
		}
	}
	spent := new(Spent)
	if err := b.Lease(2).Grow(10); !errors.As(err, &spent) || spent.Never() || spent.Most != 125 {
		t.Errorf("%v, want a *Spent about 125 bytes", err)
	}
	if err := b.Lease(2).Grow(501); !errors.As(err, &spent) || !spent.Never() {
		t.Errorf("%v, want a *Spent for ever", err)
	}
	for _, l := range leases {
		l.End()
	}
	if b.used != 0 || len(b.of) != 0 {
		t.Errorf("%d bytes of %v are used in the end, want 0", b.used, b.of)
	}
}

// TestPatient: a patient lease waits until it has all that it wants, however little is free in between, and the next
// one waits behind it; it is refused what it can never have, and gives up when its context ends, without a trace.
func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New("bodies", 100, 1)
		some, rest := b.Lease(0), b.Lease(0)
		if err := errors.Join(some.Grow(30), rest.Grow(70)); err != nil {
			t.Fatal(err)
		}
		spent := new(Spent)
		if err := b.Patient(t.Context(), 0).Grow(101); !errors.As(err, &spent) || !spent.Never() {
			t.Errorf("%v, want a *Spent for ever", err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		var order []string
		var group sync.WaitGroup
		wait := func(name string, ctx context.Context, bytes int64) {
			group.Go(func() {
				l := b.Patient(ctx, 0)
				defer l.End()
				if err := l.Grow(bytes); err != nil {
					name += " gave up"
				}
				order = append(order, name)
			})
			synctest.Wait()
		}
		wait("large", t.Context(), 80)
		wait("small", t.Context(), 10)
		wait("gone", ctx, 10)
		some.End()
		if synctest.Wait(); order != nil {
			t.Errorf("%q have bytes, want both to wait for the large one", order)
		}
		giveUp()
		synctest.Wait()
		rest.End()
		group.Wait()
		if want := []string{"gone gave up", "large", "small"}; !slices.Equal(order, want) || b.used != 0 {
			t.Errorf("%q, and %d bytes are used; want %q and 0", order, b.used, want)
		}
	})
}

// TestTogether: whatever many goroutines take and give back, never more than all is taken, and in the end nothing is.
func TestTogether(t *testing.T) {
	b := New("bytes", 1000, 4)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 2000 {
				l := b.Lease(i / 2)
				for range r.IntN(5) {
					_ = l.Grow(r.Int64N(400))
				}
				if l.Bytes() == 0 { // who has bytes must not wait
					l = b.Patient(t.Context(), i/2)
					_ = l.Grow(r.Int64N(600)) // more than half of all is refused
				}
				b.mu.Lock()
				if b.used > b.Most() || b.of[i/2] > b.Most()/2 || b.used < l.Bytes() {
					t.Errorf("%d bytes of %d are used, and one lease has %d, want at most all, half for each, and at "+
						"least the lease", b.used, b.Most(), l.Bytes())
				}
				b.mu.Unlock()
				l.End()
			}
		})
	}
	if group.Wait(); b.used != 0 {
		t.Errorf("%d bytes are used in the end, want 0", b.used)
	}
}
