package inference

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/parley-debate/parley/inference/step"
)

// segments remembers the tokens of parts of prompts. Every prompt of an agent repeats what it has been asked and what
// it has replied before, and others hear the same replies, so that most parts of a prompt are known; the tokenizer's
// regular expressions take longer over them than all else that Go does for a request.
//
// A part ends where a control token or the text of a message ends. The tokenizer never joins what stands on both sides
// of such an end, so that the tokens of a part do not depend on what surrounds it.
type segments struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[segment, []step.Token]
	bytes int // of the texts and tokens that are kept
	known int // how many parts were not tokenized again
}

// segment is the text of a part, and how it is read.
type segment struct {
	text           string
	first, control bool
}

// mostSegmentBytes bounds the memory of what is kept.
const mostSegmentBytes = 64 << 20

func newSegments() *segments {
	s := new(segments)
	s.kept, _ = simplelru.NewLRU(math.MaxInt, func(key segment, tokens []step.Token) { s.bytes -= key.bytes(tokens) })
	return s
}

func (k segment) bytes(tokens []step.Token) int { return len(k.text) + 4*len(tokens) + 128 }

// tokens are those of a segment: as remembered, or as tokenize has them. Callers do not change them.
func (s *segments) tokens(key segment, tokenize func(segment) ([]step.Token, error)) ([]step.Token, error) {
	s.mu.Lock()
	tokens, ok := s.kept.Get(key)
	if ok {
		s.known++
	}
	s.mu.Unlock()
	if ok {
		return tokens, nil
	}
	tokens, err := tokenize(key)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.kept.Contains(key) { // somebody else may have added it
		s.kept.Add(key, tokens)
		for s.bytes += key.bytes(tokens); s.bytes > mostSegmentBytes; {
			s.kept.RemoveOldest()
		}
	}
	return tokens, nil
}
