package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/scheduler"
)

// Token is one drawn token of a reply, as the journal keeps it.
type Token struct {
	ID           int32                  `json:"id"`
	Text         string                 `json:"text,omitempty"` // the characters that the token completes
	LogProb      float32                `json:"logprob"`
	Alternatives []inference.TokenScore `json:"alternatives,omitempty"`
	End          bool                   `json:"end,omitempty"` // the token ended the reply, and has no text
}

// Record is a generation as the engine drew it, up to a stop text. A replay of its tokens gives the reply again.
type Record struct {
	Key    string  `json:"key"` // see inference.Key; at temperature 0 it is that of a request without a seed
	Tokens []Token `json:"tokens,omitempty"`
	Rest   string  `json:"rest,omitempty"` // the bytes of a character that the reply's end cut off
}

// choice is one reply on its way to the client: what was drawn, cut at the first stop text.
//
// Two goroutines share it. One fills it: the engine's goroutine calls piece, or draw replays a record, and then close
// is called once. The other is the handler of the request, which reads with next and calls finishReason after the last
// token. They meet at mu alone, under which nothing else of this package is locked, and changed wakes the reader. A
// token moves from withheld to tokens when its text is certain, and what is in tokens never changes.
type choice struct {
	generation
	from    asker
	context context.Context // its end has the engine give the generation up
	cancel  context.CancelFunc

	// Only a choice that was drawn ahead uses these; the mutex of ahead guards them.
	computed bool
	ticket   *admission.Ticket // the place of the request that adopted it; nil while there is none

	joined bool // the engine draws it for an equal one under way; set before the engine is asked

	mu       sync.Mutex // guards what follows
	cut      *ending.Stops
	record   Record
	withheld []Token // tokens whose text may still turn out to be in a stop text
	sure     int     // bytes of their text that are certainly before one
	tokens   []Token // what the client may have, in order
	finish   string  // "stop" or "length", "" while more can be drawn
	closed   bool    // nothing follows: the reply is complete and in the journal, or err says why not
	err      error
	began    bool          // the engine has drawn something
	cached   int           // prompt tokens that were not computed for it
	read     int           // tokens that the client has
	changed  chan struct{} // has a value when there may be more to read
}

// newChoice makes an empty choice. Its context is a child of ctx: it ends when the client goes, or with cancel.
func newChoice(ctx context.Context, from asker, g generation) *choice {
	c := &choice{generation: g, from: from, cut: ending.NewStops(g.stops), changed: make(chan struct{}, 1)}
	c.context, c.cancel = context.WithCancel(ctx)
	return c
}

// rest is the ID of a token that the model never drew: it stands for the characters that the reply's end cut off.
const rest = -1

// piece takes what the engine draws. The engine's goroutine calls it, with the driver's lock held: it must return at
// once and not call the engine. What comes after a stop text is dropped; the engine learns by the context that it can
// end.
func (c *choice) piece(p inference.Piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(p)
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

// count counts for the tenant what the engine did: at the first piece the prompt, then each token, unless they are
// drawn for an equal generation. The caller holds mu.
func (c *choice) count(p inference.Piece) {
	if !c.began {
		c.began = true
		c.from.count(len(c.prompt), p.Cached)
	}
	if p.Drawn != nil && !c.joined {
		c.from.drawn.Add(1)
	}
}

// replay takes a generation from the journal. Its prompt counts as cached, since nothing of it is computed.
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

// add records a token, and ends the reply if the token completes a stop text. The caller holds mu, as the callers of
// push, pass, end and signal do.
func (c *choice) add(t Token) {
	c.record.Tokens = append(c.record.Tokens, t)
	if c.push(t) {
		c.finish = "stop"
		c.cancel()
	}
}

// push releases the tokens whose text certainly comes before any stop text. If a stop text is complete, the token in
// which it begins keeps only the text before it, and the tokens after that are not shown.
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

// pass releases the tokens that lie within the next bytes of the reply. A token that only a part of these bytes belongs
// to is withheld as a whole: clients get whole tokens.
func (c *choice) pass(bytes int) {
	c.sure += bytes
	for len(c.withheld) > 0 && len(c.withheld[0].Text) <= c.sure {
		c.sure -= len(c.withheld[0].Text)
		c.tokens, c.withheld = append(c.tokens, c.withheld[0]), c.withheld[1:]
	}
}

// end completes a reply that no stop text has ended so far. The characters that its end cut off may still complete one.
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

// signal wakes the reader. One signal is enough for all that has changed since the reader looked.
func (c *choice) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// close tells the reader that nothing follows. An error counts only if the reply was not complete: once it is, a client
// that goes or a server that ends takes nothing away from it.
func (c *choice) close(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed = true; c.finish == "" {
		c.err = err
	}
	c.signal()
}

// next waits for the next token; more is false after the last one. Only the handler of the request calls it.
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

// all waits for the whole reply, and returns the tokens that next has not returned yet.
func (c *choice) all(ctx context.Context) (tokens []Token, err error) {
	for {
		t, more, err := c.next(ctx)
		if !more {
			return tokens, err
		}
		tokens = append(tokens, t)
	}
}

// finishReason returns how the reply ended, as OpenAI names it, and adds its tokens to the usage. It is called once,
// after the last token: before that, the counts are not complete.
func (c *choice) finishReason(u *usage) (finish string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u.CompletionTokens += len(c.record.Tokens)
	u.computed += len(c.prompt) - c.cached
	return c.finish
}

// startChoices has the engine draw all choices of a request, each when its session's turn comes. All of them are
// admitted to the queue or none is, so that a request never waits for a half of its choices.
//
// The order matters: the tickets come first, since claim and lookAhead count on this request being seen at the gate.
// The goroutine that draws a choice gives its ticket back before it closes the choice, so that a client that asks again
// at once finds the place free.
func (s *Server) startChoices(ctx context.Context, from asker, all []generation) ([]*choice, error) {
	names, choices := make([]string, len(all)), make([]*choice, len(all))
	for i, g := range all {
		names[i] = g.deciding()
	}
	tickets, err := s.gate.Admit(from.session, names)
	if err != nil {
		return nil, err
	}
	if c := s.ahead.claim(from.tenant, all); c != nil { // of a request of one choice, so there is one ticket
		s.adopt(ctx, c, tickets[0])
		s.lookAhead(from, all[0])
		return []*choice{c}, nil
	}
	for i, g := range all {
		c := newChoice(ctx, from, g)
		choices[i] = c
		s.working.Go(bug.Guarded(func() error { return s.draw(c, tickets[i]) }, func(err error) {
			s.gate.Leave(tickets[i]) // before the client can ask again
			c.close(err)
			c.cancel()
		}))
	}
	if len(all) == 1 {
		s.lookAhead(from, all[0])
	}
	return choices, nil
}

// inJournal reports whether the journal has a tenant's generation, by its key.
func (s *Server) inJournal(t *tenant, key string) (ok bool) {
	if s.options.Journal != nil {
		_, ok = s.options.Journal.Known(s.recordKey(t, key))
	}
	return ok
}

// draw fills a choice from the journal, or has it computed when its turn comes. What the journal has needs no place.
func (s *Server) draw(c *choice, t *admission.Ticket) error {
	if j := s.options.Journal; j != nil {
		if r, ok := j.Known(s.recordKey(c.from.tenant, c.deciding())); ok {
			c.from.restored.Add(1)
			c.replay(r)
			return nil
		}
	}
	if err := s.gate.Wait(c.context, t); err != nil {
		return err
	}
	if c.joined = t.Shared(); c.joined {
		c.from.joined.Add(1)
	}
	return s.compute(c)
}

// client returns who asks the engine for the next generation that gets its place.
func (s *Server) client(from asker) inference.Client {
	return inference.Client{Order: int(s.arrived.Add(1)), Space: from.space,
		Party: scheduler.Party{Key: from.number, Session: from.session.Name}}
}

// compute has the engine draw a choice, and then the journal keep it. The choice's lock is held meanwhile, and finish
// is reset: the client must not see the end of a reply that a restarted server would not know.
func (s *Server) compute(c *choice) error {
	r := c.request
	r.OnPiece = c.piece
	replies, err := s.engine.Ask(c.context, s.client(c.from), []inference.Request{r})
	if err == nil {
		err = replies[0].Err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finish == "" {
		return cmp.Or(err, errors.New("the engine ended without a reply"))
	}
	if c.record.Key = s.recordKey(c.from.tenant, c.deciding()); s.options.Journal != nil {
		finish := c.finish
		c.finish = "" // until the reply is kept
		if err := s.options.Journal.Keep(c.record); err != nil {
			return &wire.Failure{Status: http.StatusInsufficientStorage, After: 1,
				Message: fmt.Sprintf("the reply could not be kept in the journal, and so is not given; this is tried "+
					"again for the next request: %v", err)}
		}
		c.finish = finish
	}
	return nil
}
