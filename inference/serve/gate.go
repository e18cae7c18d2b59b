package serve

import (
	"context"
	"net/http"
	"sync"
)

// gate lets at most so many generations into the engine at once, and shares the places fairly between sessions, by
// deficit round robin (Shreedhar and Varghese, 1995): in its turn a session may spend a quantum of tokens, prompt and
// bound on the reply counted, and what it cannot spend is kept for its next turn while it waits. Within a session, who
// came first goes first. It says when a generation is computed, never what it says.
//
// Equal generations are admitted together and share one place, since the engine computes them once.
type gate struct {
	mu      sync.Mutex
	places  int
	free    int // places
	waiting int
	most    int // that may wait
	quantum int // tokens
	turns   []*line
	lines   map[string]*line
	inside  map[string]int // admitted tickets by their keys
	queued  map[string]int // those that wait
}

// line is what waits of one session.
type line struct {
	session string
	deficit int // tokens that it may still spend
	fresh   bool
	queue   []*ticket
}

// want is a generation to be admitted.
type want struct {
	cost int    // tokens
	key  string // equal generations have the same; empty for one that is equal to none
}

// ticket is one generation that waits. Its place is given by closing admitted.
type ticket struct {
	want
	admitted chan struct{}
}

func newGate(places, most, quantum int) *gate {
	return &gate{places: places, free: places, most: most, quantum: quantum, lines: make(map[string]*line),
		inside: make(map[string]int), queued: make(map[string]int)}
}

// admit makes room for tickets to wait, or refuses all of them.
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

// wait returns when the ticket has a place, or with the error of ctx. The place is given back by leave, in any case.
func (g *gate) wait(ctx context.Context, t *ticket) error {
	select {
	case <-t.admitted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives up the ticket's place, or its place in the line.
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

// grant admits a ticket that is in no line, or no longer.
func (g *gate) grant(t *ticket) {
	g.inside[t.key]++
	close(t.admitted)
}

// unqueue counts a ticket that waits no longer.
func (g *gate) unqueue(t *ticket) {
	g.waiting--
	if g.queued[t.key]--; g.queued[t.key] == 0 {
		delete(g.queued, t.key)
	}
}

// follow admits all that wait and are equal to a generation that has been admitted.
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

// drop takes a ticket that waits out of its line.
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

func (g *gate) remove(at int) {
	delete(g.lines, g.turns[at].session)
	g.turns = append(g.turns[:at:at], g.turns[at+1:]...)
}

// serve gives free places to those whose turn it is. The line at the front of turns has the turn; a line that comes to
// the front gets its quantum once.
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

// counts are how many places are taken and how many generations wait for one.
func (g *gate) counts() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.places - g.free, g.waiting
}
