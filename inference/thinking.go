package inference

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/step"
)

// ErrWaits is the error of a model whose reasoning cannot be made to go on.
var ErrWaits = errors.New("no mark that ends the model's reasoning is one token of its vocabulary, or it has none " +
	"for \"" + waitWord + "\", so that nothing can take its place")

// waitWord has reasoning go on, as in s1.
const waitWord = "Wait"

// thinking is how a model's reasoning is bounded, see Sampling.ReasoningTokens. The zero value bounds none.
type thinking struct {
	on, off func() (*chat.Template, error)
	ending  []step.Token // what ends reasoning at its bound
	ends    []step.Token // marks that end it, those of one token
	wait    []step.Token // what has it go on in the place of such a mark
}

// newThinking returns how the reasoning of a template's model is bounded.
func newThinking(t *chat.Template) thinking {
	switched := func(on bool) func() (*chat.Template, error) {
		return sync.OnceValues(func() (*chat.Template, error) {
			to, _, err := t.Thinking(on)
			if err != nil {
				err = Cannot{fmt.Errorf("--reasoning-tokens: %w: leave it out for this model, or give it another "+
					"template with --chat-template", err)}
			}
			return to, err
		})
	}
	return thinking{on: switched(true), off: switched(false)}
}

// waits reports whether reasoning can be made to go on.
func (t thinking) waits() bool { return len(t.ends) > 0 && len(t.wait) > 0 }

// templateFor returns the template that renders conversations for a sampling.
func (m *instance) templateFor(s Sampling) (*chat.Template, error) {
	switch n, set := s.ReasoningTokens.Tokens(); {
	case !set:
		return m.template, nil
	case s.ReasoningWaits > 0 && !m.thinking.waits():
		return nil, Cannot{fmt.Errorf("--reasoning-waits: %w: leave it out for this model", ErrWaits)}
	case n > 0:
		return m.thinking.on()
	}
	return m.thinking.off()
}

// bounded reports whether the reasoning in the reply to a request has a bound of its own. What a grammar shapes, or
// goes on from a text, has none.
func (r Request) bounded() bool {
	return r.Sampling.ReasoningTokens != 0 && r.Grammar == "" && r.Forced == nil && len(r.Continuations) == 0 &&
		!GoesOn(r.Messages)
}

// Most returns how many tokens a model may draw for the reply: of reasoning, where that has a bound, and of the answer.
func (r Request) Most() int {
	if !r.bounded() {
		return r.maxTokens()
	}
	n, _ := r.Sampling.ReasoningTokens.Tokens()
	return n + r.maxTokens()
}

// most returns how many tokens a reply has at most, with those that end its reasoning.
func (m *instance) most(r Request) int {
	if !r.bounded() {
		return r.maxTokens()
	}
	return r.Most() + len(m.thinking.ending) + r.Sampling.ReasoningWaits*len(m.thinking.wait)
}

// bound counts the tokens of a reply whose reasoning is bounded. What it finds depends on the tokens alone.
type bound struct {
	thinking
	read               *reader
	reasoning, answer  int // at most
	ignoreEnd          bool
	reasoned, answered int
	waits              int // how often it may go on where the model would end it
	puts               int // tokens that were put there so far
	ended, endedAt     int // how often they ended the reasoning, and at which of them the last time
}

// newBound returns nil for a reply without such a bound.
func (p *pending) newBound() *bound {
	n, _ := p.Sampling.ReasoningTokens.Tokens()
	if !p.bounded {
		return nil
	}
	return &bound{thinking: p.model.thinking, read: p.dividing(), reasoning: n, answer: p.maxTokens,
		waits: p.Sampling.ReasoningWaits, ignoreEnd: p.Sampling.IgnoreEnd}
}

// token reads a token, and reports whether the answer is as long as it may be. called says that a tool wrote it, into
// the answer.
func (b *bound) token(s step.Sampled, called bool) bool {
	if b == nil {
		return false
	}
	before := b.read.divide.Reasoning()
	reasons := before
	if !s.End && s.Stuck == 0 {
		_, _, reasons = b.read.read(s.Token)
	}
	switch {
	case called:
		b.answered++
	case s.Put:
		b.puts++
		b.putEnds(before && !b.read.divide.Reasoning())
	case reasons:
		b.reasoned++
	default:
		b.answered++
	}
	return b.answered >= b.answer || b.reasoned+b.answered >= b.reasoning+b.answer
}

// put returns what ends the reasoning, if that has come to its bound.
func (b *bound) put() []step.Token {
	if b == nil || b.reasoned < b.reasoning || !b.read.divide.Reasoning() {
		return nil
	}
	return b.ending
}

// instead returns what takes the place of a token that would end the reply within its reasoning, so that the answer
// follows, or of a mark that would end the reasoning, if that is to go on.
func (b *bound) instead(s step.Sampled) []step.Token {
	switch {
	case b == nil || b.reasoned >= b.reasoning || !b.read.divide.Reasoning():
		return nil
	case s.End && !b.ignoreEnd:
		return b.ending
	case b.waited() == b.waits || !slices.Contains(b.ends, s.Token):
		return nil
	}
	return b.wait
}

// putEnds is told whether the token that was put last ends reasoning. More than one of an ending may: that of harmony
// has the name of the part that follows.
func (b *bound) putEnds(ends bool) {
	if ends && (b.ended == 0 || b.puts-b.endedAt >= len(b.ending)) {
		b.ended++
		b.endedAt = b.puts
	}
}

// waited returns how often the reasoning went on where the model would have ended it.
func (b *bound) waited() int { return (b.puts - b.ended*len(b.ending)) / max(1, len(b.wait)) }
