package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/internal/bug"
)

// Token is what one drawn token adds to a reply, for a journal.
type Token struct {
	ID           int32                  `json:"id"`
	Text         string                 `json:"text,omitempty"` // the characters that it completes
	LogProb      float32                `json:"logprob"`
	Alternatives []inference.TokenScore `json:"alternatives,omitempty"`
	End          bool                   `json:"end,omitempty"` // it ended the reply, and has no text
}

// Record is a generation as the engine drew it, up to a stop text.
type Record struct {
	Key    string  `json:"key"` // see inference.Key; at temperature 0, of a request without a seed
	Tokens []Token `json:"tokens,omitempty"`
	Rest   string  `json:"rest,omitempty"` // of a character that the reply's end cut off
}

// choice is one reply on its way to the client: what was drawn, cut at the first stop text.
type choice struct {
	generation
	context context.Context // ends what is computed
	cancel  context.CancelFunc

	// of one that was drawn ahead, guarded by ahead
	computed bool
	ticket   *ticket // of the request that it is for; nil while there is none

	mu       sync.Mutex // guards what follows
	cut      *ending.Stops
	record   Record
	withheld []Token // tokens whose text may still turn out to be in a stop text
	sure     int     // bytes of their text that are certainly before one
	tokens   []Token // the others
	finish   string  // "stop" or "length", "" while more can be drawn
	closed   bool    // nothing follows; the journal has the reply
	err      error
	cached   int           // prompt tokens that were not computed for it
	read     int           // tokens that the client has
	changed  chan struct{} // has a value when there may be more to read
}

func newChoice(ctx context.Context, g generation) *choice {
	c := &choice{generation: g, cut: ending.NewStops(g.stops), changed: make(chan struct{}, 1)}
	c.context, c.cancel = context.WithCancel(ctx)
	return c
}

// rest is the ID of a token that stands for characters that the reply's end cut off.
const rest = -1

// piece takes what the engine draws. The engine's own goroutine calls it.
func (c *choice) piece(p inference.Piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finish != "" {
		return
	}
	c.cached = p.Cached
	if p.Drawn != nil {
		c.add(Token{p.Drawn.Token, p.Text, p.Drawn.LogProb, p.Drawn.Alternatives, p.End})
	}
	if p.Done {
		c.record.Rest = p.Text
		c.end()
	}
	c.signal()
}

// replay takes a generation of the journal.
func (c *choice) replay(r Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached = len(c.prompt)
	for _, t := range r.Tokens {
		c.add(t)
	}
	if c.finish == "" {
		c.record.Rest = r.Rest
		c.end()
	}
}

// add takes a token, and ends the reply if it completes a stop text.
func (c *choice) add(t Token) {
	c.record.Tokens = append(c.record.Tokens, t)
	if c.push(t) {
		c.finish = "stop"
		c.cancel()
	}
}

// push passes on the tokens whose text is certainly before a stop text. The text of the last one is cut there.
func (c *choice) push(t Token) (stopped bool) {
	c.withheld = append(c.withheld, t)
	text, stopped := c.cut.Push(t.Text)
	c.pass(len(text))
	if stopped && c.sure > 0 {
		c.withheld[0].Text = c.withheld[0].Text[:c.sure]
		c.tokens = append(c.tokens, c.withheld[0])
	}
	return stopped
}

// pass passes on the tokens within the next bytes of the reply.
func (c *choice) pass(bytes int) {
	c.sure += bytes
	for len(c.withheld) > 0 && len(c.withheld[0].Text) <= c.sure {
		c.sure -= len(c.withheld[0].Text)
		c.tokens, c.withheld = append(c.tokens, c.withheld[0]), c.withheld[1:]
	}
}

// end completes a reply that no stop text has ended so far.
func (c *choice) end() {
	c.finish = "length"
	if n := len(c.record.Tokens); n > 0 && c.record.Tokens[n-1].End && !c.request.Sampling.IgnoreEnd {
		c.finish = "stop"
	}
	if c.record.Rest != "" && c.push(Token{ID: rest, Text: c.record.Rest}) {
		c.finish = "stop"
		return
	}
	c.pass(len(c.cut.Flush()))
}

func (c *choice) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// close tells the client that nothing follows. An error counts only if the reply was not complete.
func (c *choice) close(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed = true; c.finish == "" {
		c.err = err
	}
	c.signal()
}

// next waits for the next token; more is false after the last one.
func (c *choice) next(ctx context.Context) (t Token, more bool, err error) {
	for {
		c.mu.Lock()
		if more = c.read < len(c.tokens); more {
			t = c.tokens[c.read]
			c.read++
		}
		closed, err := c.closed, c.err
		c.mu.Unlock()
		switch {
		case more:
			return t, true, nil
		case closed:
			return t, false, err
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
			return t, false, ctx.Err()
		}
	}
}

// all waits for the whole reply.
func (c *choice) all(ctx context.Context) (tokens []Token, err error) {
	for {
		t, more, err := c.next(ctx)
		if !more {
			return tokens, err
		}
		tokens = append(tokens, t)
	}
}

// finishReason tells how the reply ended, and counts it. It is asked after the last token.
func (c *choice) finishReason(u *usage) (finish string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u.CompletionTokens += len(c.record.Tokens)
	u.computed += len(c.prompt) - c.cached
	return c.finish
}

// startChoices has the engine draw all choices of a request, each when its session's turn comes.
func (s *Server) startChoices(ctx context.Context, session string, all []generation) ([]*choice, error) {
	wants, choices := make([]want, len(all)), make([]*choice, len(all))
	for i, g := range all {
		wants[i] = want{len(g.prompt) + g.request.MaxTokens, g.deciding()}
	}
	tickets, err := s.gate.admit(session, wants)
	if err != nil {
		return nil, err
	}
	if c := s.ahead.claim(all); c != nil {
		s.adopt(ctx, c, tickets[0])
		s.lookAhead(all[0])
		return []*choice{c}, nil
	}
	for i, g := range all {
		c := newChoice(ctx, g)
		choices[i] = c
		s.working.Go(bug.Guarded(func() error { return s.draw(c, tickets[i]) }, func(err error) {
			s.gate.leave(tickets[i]) // before the client can ask again
			c.close(err)
			c.cancel()
		}))
	}
	if len(all) == 1 {
		s.lookAhead(all[0])
	}
	return choices, nil
}

// inJournal reports whether the journal has a generation.
func (s *Server) inJournal(key string) (ok bool) {
	if s.options.Journal != nil {
		_, ok = s.options.Journal.Known(key)
	}
	return ok
}

// draw takes a choice from the journal, or computes it when its turn comes.
func (s *Server) draw(c *choice, t *ticket) error {
	if j := s.options.Journal; j != nil {
		if r, ok := j.Known(c.deciding()); ok {
			s.restored.Add(1)
			c.replay(r)
			return nil
		}
	}
	if err := s.gate.wait(c.context, t); err != nil {
		return err
	}
	return s.compute(c)
}

// compute has the engine draw a choice, and the journal keep it.
func (s *Server) compute(c *choice) error {
	r := c.request
	r.OnPiece = c.piece
	replies, err := s.engine.Ask(c.context, int(s.arrived.Add(1)), []inference.Request{r})
	if err == nil {
		err = replies[0].Err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finish == "" {
		return cmp.Or(err, errors.New("the engine ended without a reply"))
	}
	if c.record.Key = c.deciding(); s.options.Journal != nil {
		finish := c.finish
		c.finish = "" // until the reply is kept
		if err := s.options.Journal.Keep(c.record); err != nil {
			return fmt.Errorf("the reply could not be kept in the journal: %w", err)
		}
		c.finish = finish
	}
	return nil
}
