// Package ending finds where a reply ends although its model goes on: before a stop text, or where it repeats itself.
// What it finds depends on the text alone, not on the pieces in which it comes. It knows texts and no tokens.
package ending

import (
	"errors"
	"fmt"
	"strings"
)

// What a request can have of stop texts. Each reply looks for all of them, and keeps a table as large as they are.
const (
	MostStops = 16
	StopBytes = 1024 // of one
)

// CheckStops refuses stop texts that are too many, too long or empty.
func CheckStops(texts []string) error {
	if len(texts) > MostStops {
		return fmt.Errorf("%d stop texts: at most %d are allowed", len(texts), MostStops)
	}
	for i, text := range texts {
		switch {
		case text == "":
			return errors.New("an empty stop text would end every reply: leave it out")
		case len(text) > StopBytes:
			return fmt.Errorf("stop text %d has %d bytes: at most %d are allowed", i+1, len(text), StopBytes)
		}
	}
	return nil
}

// Stops cuts a text that comes in pieces before the stop text that is complete first, and of those that end together
// before the longest. It holds back what may be the beginning of one. Its time is linear in the text.
type Stops struct {
	sought  []partial
	held    string // not yet known to be before a stop text
	stopped bool
}

// partial is how much of a stop text the text so far ends with.
type partial struct {
	text string
	// of each beginning of text: the length of the longest shorter beginning that it ends with (Knuth, Morris, Pratt)
	shorter []int
	at      int
}

// NewStops cuts at any of some texts, none of which is empty. Without any, nothing is cut or held back.
func NewStops(texts []string) *Stops {
	s := new(Stops)
	for _, text := range texts {
		p := partial{text: text, shorter: make([]int, len(text))}
		for i := 1; i < len(text); i++ {
			p.next(text[i])
			p.shorter[i] = p.at
		}
		p.at = 0
		s.sought = append(s.sought, p)
	}
	return s
}

// next reads a byte, and reports whether the stop text is complete.
func (p *partial) next(b byte) bool {
	for p.at > 0 && (p.at == len(p.text) || p.text[p.at] != b) {
		p.at = p.shorter[p.at-1]
	}
	if p.text[p.at] == b {
		p.at++
	}
	return p.at == len(p.text)
}

// Push adds a piece, and returns what is certainly before any stop text, and whether one was found. Nothing follows
// then.
func (s *Stops) Push(piece string) (text string, stopped bool) {
	if s.stopped {
		return "", true
	}
	before := len(s.held)
	s.held += piece
	for i := before; i < len(s.held); i++ {
		longest := 0
		for k := range s.sought {
			if p := &s.sought[k]; p.next(s.held[i]) {
				longest = max(longest, len(p.text))
			}
		}
		if longest > 0 {
			text, s.held, s.stopped = s.held[:i+1-longest], "", true
			return text, true
		}
	}
	open := 0
	for _, p := range s.sought {
		open = max(open, p.at)
	}
	text, s.held = s.held[:len(s.held)-open], s.held[len(s.held)-open:]
	return text, false
}

// Flush returns what was held back when the text ends, or when something else follows that no stop text goes across.
func (s *Stops) Flush() string {
	for k := range s.sought {
		s.sought[k].at = 0
	}
	text := s.held
	s.held = ""
	return text
}

// Cut returns what Stops makes of a whole text.
func Cut(text string, stops []string) (before string, stopped bool) {
	s := NewStops(stops)
	before, stopped = s.Push(text)
	if !stopped {
		return text, false
	}
	return strings.Clone(before), true
}
