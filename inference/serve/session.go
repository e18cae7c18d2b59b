package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// SessionHeader names the session of a request.
const SessionHeader = "X-Parley-Session"

// sessions count how often each session has asked the same without a seed, so that its k-th request always gets the
// k-th of a fixed row of seeds: a program that samples without seeds repeats its results when it starts again in a new
// session.
//
// What is remembered grows with the number of different requests, never with their length or how often they come: a
// request is remembered by its hash. Nothing is forgotten before the session ends, since a seed must not come twice.
type sessions struct {
	most int // bounds contents; 0 is no bound

	mu       sync.Mutex                              // guards what follows
	counts   map[string]map[[sha256.Size]byte]uint64 // by session and content: how often it was asked for
	contents int                                     // the number of different requests in all of counts
}

// sessionOf returns the name of a request's session: the header's, or else that of the field user, or else of the API
// key. Requests that have none of these are in one session together. The word before the name keeps the three apart, so
// that no user can name another client's session by its key.
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

// occurrence returns how often the session has asked for this content before, from 0, and counts the request. It
// refuses a new content when as many are remembered as may be; those that are known go on.
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

// forget begins a session anew: its next request without a seed gets the first seed of its row again.
func (s *sessions) forget(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents -= len(s.counts[session])
	delete(s.counts, session)
}

// assignSeeds returns the n choices of a request, each with its seed. If the client gave a seed, choice 0 has it; the
// others have seeds that are hashed from it. Without one, the seeds follow from the content and from how often the
// session has asked for it. Greedy choices need none, and are then equal.
//
// It is called once for each request, when that has been checked. A request that the gate refuses afterwards has used
// its seeds up: the next equal one gets those that follow.
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

// seedFrom hashes a seed from a content and numbers. Journals and clients rely on it: it never changes.
func seedFrom(content []byte, numbers ...uint64) uint64 {
	for _, n := range numbers {
		content = binary.LittleEndian.AppendUint64(content, n)
	}
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:])
}

// turnKey is the key under which a request's context has the function of WithTurn.
type turnKey struct{}

// WithTurn has a server call a function once a request has its seeds, and before anything is computed for it. what
// names the replies that are asked for, and how the model is run. If the function returns an error, that is the answer.
// A caller that sends one request after the other, each when the function was called or an answer came, fixes in which
// order requests without a seed count as repetitions, and may still have them computed at once.
func WithTurn(ctx context.Context, f func(what string) error) context.Context {
	return context.WithValue(ctx, turnKey{}, f)
}

// turn calls the function of WithTurn, if the request came with one.
func turn(ctx context.Context, what string) error {
	if f, ok := ctx.Value(turnKey{}).(func(string) error); ok {
		return f(what)
	}
	return nil
}

// repetition is the number of a request without a seed among those of its session that ask the same.
type repetition struct {
	content [sha256.Size]byte // see generation.content
	k       uint64            // from 0
}

// withRepetition returns a generation of one choice as its session's k-th repetition, with the seed of that.
func (g generation) withRepetition(content [sha256.Size]byte, k uint64) generation {
	g.repetition = &repetition{content, k}
	g.request.Sampling.Seed = seedFrom(content[:], k, 1)
	return g
}
