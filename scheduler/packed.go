package scheduler

import (
	"encoding/binary"
	"math"

	"github.com/parley-debate/parley/inference/step"
)

// packed are the tokens of a finished generation, which is kept as long as the scheduler: about six bytes for each
// token, where a step.Sampled takes forty. A token is a varint of its id above the flags below, and its
// log-probability; one that is marked has more behind it.
type packed []byte

// kept is what is kept of a finished generation, for equal requests.
type kept struct {
	tokens packed
	known  any
	err    error
}

// leastPacked is the bytes that a packed token has at least.
const leastPacked = 5

// Flags of a packed token.
const (
	packedEnd = 1 << iota
	packedPut
	packedMore // Stuck and Alternatives follow
	packedBits = iota
)

// pack packs tokens.
func pack(tokens []step.Sampled) packed {
	var buffer []byte
	for _, s := range tokens {
		flags := uint64(uint32(s.Token)) << packedBits
		if s.End {
			flags |= packedEnd
		}
		if s.Put {
			flags |= packedPut
		}
		more := s.Stuck != 0 || s.Alternatives != nil
		if more {
			flags |= packedMore
		}
		buffer = appendFloat(binary.AppendUvarint(buffer, flags), s.LogProb)
		if !more {
			continue
		}
		buffer = binary.AppendUvarint(buffer, uint64(uint32(s.Stuck)))
		buffer = binary.AppendUvarint(buffer, uint64(len(s.Alternatives)))
		for _, a := range s.Alternatives {
			buffer = appendFloat(binary.AppendUvarint(buffer, uint64(uint32(a.Token))), a.LogProb)
		}
	}
	return append(make(packed, 0, len(buffer)), buffer...)
}

func appendFloat(buffer []byte, x float32) []byte {
	return binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
}

// all yields the tokens in order.
func (p packed) all(yield func(step.Sampled) bool) {
	for len(p) > 0 {
		flags := p.number()
		s := step.Sampled{Token: step.Token(flags >> packedBits), LogProb: p.float(), End: flags&packedEnd != 0,
			Put: flags&packedPut != 0}
		if flags&packedMore != 0 {
			s.Stuck = step.Stuck(p.number())
			for range p.number() {
				token := step.Token(p.number())
				s.Alternatives = append(s.Alternatives, step.Alternative{Token: token, LogProb: p.float()})
			}
		}
		if !yield(s) {
			return
		}
	}
}

// number takes a varint off the front.
func (p *packed) number() uint64 {
	x, n := binary.Uvarint(*p)
	*p = (*p)[n:]
	return x
}

// float takes a number of four bytes off the front.
func (p *packed) float() float32 {
	x := math.Float32frombits(binary.LittleEndian.Uint32(*p))
	*p = (*p)[4:]
	return x
}
