package prefix

import (
	"math/bits"

	"github.com/parley-debate/parley/inference/step"
)

// MaxSequences bounds the sequences of an engine: llama.cpp's compiled-in limit (LLAMA_MAX_SEQ).
const MaxSequences = 256

// SeqSet is a set of sequences, comparable with ==; its zero value is empty. Ids are in [0, MaxSequences).
type SeqSet [MaxSequences / 64]uint64

// Add makes q a member, which it may be already.
func (s *SeqSet) Add(q step.SeqID) { s[q/64] |= 1 << (q % 64) }

func (s *SeqSet) remove(q step.SeqID) { s[q/64] &^= 1 << (q % 64) }

// Has reports whether q is a member.
func (s *SeqSet) Has(q step.SeqID) bool { return s[q/64]>>(q%64)&1 == 1 }

// Meets reports whether the two have a member in common.
func (s *SeqSet) Meets(other *SeqSet) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// Only returns the member of a set of one, false for any other set.
func (s *SeqSet) Only() (step.SeqID, bool) {
	found := step.SeqID(-1)
	for i, word := range s {
		if word == 0 {
			continue
		}
		if found >= 0 || word&(word-1) != 0 {
			return -1, false
		}
		found = step.SeqID(i*64 + bits.TrailingZeros64(word))
	}
	return found, found >= 0
}

// All yields the members, lowest first.
func (s *SeqSet) All(yield func(step.SeqID) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(step.SeqID(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}
