// Package budget counts the bytes that many holders share, and refuses those that would be too many.
//
// A Budget is made once, for one kind of thing, such as bodies of requests under way. Whoever is about to keep bytes
// has a Lease of them, for all that ends together, and lets it grow first. What is refused has taken nothing. A patient
// lease waits until there is room, and is refused only what it can never have.
package budget

import (
	"context"
	"fmt"
	"sync"
)

// Budget is a number of bytes that holders share. One of them alone has all. Where there are several, nobody has more
// than half of what the others leave, so that there is something left for whoever comes next.
type Budget struct {
	name    string
	most    int64
	holders int
	first   chan struct{} // has a value while a patient lease takes bytes, or waits for them: one after the other
	freed   chan struct{} // has a value when bytes may have become free since the first one looked

	mu   sync.Mutex // guards what follows
	used int64      // from 0 to most
	of   map[int]int64
}

// New makes a budget of most bytes for so many holders. The name says whose bytes they are, in the plural, for errors.
func New(name string, most int64, holders int) *Budget {
	return &Budget{name: name, most: most, holders: holders, of: make(map[int]int64), first: make(chan struct{}, 1),
		freed: make(chan struct{}, 1)}
}

// Most returns how many bytes there are in all.
func (b *Budget) Most() int64 { return b.most }

// part returns how many of some bytes one holder may have.
func (b *Budget) part(bytes int64) int64 {
	if b.holders > 1 {
		return bytes / 2
	}
	return bytes
}

// Spent is the error of bytes that a budget does not have.
type Spent struct {
	Name        string
	Asked, Used int64 // bytes that a lease would have then, and those that the holder's other leases have
	Most, Ever  int64 // that the holder may have now, and when nobody else has any
}

// Error implements error.
func (s *Spent) Error() string {
	if s.Never() {
		return fmt.Sprintf("%s: %d bytes are needed, and there are %d in all", s.Name, s.Asked, s.Ever)
	}
	return fmt.Sprintf("%s: %d bytes are needed, and %d of %d are in use", s.Name, s.Asked, s.Used, s.Most)
}

// Never reports whether the bytes are more than the holder can ever have, so that waiting does not help.
func (s *Spent) Never() bool { return s.Asked > s.Ever }

// Lease is what one holder has of a budget for one purpose. It belongs to one goroutine at a time.
type Lease struct {
	from   *Budget
	holder int
	bytes  int64
	until  context.Context // how long a patient lease waits; nil for another one
}

// Lease returns an empty lease of a holder.
func (b *Budget) Lease(holder int) *Lease { return &Lease{from: b, holder: holder} }

// Patient returns an empty lease of a holder that waits for bytes, in the order of the calls of Grow, until ctx ends.
// Who has one must not wait for another patient lease of the budget to end, or it may wait for ever.
func (b *Budget) Patient(ctx context.Context, holder int) *Lease {
	return &Lease{from: b, holder: holder, until: ctx}
}

// Grow adds n bytes to the lease, or returns a *Spent; or what ended the context of a patient lease.
func (l *Lease) Grow(n int64) error {
	if l.until != nil {
		select {
		case l.from.first <- struct{}{}:
			defer func() { <-l.from.first }()
		case <-l.until.Done():
			return l.until.Err()
		}
	}
	for {
		spent := l.take(n)
		switch {
		case spent == nil:
			return nil
		case l.until == nil || spent.Never():
			return spent
		}
		select {
		case <-l.from.freed:
		case <-l.until.Done():
			return l.until.Err()
		}
	}
}

// Room is the *Spent with which Grow would refuse n more bytes at this moment, or nil. A patient lease is refused
// nothing: it can wait. It takes nothing, so a request is asked it before anything is done for it.
func (l *Lease) Room(n int64) error {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	if spent := l.lacks(n); spent != nil && l.until == nil {
		return spent
	}
	return nil
}

// take adds n bytes to the lease, or returns why not.
func (l *Lease) take(n int64) *Spent {
	b := l.from
	b.mu.Lock()
	defer b.mu.Unlock()
	spent := l.lacks(n)
	if spent == nil {
		b.used += n
		b.of[l.holder] += n
		l.bytes += n
	}
	return spent
}

// lacks returns why n more bytes cannot be had now, or nil.
func (l *Lease) lacks(n int64) *Spent {
	b := l.from
	own := b.of[l.holder]
	if most := b.part(b.most - (b.used - own)); n > most-own {
		return &Spent{Name: b.name, Asked: l.bytes + n, Used: own - l.bytes, Most: most, Ever: b.part(b.most)}
	}
	return nil
}

// Bytes returns how many bytes the lease has.
func (l *Lease) Bytes() int64 { return l.bytes }

// End gives back all bytes of the lease, which is empty then.
func (l *Lease) End() {
	b := l.from
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= l.bytes
	if b.of[l.holder] -= l.bytes; b.of[l.holder] == 0 {
		delete(b.of, l.holder)
	}
	l.bytes = 0
	select {
	case b.freed <- struct{}{}:
	default:
	}
}
