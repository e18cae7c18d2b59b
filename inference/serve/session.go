package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/parley-debate/parley/internal/bug"
)

// SessionHeader names the session of a request.
const SessionHeader = "X-Parley-Session"

// sessions count how often each session has asked the same without a seed, so that its k-th request always gets the
// k-th of a fixed row of seeds: a program that samples without seeds repeats when it starts anew in a new session.
type sessions struct {
	mu       sync.Mutex
	counts   map[string]map[[sha256.Size]byte]uint64
	contents int // in all of asked
	most     int // of these; 0 for any number
}

// sessionOf is the session of a request: the header, or else the field user, or else the API key.
func sessionOf(r *http.Request, user string) string {
	if name := r.Header.Get(SessionHeader); name != "" {
		return "session " + name
	}
	if user != "" {
		return "user " + user
	}
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return "key " + key
	}
	return ""
}

// occurrence is how often the session has asked for this content before. What is remembered for that is bounded.
func (s *sessions) occurrence(session string, content [sha256.Size]byte) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = make(map[string]map[[sha256.Size]byte]uint64)
	}
	if s.counts[session] == nil {
		s.counts[session] = make(map[[sha256.Size]byte]uint64)
	}
	k, known := s.counts[session][content]
	if !known {
		if s.most > 0 && s.contents >= s.most {
			return 0, &failure{status: http.StatusTooManyRequests, param: "seed",
				message: fmt.Sprintf("%d different requests without a seed are remembered, and there is no room for "+
					"another: send seeds, or end sessions with DELETE /sessions/NAME", s.contents)}
		}
		s.contents++
	}
	s.counts[session][content]++
	return k, nil
}

// forget begins a session anew.
func (s *sessions) forget(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents -= len(s.counts[session])
	delete(s.counts, session)
}

// assignSeeds gives the choices of a request their seeds. If the client gave a seed, choice 0 has it; the others have
// seeds that are hashed from it. What is drawn greedily needs none.
func (s *sessions) assignSeeds(session string, seed *int64, g generation, n int) ([]generation, error) {
	all := make([]generation, n)
	base := uint64(0)
	switch {
	case g.request.Sampling.Temperature == 0:
	case seed != nil:
		base = uint64(*seed)
	default:
		content := g.content()
		k, err := s.occurrence(session, content)
		if err != nil {
			return nil, err
		}
		if n == 1 {
			return []generation{g.withRepetition(content, k)}, nil
		}
		base = seedFrom(content[:], k, uint64(n))
	}
	for i := range all {
		all[i] = g
		if g.request.Sampling.Temperature != 0 {
			all[i].request.Sampling.Seed = base
			if i > 0 {
				all[i].request.Sampling.Seed = seedFrom([]byte("choice"), base, uint64(i))
			}
		}
	}
	return all, nil
}

// seedFrom is a seed that is hashed from a content and numbers.
func seedFrom(content []byte, numbers ...uint64) uint64 {
	for _, n := range numbers {
		content = binary.LittleEndian.AppendUint64(content, n)
	}
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:])
}

// turnKey is where a request's context has the function of WithTurn.
type turnKey struct{}

// WithTurn has a server call a function once a request has its seeds, and before anything is computed for it. what
// names the replies that are asked for, and how the model is run. If the function returns an error, that is the answer.
// A caller that sends one request after the other, each when the function was called or an answer came, fixes in which
// order requests without a seed count as repetitions, and may still have them computed at once.
func WithTurn(ctx context.Context, f func(what string) error) context.Context {
	return context.WithValue(ctx, turnKey{}, f)
}

func turn(ctx context.Context, what string) error {
	if f, ok := ctx.Value(turnKey{}).(func(string) error); ok {
		return f(what)
	}
	return nil
}

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

// withRepetition returns a generation of one choice as its session's k-th repetition, with the seed of that.
func (g generation) withRepetition(content [sha256.Size]byte, k uint64) generation {
	g.repetition = &repetition{content, k}
	g.request.Sampling.Seed = seedFrom(content[:], k, 1)
	return g
}

// claim hands over what was drawn ahead for a request of one choice. If there is nothing, what was drawn for others is
// given up: the request is other work.
func (a *ahead) claim(all []generation) *choice {
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
		next := g.withRepetition(r.content, r.k+1+uint64(i))
		key := next.key()
		if s.ahead.drawn[key] != nil || s.inJournal(key) {
			continue
		}
		c := newChoice(context.Background(), next)
		s.ahead.drawn[key] = c
		s.ahead.began.Add(1)
		s.working.Go(bug.Guarded(func() error { return s.compute(c) }, func(err error) {
			s.ahead.mu.Lock()
			if c.computed = true; c.ticket != nil {
				s.gate.leave(c.ticket)
			}
			s.ahead.mu.Unlock()
			c.close(err)
			c.cancel()
		}))
	}
}

// adopt makes the choice of a request of one that was drawn ahead. If it is still under way, it keeps the request's
// place until it is computed.
func (s *Server) adopt(ctx context.Context, c *choice, t *ticket) {
	context.AfterFunc(ctx, bug.Lone(c.cancel))
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	if c.computed {
		s.gate.leave(t)
	} else {
		c.ticket = t
	}
}
