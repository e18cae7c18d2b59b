package debate

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Seeds derives seeds and random streams from names. They depend on the run, the case and who speaks when, and never on
// the protocol: conditions that ask the same get the same reply, and sample k is the same however many are drawn. Any
// change to what is hashed would change the results of every experiment.
type Seeds struct{ Run uint64 }

// Of returns the seed of one generation.
func (s Seeds) Of(caseID string, agent, round, sample int) uint64 {
	return s.Hash("generation", caseID, agent, round, sample)
}

// Orders returns the random streams from which lists are shuffled in a round, by receiver; -1 is for all receivers.
func (s Seeds) Orders(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("order", caseID, receiver, round), 0))
	}
}

// Peers returns the random streams from which it is drawn whom a receiver hears in a round.
func (s Seeds) Peers(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("peers", caseID, receiver, round), 0))
	}
}

// Ties returns the random stream from which one of several tied answers is drawn.
func (s Seeds) Ties(caseID string) *rand.Rand {
	return rand.New(rand.NewPCG(s.Hash("ties", caseID), 0))
}

// Hash returns the first 8 bytes of the SHA-256 of its arguments, in an encoding in which every string is preceded by
// its length, so that different arguments never encode alike.
func (s Seeds) Hash(kind, caseID string, numbers ...int) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, s.Run)
	for _, text := range []string{kind, caseID} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(int64(n)))
	}
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
