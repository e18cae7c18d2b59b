// Package admission lets a bounded number of generations into the engine, and decides whose turn it is.
package admission

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull is the error of a request for whose generations there is no room to wait.
var ErrFull = errors.New("too many requests wait; try again later, or see parley serve --max-waiting")

// Gate shares the places of an engine among API keys. A place that is free goes to the key that has the fewest, and of
// that key to who came first. A key that has none gets one at once, beyond the number of places: nobody waits here for
// another to end, and the engine divides its steps (see scheduler.Request.Party). So the engine has at most as many
// generations as there are places and keys together.
//
// How many may wait is bounded for each key, so that one cannot take the room of another. It decides when a generation
// is computed, and whether it is, never what its reply is.
//
// Equal generations of a key are admitted together and share one place, since the engine computes them once.
//
// Every ticket that Admit returns must be given back by Leave, exactly once, whether it got a place or not. These hold
// between two calls: a line is there while the key has tickets; inside counts the different places, of the line and in
// all; and tickets wait only while no place is free and their key has one.
type Gate struct {
	places int // how many generations the engine takes at once
	most   int // how many tickets of a key may wait

	mu      sync.Mutex // guards what follows; no other lock is taken under it
	inside  int        // places taken
	arrived int        // tickets so far
	lines   map[int]*line
}

// line is what one key has.
type line struct {
	key    int
	inside int               // places
	queue  []*Ticket         // those that wait, in the order of their arrival
	equals map[string]*place // of generations that are inside
}

// place is one generation in the engine.
type place struct {
	name    string // what equal ones have in common; empty for one that is equal to none
	tickets int    // that share it
}

// Ticket is one generation that waits, or has a place: then admitted is closed. Only the gate closes it, under its
// lock.
type Ticket struct {
	line     *line
	name     string
	arrived  int
	place    *place // nil while it waits
	shared   bool   // another one had the place before
	admitted chan struct{}
}

// New makes a gate for an engine that computes places generations at once. Of each key most may wait.
func New(places, most int) *Gate {
	return &Gate{places: places, most: most, lines: make(map[int]*line)}
}

// Admit queues a key's generations, by names that equal ones have in common ("" for one that equals none), or refuses
// all of them with ErrFull if more would wait than may. Those that find a place free have it when Admit returns; one
// that equals a generation which is being computed joins that one past the line.
func (g *Gate) Admit(key int, names []string) ([]*Ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, err := g.room(key, len(names))
	if err != nil {
		return nil, err
	}
	g.lines[key] = l
	tickets := make([]*Ticket, len(names))
	for i, name := range names {
		g.arrived++
		t := &Ticket{line: l, name: name, arrived: g.arrived, admitted: make(chan struct{})}
		tickets[i] = t
		if p := l.equals[name]; p != nil {
			t.enter(p)
		} else {
			l.queue = append(l.queue, t)
		}
	}
	g.serve()
	g.tidy(l)
	return tickets, nil
}

// Room is the answer that Admit would give at this moment to n generations of a key. It costs nothing, so a request is
// asked it before anything is done for it: what a flood of refused requests costs is taken from everybody.
func (g *Gate) Room(key, n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.room(key, n)
	return err
}

// room returns the line of a key, a new one if it has none, or ErrFull if there is no room for n more generations.
func (g *Gate) room(key, n int) (*line, error) {
	l := g.lines[key]
	if l == nil {
		l = &line{key: key, equals: make(map[string]*place)}
	}
	free := max(0, g.places-g.inside)
	if l.inside == 0 {
		free = max(free, 1)
	}
	if own := len(l.queue) + n - free; own > g.most {
		return nil, ErrFull
	}
	return l, nil
}

// Wait returns when the ticket has a place, or with the error of ctx. In both cases the ticket is still to be given
// back by Leave: a place may come at the moment in which ctx ends.
func (g *Gate) Wait(ctx context.Context, t *Ticket) error {
	select {
	case <-t.admitted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shared reports whether the ticket's place is that of an equal generation which had it before. It is called after
// Wait.
func (t *Ticket) Shared() bool { return t.shared }

// Leave gives up a ticket: its place, or its position in the line. The place becomes free when the last of the equal
// generations that share it has left.
func (g *Gate) Leave(t *Ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := t.line
	if p := t.place; p == nil {
		i := slices.Index(l.queue, t)
		l.queue = slices.Delete(l.queue, i, i+1)
	} else if p.tickets--; p.tickets == 0 {
		delete(l.equals, p.name)
		l.inside--
		g.inside--
		g.serve()
	}
	g.tidy(l)
}

// serve gives places to those whose turn it is, and to those that equal them.
func (g *Gate) serve() {
	for l := g.next(); l != nil; l = g.next() {
		p := &place{name: l.queue[0].name}
		l.inside++
		g.inside++
		if p.name == "" {
			l.queue[0].enter(p)
			l.queue = slices.Delete(l.queue, 0, 1)
			continue
		}
		l.equals[p.name] = p
		l.queue = slices.DeleteFunc(l.queue, func(t *Ticket) bool {
			same := t.name == p.name
			if same {
				t.enter(p)
			}
			return same
		})
	}
}

// next returns the line whose turn it is, or nil if nobody may enter.
func (g *Gate) next() (best *line) {
	for _, l := range g.lines {
		if len(l.queue) > 0 && (l.inside == 0 || g.inside < g.places) && (best == nil || l.before(best)) {
			best = l
		}
	}
	return best
}

// before reports whether of two lines that wait the first has its turn before the second.
func (l *line) before(other *line) bool {
	return cmp.Or(cmp.Compare(l.inside, other.inside), cmp.Compare(l.queue[0].arrived, other.queue[0].arrived)) < 0
}

// enter gives a ticket a share of a place.
func (t *Ticket) enter(p *place) {
	t.place, t.shared = p, p.tickets > 0
	p.tickets++
	close(t.admitted)
}

// tidy forgets a line that has nothing.
func (g *Gate) tidy(l *line) {
	if l.inside == 0 && len(l.queue) == 0 {
		delete(g.lines, l.key)
	}
}

// Counts returns how many places a key has, and how many of its generations wait for one.
func (g *Gate) Counts(key int) (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.lines[key]; l != nil {
		return l.inside, len(l.queue)
	}
	return 0, 0
}
