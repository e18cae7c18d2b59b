// Package budget counts the bytes that many holders share, and refuses those that would be too many.
//
// A Budget is made once, for one kind of thing, such as bodies of requests under way. Whoever is about to keep bytes
// takes them first and gives them back later, by a Lease if it keeps several things that end together. What is refused
// has taken nothing: a holder that can do without something old gives that back and takes again.
package budget

import (
	"fmt"
	"sync/atomic"
)

// Budget is a number of bytes that its holders share. Its methods may be called by several goroutines at once.
type Budget struct {
	name string
	most int64
	used atomic.Int64 // from 0 to most
}

// New makes a budget of most bytes. The name says whose bytes they are, in the plural, for errors.
func New(name string, most int64) *Budget { return &Budget{name: name, most: most} }

// Most returns how many bytes there are in all.
func (b *Budget) Most() int64 { return b.most }

// Take takes n bytes, which Give gives back, or returns a *Spent.
func (b *Budget) Take(n int64) error {
	for {
		used := b.used.Load()
		if n > b.most-used {
			return &Spent{Name: b.name, Asked: n, Used: used, Most: b.most}
		}
		if b.used.CompareAndSwap(used, used+n) {
			return nil
		}
	}
}

// Give gives back n bytes that were taken.
func (b *Budget) Give(n int64) {
	if b.used.Add(-n) < 0 {
		panic(fmt.Sprintf("budget of %s: more was given back than taken", b.name))
	}
}

// Spent is the error of bytes that a budget does not have.
type Spent struct {
	Name              string
	Asked, Used, Most int64 // bytes
}

// Error implements error.
func (s *Spent) Error() string {
	if s.Never() {
		return fmt.Sprintf("%s: %d bytes are needed, and there are %d in all", s.Name, s.Asked, s.Most)
	}
	return fmt.Sprintf("%s: %d bytes are needed, and %d of %d are in use", s.Name, s.Asked, s.Used, s.Most)
}

// Never reports whether the bytes are more than the whole budget, so that waiting does not help.
func (s *Spent) Never() bool { return s.Asked > s.Most }

// Lease is what one holder has of a budget. It belongs to one goroutine at a time.
type Lease struct {
	of    *Budget
	bytes int64
}

// Lease returns an empty lease.
func (b *Budget) Lease() *Lease { return &Lease{of: b} }

// Grow adds n bytes to the lease, or returns a *Spent about all that the holder would then have.
func (l *Lease) Grow(n int64) error {
	if err := l.of.Take(n); err != nil {
		spent := *err.(*Spent)
		spent.Asked += l.bytes
		spent.Used -= l.bytes
		return &spent
	}
	l.bytes += n
	return nil
}

// Bytes returns how many bytes the lease has.
func (l *Lease) Bytes() int64 { return l.bytes }

// End gives back all bytes of the lease, which is empty then.
func (l *Lease) End() {
	l.of.Give(l.bytes)
	l.bytes = 0
}
