// Package admission lets a bounded number of generations into the engine, and decides whose turn it is.
package admission

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-debate/parley/inference/serve/session"
)

// ErrFull is the error of a request for whose generations there is no room to wait.
var ErrFull = errors.New("too many requests wait; try again later, or see parley serve --max-waiting")

// Gate shares the places of an engine among API keys, and those of a key among its sessions. A place that is free goes
// to the key that has the fewest, of that key to the session that has the fewest, and in the session to who came first.
// A session that has none gets one at once, beyond the number of places: nobody waits here for another to end, and the
// engine divides its steps (see scheduler.Party). So the engine has at most as many generations as there are places and
// sessions together.
//
// How many may wait is bounded for each session, so that one cannot take the room of another. It decides when a
// generation is computed, and whether it is, never what its reply is.
//
// Equal generations of a key are admitted together and share one place, since the engine computes them once.
//
// Every ticket that Admit returns must be given back by Leave, exactly once, whether it got a place or not. These hold
// between two calls: a line is there while the session has tickets; inside counts the different places, of the line and
// in all; and tickets wait only while no place is free and their session has one.
type Gate struct {
	places int // how many generations the engine takes at once
	most   int // how many tickets of a session may wait

	mu      sync.Mutex // guards what follows; no other lock is taken under it
	inside  int        // places taken
	arrived int        // tickets so far
	keys    map[int]*count
	lines   map[session.Name]*line
	equals  map[equal]*place // of generations that are inside
	queued  map[equal]int    // waiting tickets
}

// count says how much one key has, or all of them.
type count struct{ inside, waiting int }

// line is what one session has.
type line struct {
	session session.Name
	inside  int       // places
	queue   []*Ticket // those that wait, in the order of their arrival
}

// place is one generation in the engine. It counts for the session that came first.
type place struct {
	line    *line
	equal   equal
	tickets int // that share it
}

// equal is what equal generations have in common; its name is empty for one that is equal to none.
type equal struct {
	key  int
	name string
}

// Ticket is one generation that waits, or has a place: then admitted is closed. Only the gate closes it, under its
// lock.
type Ticket struct {
	line     *line
	equal    equal
	arrived  int
	place    *place // nil while it waits
	shared   bool   // another one had the place before
	admitted chan struct{}
}

// New makes a gate for an engine that computes places generations at once. Of each session most may wait, and of each
// key twice as many.
func New(places, most int) *Gate {
	return &Gate{places: places, most: most, keys: make(map[int]*count), lines: make(map[session.Name]*line),
		equals: make(map[equal]*place), queued: make(map[equal]int)}
}

// Admit queues a session's generations, by names that equal ones have in common ("" for one that equals none), or
// refuses all of them with ErrFull if more would wait than may. A session may have half of the room to wait that the
// others of its key leave. Those that find a place free have it when Admit returns; one that equals a generation which
// is being computed joins that one past all lines.
func (g *Gate) Admit(name session.Name, names []string) ([]*Ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, k, err := g.room(name, len(names))
	if err != nil {
		return nil, err
	}
	g.lines[name], g.keys[name.Key] = l, k
	tickets := make([]*Ticket, len(names))
	for i, equals := range names {
		g.arrived++
		t := &Ticket{line: l, equal: equal{name.Key, equals}, arrived: g.arrived, admitted: make(chan struct{})}
		tickets[i] = t
		if p := g.equals[t.equal]; p != nil {
			g.grant(t, p)
			continue
		}
		l.queue = append(l.queue, t)
		k.waiting++
		g.queued[t.equal]++
	}
	g.serve()
	g.tidy(l)
	return tickets, nil
}

// Room is the answer that Admit would give at this moment to n generations of a session. It costs nothing, so a request
// is asked it before anything is done for it: what a flood of refused requests costs is taken from everybody.
func (g *Gate) Room(name session.Name, n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _, err := g.room(name, n)
	return err
}

// room returns the line and the key of a session, new ones if it has none, or ErrFull if there is no room for n more
// generations of it.
func (g *Gate) room(name session.Name, n int) (*line, *count, error) {
	l, k := g.lines[name], g.keys[name.Key]
	if l == nil {
		l = &line{session: name}
	}
	if k == nil {
		k = new(count)
	}
	free := max(0, g.places-g.inside)
	if l.inside == 0 {
		free = max(free, 1)
	}
	own := len(l.queue) + n - free
	if others := k.waiting - len(l.queue); own > 0 && own > (2*g.most-others)/2 {
		return nil, nil, ErrFull
	}
	return l, k, nil
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
	if p := t.place; p == nil {
		g.unqueue(t)
		g.tidy(t.line)
	} else if p.tickets--; p.tickets == 0 {
		delete(g.equals, p.equal)
		p.line.inside--
		g.keys[p.line.session.Key].inside--
		g.inside--
		g.serve()
		g.tidy(p.line)
	}
}

// serve gives places to those whose turn it is.
func (g *Gate) serve() {
	for l := g.next(); l != nil; l = g.next() {
		first := l.queue[0]
		g.unqueue(first)
		p := &place{line: l, equal: first.equal}
		l.inside++
		g.keys[l.session.Key].inside++
		g.inside++
		g.grant(first, p)
		g.follow(p)
	}
}

// next returns the line whose turn it is, or nil if nobody may enter.
func (g *Gate) next() (best *line) {
	for _, l := range g.lines {
		if len(l.queue) > 0 && (l.inside == 0 || g.inside < g.places) && (best == nil || g.before(l, best)) {
			best = l
		}
	}
	return best
}

// before reports whether of two lines that wait the first has its turn before the second.
func (g *Gate) before(a, b *line) bool {
	return cmp.Or(cmp.Compare(min(a.inside, 1), min(b.inside, 1)),
		cmp.Compare(g.keys[a.session.Key].inside, g.keys[b.session.Key].inside),
		cmp.Compare(a.inside, b.inside), cmp.Compare(a.queue[0].arrived, b.queue[0].arrived)) < 0
}

// grant gives a ticket a share of a place. The ticket is in no queue, or no longer.
func (g *Gate) grant(t *Ticket, p *place) {
	t.place, t.shared = p, p.tickets > 0
	if p.tickets++; p.equal.name != "" {
		g.equals[p.equal] = p
	}
	close(t.admitted)
}

// unqueue takes a waiting ticket out of its line. The search is linear, over at most as many as may wait.
func (g *Gate) unqueue(t *Ticket) {
	i := slices.Index(t.line.queue, t)
	t.line.queue = slices.Delete(t.line.queue, i, i+1)
	g.keys[t.line.session.Key].waiting--
	if g.queued[t.equal]--; g.queued[t.equal] == 0 {
		delete(g.queued, t.equal)
	}
}

// follow admits all waiting tickets that equal one which has just got a place.
func (g *Gate) follow(p *place) {
	if p.equal.name == "" || g.queued[p.equal] == 0 {
		return
	}
	var same []*Ticket
	for _, l := range g.lines {
		for _, t := range l.queue {
			if t.equal == p.equal {
				same = append(same, t)
			}
		}
	}
	slices.SortFunc(same, func(a, b *Ticket) int { return cmp.Compare(a.arrived, b.arrived) })
	for _, t := range same {
		g.unqueue(t)
		g.grant(t, p)
		g.tidy(t.line)
	}
}

// tidy forgets a line, and its key, that have nothing.
func (g *Gate) tidy(l *line) {
	if l.inside > 0 || len(l.queue) > 0 {
		return
	}
	delete(g.lines, l.session)
	if k := g.keys[l.session.Key]; k != nil && *k == (count{}) {
		delete(g.keys, l.session.Key)
	}
}

// Counts returns how many places a key has, and how many of its generations wait for one.
func (g *Gate) Counts(key int) (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := g.keys[key]; k != nil {
		return k.inside, k.waiting
	}
	return 0, 0
}

// Idle reports whether nothing runs and nothing waits but one generation at most.
func (g *Gate) Idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.inside
	for _, k := range g.keys {
		n += k.waiting
	}
	return n <= 1
}
