package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
)

// assignSeeds returns the n choices of a request, each with its seed. If the client gave a seed, choice 0 has it; the
// others have seeds that are hashed from it. Without one, the seeds follow from the content and from how often the
// session has asked for it. Greedy choices need none, and are then equal.
//
// It is called once for each request, when that has been checked. A request that the gate refuses afterwards has used
// its seeds up: the next equal one gets those that follow.
func (s *Server) assignSeeds(from asker, seed *int64, g generation, n int) ([]generation, error) {
	all := make([]generation, n)
	base := uint64(0)
	switch {
	case g.request.Sampling.Temperature == 0:
	case seed != nil:
		base = uint64(*seed)
	default:
		content := g.content()
		k, err := s.sessions.Occurrence(from.session, content)
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
// order requests without a seed count as repetitions, and may still have them computed at once. Where there is no
// memory for a request besides those under way, it waits; only what needs more than there is in all is refused.
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
