package serve

import (
	"context"
	"net/http"
	"sync"
)

// gate lets a bounded number of generations into the engine at once, and shares the places fairly between sessions, by
// deficit round robin (Shreedhar and Varghese, 1995): in its turn a session may spend a quantum of tokens, prompt and
// bound on the reply counted, and what it cannot spend is kept for its next turn while it waits. Within a session, who
// came first goes first. The gate decides when a generation is computed, never what its reply is.
//
// Equal generations are admitted together and share one place, since the engine computes them once.
//
// Every ticket that admit returns must be given back by leave, exactly once, whether it got a place or not. These hold
// between two calls: free is places less the different keys inside, each ticket without a key counting for itself;
// waiting is the number of tickets in all lines; a session has a line only while it has tickets that wait; and tickets
// wait only while no place is free.
type gate struct {
	places  int // how many generations the engine takes at once
	most    int // how many tickets may wait
	quantum int // tokens that a session may spend in its turn

	mu      sync.Mutex       // guards what follows; no other lock is taken under it
	free    int              // places that nobody has
	waiting int              // tickets in all lines
	turns   []*line          // the first of them has the turn
	lines   map[string]*line // those of turns, by session
	inside  map[string]int   // counts admitted tickets by key
	queued  map[string]int   // counts waiting tickets by key
}

// line is the queue of one session. It exists as long as something of the session waits.
type line struct {
	session string
	deficit int       // tokens that the session may still spend
	fresh   bool      // its next turn has not begun, and the quantum of that is not in deficit yet
	queue   []*ticket // in the order of their arrival, never empty
}

// want is a generation to be admitted.
type want struct {
	cost int    // tokens
	key  string // equal generations have the same; empty for one that is equal to none
}

// ticket is one generation that waits, or has a place: then admitted is closed. Only the gate closes it, under its
// lock.
type ticket struct {
	want
	admitted chan struct{}
}

// newGate makes a gate for an engine that computes places generations at once. quantum must be above 0: serve would not
// end.
func newGate(places, most, quantum int) *gate {
	return &gate{places: places, free: places, most: most, quantum: quantum, lines: make(map[string]*line),
		inside: make(map[string]int), queued: make(map[string]int)}
}

// admit queues a session's generations, or refuses all of them if more would wait than may. Those that find a place
// free have it when admit returns; one that equals a generation which is being computed joins that one past all lines.
func (g *gate) admit(session string, wants []want) ([]*ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.waiting + len(wants) - g.free; n > g.most {
		return nil, &failure{status: http.StatusTooManyRequests, after: 1,
			message: "too many requests wait; try again later, or see parley serve --max-waiting"}
	}
	tickets := make([]*ticket, len(wants))
	for i, w := range wants {
		tickets[i] = &ticket{w, make(chan struct{})}
		if w.key != "" && g.inside[w.key] > 0 {
			g.grant(tickets[i])
			continue
		}
		l := g.lines[session]
		if l == nil {
			l = &line{session: session, fresh: true}
			g.lines[session], g.turns = l, append(g.turns, l)
		}
		l.queue = append(l.queue, tickets[i])
		g.queued[w.key]++
		g.waiting++
	}
	g.serve()
	return tickets, nil
}

// wait returns when the ticket has a place, or with the error of ctx. In both cases the ticket is still to be given
// back by leave: a place may come at the moment in which ctx ends.
func (g *gate) wait(ctx context.Context, t *ticket) error {
	select {
	case <-t.admitted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives up a ticket: its place, or its position in the line. The place becomes free when the last of the equal
// generations that share it has left.
func (g *gate) leave(t *ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-t.admitted:
		g.inside[t.key]--
		if t.key != "" && g.inside[t.key] > 0 {
			return // an equal one keeps the place
		}
		if g.inside[t.key] == 0 {
			delete(g.inside, t.key)
		}
		g.free++
		g.serve()
	default:
		g.drop(t)
	}
}

// grant gives a ticket a place. The ticket is in no line, or no longer; the caller holds mu and has counted the place.
func (g *gate) grant(t *ticket) {
	g.inside[t.key]++
	close(t.admitted)
}

// unqueue counts a ticket that has left its line, for whatever reason. The caller holds mu and has removed it.
func (g *gate) unqueue(t *ticket) {
	g.waiting--
	if g.queued[t.key]--; g.queued[t.key] == 0 {
		delete(g.queued, t.key)
	}
}

// follow admits all waiting tickets that equal one which has just been admitted. They take no place and spend nothing
// of their sessions' quanta. They are collected first, since drop changes the lines.
func (g *gate) follow(key string) {
	if key == "" || g.queued[key] == 0 {
		return
	}
	var equal []*ticket
	for _, l := range g.turns {
		for _, t := range l.queue {
			if t.key == key {
				equal = append(equal, t)
			}
		}
	}
	for _, t := range equal {
		g.drop(t)
		g.grant(t)
	}
}

// drop removes a waiting ticket from its line. The search is linear, over at most as many tickets as may wait.
func (g *gate) drop(t *ticket) {
	for at, l := range g.turns {
		for i, other := range l.queue {
			if other != t {
				continue
			}
			l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
			g.unqueue(t)
			if len(l.queue) == 0 {
				g.remove(at)
			}
			return
		}
	}
}

// remove ends the line of a session for which nothing waits any more. What it had saved of its quanta goes with it.
func (g *gate) remove(at int) {
	delete(g.lines, g.turns[at].session)
	g.turns = append(g.turns[:at:at], g.turns[at+1:]...)
}

// serve gives free places to those whose turn it is. The line at the front of turns has the turn; a line that comes to
// the front gets its quantum once. A generation that costs more than one quantum waits for several turns, so that the
// loop ends: each round raises the deficit of every line.
func (g *gate) serve() {
	for g.free > 0 && len(g.turns) > 0 {
		l := g.turns[0]
		if l.fresh {
			l.deficit += g.quantum
			l.fresh = false
		}
		if first := l.queue[0]; first.cost <= l.deficit {
			l.deficit -= first.cost
			l.queue = l.queue[1:]
			g.unqueue(first)
			g.free--
			g.grant(first)
			if len(l.queue) == 0 {
				g.remove(0) // who has nothing that waits keeps no deficit
			}
			g.follow(first.key)
			continue
		}
		l.fresh = true
		g.turns = append(g.turns[1:], l)
	}
}

// counts returns how many places are taken, and how many generations wait for one.
func (g *gate) counts() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.places - g.free, g.waiting
}
