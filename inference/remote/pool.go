package remote

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/parley-debate/parley/internal/bug"
)

// pool gives jobs a place at a server. A job belongs to the server that its prefix names (rendezvous hashing), so that
// the rounds of a debate find their prompt in that server's cache, and the others keep theirs when a server comes or
// goes. A server with a free place and nobody who waits for it takes a job from the longest queue.
type pool struct {
	options *Options

	mu      sync.Mutex // guards what follows, and the places of servers
	servers []*server
}

// serverLoad is what a pool knows of a server's load. The pool's mutex guards it.
type serverLoad struct {
	queue  []*waiter
	busy   int       // requests under way
	limit  int       // of these, at present
	most   int       // of these, when all is well
	good   int       // answers since the limit was raised
	faults int       // in a row
	failed time.Time // the last of them
	until  time.Time // no request before then
}

// waiter is a job that waits for a place.
type waiter struct {
	prefix uint64
	got    chan *server
}

// waitForServer waits for a place at a server. Whoever gets one gives it back (give), in any case.
func (p *pool) waitForServer(ctx context.Context, prefix uint64) (*server, error) {
	w := &waiter{prefix, make(chan *server, 1)}
	p.mu.Lock()
	s := p.preferred(prefix)
	s.queue = append(s.queue, w)
	p.dispatch()
	p.mu.Unlock()
	select {
	case s := <-w.got:
		if ctx.Err() == nil {
			return s, nil
		}
		w.got <- s // it came at the moment of the end: nothing is sent any more
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		s.queue = slices.DeleteFunc(s.queue, func(o *waiter) bool { return o == w })
	}
	select {
	case s := <-w.got:
		s.busy--
		p.dispatch()
	default:
	}
	return nil, context.Cause(ctx)
}

// preferred is the server of a prefix: of those that are not paused, if there are any, the one with the highest hash.
func (p *pool) preferred(prefix uint64) (best *server) {
	var score uint64
	now := time.Now()
	for _, paused := range []bool{false, true} {
		for _, s := range p.servers {
			if n := rank(prefix, s.url); s.until.After(now) == paused && (best == nil || n > score) {
				best, score = s, n
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

func rank(prefix uint64, url string) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, prefix))
	h.Write([]byte(url))
	// the last bytes of FNV are mixed least
	n := h.Sum64()
	n ^= n >> 33
	n *= 0xff51afd7ed558ccd
	return n ^ n>>33
}

// dispatch fills free places: of each server first from its own queue, then from the longest. The caller has the lock.
func (p *pool) dispatch() {
	now := time.Now()
	for _, s := range p.servers {
		for s.free(now) && len(s.queue) > 0 {
			s.admit(s)
		}
	}
	for _, s := range p.servers {
		for s.free(now) {
			longest := slices.MaxFunc(p.servers, func(a, b *server) int { return len(a.queue) - len(b.queue) })
			if len(longest.queue) == 0 {
				return
			}
			s.admit(longest)
		}
	}
}

func (s *server) free(now time.Time) bool { return s.busy < s.limit && !s.until.After(now) }

// admit gives a place to the first in a queue.
func (s *server) admit(from *server) {
	w := from.queue[0]
	from.queue = from.queue[1:]
	s.busy++
	w.got <- s
}

// give returns a place. A fault has the server left alone for a while; began is when the request was sent: requests
// that were under way when the server first failed say nothing new.
func (p *pool) give(s *server, f *fault, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy--
	if f == nil {
		if s.faults >= tellAfter {
			p.tell("server %s answers again", s.url)
		}
		s.faults = 0
		if s.good++; s.good >= s.limit && s.limit < s.most {
			s.good = 0
			s.limit++
		}
	} else {
		p.leave(s, f, began)
	}
	p.dispatch()
}

// leave has a server left alone after a fault.
func (p *pool) leave(s *server, f *fault, began time.Time) {
	now := time.Now()
	if began.After(s.failed) {
		s.failed = now
		if s.faults++; s.faults == tellAfter {
			p.tell("%v; trying again for up to %s", f, p.options.Patience)
		}
		if f.busy {
			s.good, s.limit = 0, max(1, s.limit/2)
		}
	}
	if until := now.Add(max(f.after, p.options.backoff(s.faults))); until.After(s.until) {
		s.until = until
		time.AfterFunc(time.Until(until), bug.Lone(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.dispatch()
		}))
	}
	if f.busy {
		return // its queue waits; others may take from it
	}
	moved := s.queue
	s.queue = nil
	for _, w := range moved {
		to := p.preferred(w.prefix)
		to.queue = append(to.queue, w)
	}
}

// tellAfter is how many faults in a row are told: a single one is nothing to worry about.
const tellAfter = 2

// tell says a line to whoever runs the engine.
func (p *pool) tell(format string, args ...any) {
	if p.options.Says != nil {
		p.options.Says(fmt.Sprintf(format, args...))
	}
}
