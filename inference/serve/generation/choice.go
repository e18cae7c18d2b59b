package generation

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/ending"
)

// Token is one drawn token of a reply, as the journal keeps it.
type Token struct {
	ID           int32                  `json:"id"`
	Text         string                 `json:"text,omitempty"` // the characters that the token completes
	LogProb      float32                `json:"logprob"`
	Alternatives []inference.TokenScore `json:"alternatives,omitempty"`
	End          bool                   `json:"end,omitempty"`  // the token ended the reply, and has no text
	Mark         string                 `json:"mark,omitempty"` // see inference.Piece

	// Answer and Reasoning are what Next tells apart in the texts and marks so far; Answer is Text if it does not.
	Answer    string `json:"-"`
	Reasoning string `json:"-"`
}

// Record is a generation as the engine drew it, up to a stop text. A replay of its tokens gives the reply again.
type Record struct {
	Key    string  `json:"key"` // see inference.Key; at temperature 0 it is that of a request without a seed
	Tokens []Token `json:"tokens,omitempty"`
	Rest   string  `json:"rest,omitempty"` // the bytes of a character that the reply's end cut off
}

// Choice is one reply on its way to the client: what was drawn, cut at the first stop text.
//
// Two goroutines share it. One fills it: the engine's goroutine calls Piece, or a goroutine of the server calls Replay;
// then Keep and Close are called once. The other is the handler of the request, which reads with Next and calls Finish
// after the last token. They meet at mu alone, and changed wakes the reader. A token moves from withheld to tokens when
// its text is certain, and what is in tokens never changes.
type Choice struct {
	Spec
	Context context.Context // its end has the engine give the generation up
	Cancel  context.CancelFunc

	// What Next alone uses: Split tells reasoning from answer if it is not nil, and ended that it has ended; with
	// Whole the answer is the whole text all the same. thought counts drawn tokens of reasoning and its marks.
	Split        *chat.Splitter
	Whole, ended bool
	thought      int

	count  *Counters // of whoever asks
	joined bool      // see Join

	mu       sync.Mutex // guards what follows; under it only what Keep calls locks something
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

// NewChoice makes an empty choice, which counts what is done for it. Its context is a child of ctx: it ends when the
// client goes, or with Cancel.
func NewChoice(ctx context.Context, g Spec, count *Counters) *Choice {
	c := &Choice{Spec: g, count: count, cut: ending.NewStops(g.Stops), changed: make(chan struct{}, 1)}
	c.Context, c.Cancel = context.WithCancel(ctx)
	return c
}

// Join says that the engine draws the choice for an equal one under way. It is called before the engine is asked.
func (c *Choice) Join() {
	c.joined = true
	c.count.Joined.Add(1)
}

// Rest is the ID of a token that the model never drew: it stands for the characters that the reply's end cut off, or
// for what ends reasoning at its bound.
const Rest = -1

// Piece takes what the engine draws. The engine's goroutine calls it, with the driver's lock held: it must return at
// once and not call the engine. What comes after a stop text is dropped; the engine learns by the context that it can
// end.
func (c *Choice) Piece(p inference.Piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted(p)
	if c.finish != "" {
		return
	}
	c.cached = p.Cached
	switch {
	case p.Drawn != nil:
		c.add(Token{ID: p.Drawn.Token, Text: p.Text, LogProb: p.Drawn.LogProb, Alternatives: p.Drawn.Alternatives,
			End: p.End, Mark: p.Mark})
	case !p.Done: // it ends reasoning at its bound
		c.add(Token{ID: Rest, Text: p.Text, Mark: p.Mark})
	}
	if p.Done {
		c.record.Rest = p.Text
		c.end()
	}
	c.signal()
}

// counted counts what the engine did: at the first piece the prompt, then each token, unless they are drawn for an
// equal generation. The caller holds mu.
func (c *Choice) counted(p inference.Piece) {
	if !c.began {
		c.began = true
		c.count.Begin(len(c.Prompt), p.Cached)
	}
	if p.Drawn != nil && !c.joined {
		c.count.Drawn.Add(1)
	}
}

// Replay takes a generation from the journal. Its prompt counts as cached, since nothing of it is computed.
func (c *Choice) Replay(r Record) {
	c.count.Restored.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached = len(c.Prompt)
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
func (c *Choice) add(t Token) {
	c.record.Tokens = append(c.record.Tokens, t)
	if c.push(t) {
		c.finish = "stop"
		c.Cancel()
	}
}

// push releases the tokens whose text certainly comes before any stop text. If a stop text is complete, the token in
// which it begins keeps only the text before it, and the tokens after that are not shown.
func (c *Choice) push(t Token) (stopped bool) {
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
func (c *Choice) pass(bytes int) {
	c.sure += bytes
	for len(c.withheld) > 0 && len(c.withheld[0].Text) <= c.sure {
		c.sure -= len(c.withheld[0].Text)
		c.tokens, c.withheld = append(c.tokens, c.withheld[0]), c.withheld[1:]
	}
}

// end completes a reply that no stop text has ended so far. The characters that its end cut off may still complete one.
func (c *Choice) end() {
	c.finish = "length"
	if n := len(c.record.Tokens); n > 0 && c.record.Tokens[n-1].End && !c.Request.Sampling.IgnoreEnd {
		c.finish = "stop"
	}
	if c.record.Rest != "" && c.push(Token{ID: Rest, Text: c.record.Rest}) {
		c.finish = "stop"
		return
	}
	c.pass(len(c.cut.Flush()))
}

// signal wakes the reader. One signal is enough for all that has changed since the reader looked.
func (c *Choice) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Close tells the reader that nothing follows. An error counts only if the reply was not complete: once it is, a client
// that goes or a server that ends takes nothing away from it.
func (c *Choice) Close(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed = true; c.finish == "" {
		c.err = err
	}
	c.signal()
}

// Next waits for the next token; more is false after the last one. Only the handler of the request calls it.
func (c *Choice) Next(ctx context.Context) (t Token, more bool, err error) {
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
			return c.divided(t), true, nil
		case closed && err == nil && c.Split != nil && !c.ended:
			c.ended = true
			t, more = c.held()
			return t, more, nil
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

// divided tells what a token adds to the answer and to the reasoning.
func (c *Choice) divided(t Token) Token {
	if c.Split == nil {
		t.Answer = t.Text
		return t
	}
	before := c.Split.Marks()
	t.Answer, t.Reasoning = c.Split.Push(t.Text + t.Mark)
	if (c.Split.Reasoning() || c.Split.Marks() > before) && t.ID != Rest && !t.End {
		c.thought++
	}
	if c.Whole {
		t.Answer = t.Text + t.Mark
	}
	return t
}

// held is what was held back of a reply that has ended, since it might have begun a mark.
func (c *Choice) held() (t Token, more bool) {
	t.ID = Rest
	if t.Answer, t.Reasoning = c.Split.End(); c.Whole {
		t.Answer = ""
	}
	return t, t.Answer != "" || t.Reasoning != ""
}

// Thought is how many of the tokens that were drawn are reasoning. It is called after the last token.
func (c *Choice) Thought() int { return c.thought }

// All waits for the whole reply, and returns the tokens that Next has not returned yet.
func (c *Choice) All(ctx context.Context) (tokens []Token, err error) {
	for {
		t, more, err := c.Next(ctx)
		if !more {
			return tokens, err
		}
		tokens = append(tokens, t)
	}
}

// Finish returns how the reply ended, as OpenAI names it, how many tokens were drawn, and how many of its prompt were
// computed. It is called after the last token: before that, the counts are not complete.
func (c *Choice) Finish() (reason string, drawn, computed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.record.Tokens {
		drawn += min(1, int(t.ID)-Rest)
	}
	return c.finish, drawn, len(c.Prompt) - c.cached
}

// Keep hands a complete reply to keep. The lock is held meanwhile, and finish is reset: the client must not see the end
// of a reply that a restarted server would not know. drawn is the error of drawing; it counts only if the reply is not
// complete.
func (c *Choice) Keep(drawn error, keep func(Record) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finish == "" {
		return cmp.Or(drawn, errors.New("the engine ended without a reply"))
	}
	finish := c.finish
	c.finish = "" // until the reply is kept
	if err := keep(c.record); err != nil {
		return err
	}
	c.finish = finish
	return nil
}
