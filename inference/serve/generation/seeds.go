package generation

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/parley-debate/parley/inference/serve/session"
)

// Seeded returns the n choices of a request, each with its seed. If the client gave a seed, choice 0 has it; the others
// have seeds that are hashed from it. Without one, the seeds follow from the content and from how often the session has
// asked for it. Greedy choices need none, and are then equal.
//
// It is called once for each request, when that has been checked. A request that the gate refuses afterwards has used
// its seeds up: the next equal one gets those that follow.
func (g Spec) Seeded(seed *int64, n int, of *session.Counts, from session.Name) ([]Spec, error) {
	all := make([]Spec, n)
	content := g.content()
	g.hash = &content // once for all choices, also of a request that is refused for its size
	base := uint64(0)
	switch {
	case g.Request.Sampling.Temperature == 0:
	case seed != nil:
		base = uint64(*seed)
	default:
		k, err := of.Occurrence(from, content)
		if err != nil {
			return nil, err
		}
		base = seedFrom(content[:], k, uint64(n))
	}
	for i := range all {
		all[i] = g
		if g.Request.Sampling.Temperature != 0 {
			all[i].Request.Sampling.Seed = SeedOf(base, i)
		}
	}
	return all, nil
}

// SeedOf returns the seed of choice i of a request whose choice 0 has the seed base.
func SeedOf(base uint64, i int) uint64 {
	if i == 0 {
		return base
	}
	return seedFrom([]byte("choice"), base, uint64(i))
}

// seedFrom hashes a seed from a content and numbers. Journals and clients rely on it: it never changes.
func seedFrom(content []byte, numbers ...uint64) uint64 {
	for _, n := range numbers {
		content = binary.LittleEndian.AppendUint64(content, n)
	}
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:])
}
