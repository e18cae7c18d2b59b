package serve

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"
)

// ahead draws what a client will ask for next if it goes on asking the same without a seed, one request after the
// other: the seeds of later repetitions are known. It does so only while the server has nothing else to do; any other
// request ends it. A reply that was drawn ahead is the one that its request would have got.
type ahead struct {
	most int // repetitions beyond the one that is asked for; 0 for none

	mu          sync.Mutex
	drawn       map[string]*choice // by key: running or finished, and nobody has asked for them yet
	closed      bool
	began, used atomic.Int64 // generations
}

// repetition is the place of a request without a seed among those of its session that ask the same.
type repetition struct {
	content [sha256.Size]byte
	k       uint64 // from 0
}

// repeated is a generation of one choice as its session's k-th repetition.
func (g generation) repeated(content [sha256.Size]byte, k uint64) generation {
	g.repetition = &repetition{content, k}
	g.request.Sampling.Seed = hashed(content[:], k, 1)
	return g
}

// take hands over what was drawn ahead for a request of one choice. If there is nothing, what was drawn for others is
// given up: the request is other work.
func (a *ahead) take(all []generation) *choice {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.drawn) == 0 {
		return nil
	}
	if len(all) == 1 {
		key := all[0].key()
		if c := a.drawn[key]; c != nil {
			delete(a.drawn, key)
			a.used.Add(1)
			return c
		}
	}
	a.drop()
	return nil
}

func (a *ahead) drop() {
	for key, c := range a.drawn {
		c.cancel()
		delete(a.drawn, key)
	}
}

// close gives up what was drawn, and draws no more.
func (a *ahead) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop()
	a.closed = true
}

// lookAhead has the repetitions drawn that follow a generation, if it is one itself and nothing else is asked for.
func (s *Server) lookAhead(g generation) {
	r := g.repetition
	if s.ahead.most == 0 || r == nil || r.k == 0 {
		return
	}
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	if running, waiting := s.gate.counts(); s.ahead.closed || running+waiting > 1 {
		return
	}
	for i := range s.ahead.most {
		next := g.repeated(r.content, r.k+1+uint64(i))
		key := next.key()
		if s.ahead.drawn[key] != nil || s.inJournal(key) {
			continue
		}
		c := newChoice(context.Background(), next)
		s.ahead.drawn[key] = c
		s.ahead.began.Add(1)
		s.working.Go(func() {
			defer c.cancel()
			err := s.compute(c)
			s.ahead.mu.Lock()
			if c.computed = true; c.place != nil {
				s.gate.leave(c.place)
			}
			s.ahead.mu.Unlock()
			c.close(err)
		})
	}
}

// adopt makes the choice of a request of one that was drawn ahead. If it is still under way, it keeps the request's
// place until it is computed.
func (s *Server) adopt(ctx context.Context, c *choice, t *ticket) {
	context.AfterFunc(ctx, c.cancel)
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	if c.computed {
		s.gate.leave(t)
	} else {
		c.place = t
	}
}
