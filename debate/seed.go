package debate

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Seeds makes random streams from names. A stream depends on the run, the case and who speaks when, never on the
// strategy: conditions that ask the same get the same, and sample k is the same however many samples are drawn.
type Seeds struct{ Run uint64 }

// Of is the seed of one generation.
func (s Seeds) Of(caseID string, agent, round, sample int) uint64 {
	return s.Hash("generation", caseID, agent, round, sample)
}

// orders are the random streams in which listings are shuffled in a round, by receiver; -1 is everybody's.
func (s Seeds) Orders(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("order", caseID, receiver, round), 0))
	}
}

// peers are the random streams in which it is drawn whom a receiver hears in a round.
func (s Seeds) Peers(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("peers", caseID, receiver, round), 0))
	}
}

// ties is the random stream in which tied answers are drawn.
func (s Seeds) Ties(caseID string) *rand.Rand {
	return rand.New(rand.NewPCG(s.Hash("ties", caseID), 0))
}

// hash is the first 8 bytes of SHA-256 over an encoding in which every part has its length or a fixed size.
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
