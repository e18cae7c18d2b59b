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
//
// A place is a request that may be under way. Whoever waitForServer gave one calls give exactly once.
type pool struct {
	options *Options // the engine's

	mu      sync.Mutex // guards the serverLoad of each server; servers itself never changes after Open
	servers []*server
}

// serverLoad is what a pool knows of a server's load. The pool's mutex guards it.
type serverLoad struct {
	queue  []*waiter // jobs that this server is to answer, unless another one has a place earlier
	busy   int       // requests under way
	limit  int       // how many may be at present: halved when the server is busy, raised one by one
	most   int       // how many may be when all is well
	good   int       // answers since the limit was changed
	faults int       // faults in a row
	failed time.Time // when the last of them came
	until  time.Time // the server is left alone until then
}

// waiter is a job that waits for a place. It stands in one queue, until dispatch takes it out and sends the server to
// got, which has room for it: the pool never waits for a job.
type waiter struct {
	prefix uint64
	got    chan *server
}

// waitForServer waits for a place at a server. A place that comes at the moment in which ctx ends is given back here;
// one that is returned is the caller's to give back.
func (p *pool) waitForServer(ctx context.Context, prefix uint64) (*server, error) {
	// the job may get a place at once, in dispatch; got then has the server before it is read
	w := &waiter{prefix, make(chan *server, 1)}
	p.mu.Lock()
	s := p.choose(prefix)
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
	// ctx has ended: the job leaves its queue, and gives back the place that it may have got meanwhile
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

// choose returns the server of a prefix: the one with the highest hash among those that are not paused, or among all
// if all are. The caller holds mu.
func (p *pool) choose(prefix uint64) (best *server) {
	var score uint64
	now := time.Now()
	for _, paused := range []bool{false, true} { // paused ones only if there are no others
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

// rank hashes a prefix with a server's URL. Each server so has its own order of prefixes, which no other server
// changes.
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

// dispatch fills free places: those of each server first from its own queue, then from the longest. Own queues go first
// at all servers, so that a job leaves the server that has its prefix only for a place that nobody there needs. The
// caller holds mu, and calls it whenever a place may have become free or a job has come.
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

// free reports whether a server may be sent another request now.
func (s *server) free(now time.Time) bool { return s.busy < s.limit && !s.until.After(now) }

// admit gives a place at s to the first job in a queue, which may be another server's.
func (s *server) admit(from *server) {
	w := from.queue[0]
	from.queue = from.queue[1:]
	s.busy++
	w.got <- s
}

// give takes a place back. f is the fault of the exchange, nil if the server answered; began is when the request was
// sent: requests that were under way when the server first failed say nothing new.
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

// leave leaves a server alone for a while after a fault. Its queue moves to the servers that are preferred now, unless
// it is only busy. The caller holds mu. A timer dispatches again when the pause is over.
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
		to := p.choose(w.prefix)
		to.queue = append(to.queue, w)
	}
}

// tellAfter is how many faults in a row are told: a single one is nothing to worry about.
const tellAfter = 2

// tell says a line to whoever runs the engine. The caller holds mu: Options.Says must not call the engine.
func (p *pool) tell(format string, args ...any) {
	if p.options.Says != nil {
		p.options.Says(fmt.Sprintf(format, args...))
	}
}
