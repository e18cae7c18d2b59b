package scheduler

import (
	"math/bits"

	"github.com/parley-debate/parley/inference/step"
)

// MaxSequences bounds the sequences of an engine: llama.cpp's compiled-in limit (LLAMA_MAX_SEQ).
const MaxSequences = 256

// seqSet is a set of sequences, comparable with ==.
type seqSet [MaxSequences / 64]uint64

func (s *seqSet) add(q step.SeqID)      { s[q/64] |= 1 << (q % 64) }
func (s *seqSet) remove(q step.SeqID)   { s[q/64] &^= 1 << (q % 64) }
func (s *seqSet) has(q step.SeqID) bool { return s[q/64]>>(q%64)&1 == 1 }
func (s *seqSet) empty() bool           { return *s == seqSet{} }

// with returns the set with one more member.
func (s seqSet) with(q step.SeqID) seqSet {
	s.add(q)
	return s
}

// meets reports whether the two have a member in common.
func (s *seqSet) meets(other seqSet) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// only returns the member of a set of one.
func (s *seqSet) only() (step.SeqID, bool) {
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

// all yields the members, lowest first.
func (s *seqSet) all(yield func(step.SeqID) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(step.SeqID(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}
