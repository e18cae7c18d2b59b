package inference

import (
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/lru"
)

// segmentCache remembers the tokens of parts of prompts. Every prompt of an agent repeats what it has been asked and
// what it has replied before, and others hear the same replies, so that most parts of a prompt are known; the
// tokenizer's regular expressions take longer over them than all else that Go does for a request.
//
// A part ends where a control token or the text of a message ends, and where lines of a message do (Model.Lines). The
// tokenizer never joins what stands on both sides of such an end, so that the tokens of a part do not depend on what
// surrounds it.
type segmentCache struct {
	mu    sync.Mutex
	kept  *lru.Cache[segment, []step.Token]
	bytes int // of the texts and tokens that are kept
	hits  int // parts that were found in kept
}

// segment is a text and how it is tokenized: First adds what the model puts before and after a prompt, Control reads
// texts of control tokens as these.
type segment struct {
	Text           string
	First, Control bool
}

// tokenizer is what a model does with texts.
type tokenizer interface {
	Tokenize(text string, addSpecial, parseSpecial bool) ([]step.Token, error)
	Lines(text string) []string
	TokenizeLines(lines []string, parseSpecial bool) ([][]step.Token, error)
	Ends() (before, after []step.Token, err error)
}

// mostSegmentBytes bounds the memory of what is kept.
const mostSegmentBytes = 64 << 20

// newSegmentCache returns a cache in which nothing is kept yet. All of its methods may be called from several
// goroutines.
func newSegmentCache() *segmentCache {
	s := &segmentCache{}
	// bounded by bytes, not by their number
	s.kept = lru.New(0, func(key segment, tokens []step.Token) { s.bytes -= key.bytes(tokens) })
	return s
}

// bytes estimates the memory of a part that is kept, with that of the map.
func (k segment) bytes(tokens []step.Token) int { return len(k.Text) + 4*len(tokens) + 128 }

// tokens returns the tokens of a segment: what is remembered of it, and what the model's tokenizer makes of the rest.
func (s *segmentCache) tokens(m tokenizer, key segment) (tokens []step.Token, err error) {
	lines := m.Lines(key.Text)
	if len(lines) == 1 {
		return s.whole(m, key)
	}
	if !key.First {
		return s.ofLines(m, lines, key.Control)
	}
	before, after, err := m.Ends()
	if err != nil {
		return nil, err
	}
	tokens, err = s.ofLines(m, lines, key.Control)
	return slices.Concat(before, tokens, after), err
}

// whole returns the tokens of a segment that is not cut.
func (s *segmentCache) whole(m tokenizer, key segment) (tokens []step.Token, err error) {
	if tokens, ok := s.get(key); ok {
		return tokens, nil
	}
	if tokens, err = m.Tokenize(key.Text, key.First, key.Control); err == nil {
		s.add(key, tokens)
	}
	return tokens, err
}

// ofLines returns the tokens of lines. Unknown lines that follow one another are tokenized in one call.
func (s *segmentCache) ofLines(m tokenizer, lines []string, control bool) (tokens []step.Token, err error) {
	for i := 0; i < len(lines); {
		if some, ok := s.get(segment{Text: lines[i], Control: control}); ok {
			tokens, i = append(tokens, some...), i+1
			continue
		}
		end := i + 1
		for end < len(lines) && !s.has(segment{Text: lines[end], Control: control}) {
			end++
		}
		made, err := m.TokenizeLines(lines[i:end], control)
		if err != nil {
			return nil, err
		}
		for _, some := range made {
			s.add(segment{Text: strings.Clone(lines[i]), Control: control}, some)
			tokens, i = append(tokens, some...), i+1
		}
	}
	return tokens, nil
}

func (s *segmentCache) get(key segment) (tokens []step.Token, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens, ok = s.kept.Get(key)
	if ok {
		s.hits++
	}
	return tokens, ok
}

func (s *segmentCache) has(key segment) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.kept.Get(key)
	return ok
}

func (s *segmentCache) add(key segment, tokens []step.Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.kept.Get(key); known { // somebody else may have added it
		return
	}
	s.kept.Add(key, tokens)
	for s.bytes += key.bytes(tokens); s.bytes > mostSegmentBytes; {
		s.kept.RemoveOldest()
	}
}
