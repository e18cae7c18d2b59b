package inference

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// participant is one member of a Local engine.
type participant struct {
	local  *Local
	order  int
	member *scheduler.Member
	onText func(string) // of a participant with one request at a time
}

// Leave implements Participant.
func (p *participant) Leave() { p.member.Leave() }

// Generate implements Participant.
func (p *participant) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	waiting, batch, err := p.prepare(ctx, requests)
	if err != nil {
		return nil, err
	}
	if _, err := p.member.Generate(ctx, batch); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(requests))
	for i, w := range waiting {
		replies[i] = w.Reply
	}
	return replies, nil
}

// prepare tokenizes all requests. Those that cannot be served get their error in their reply; they and those with a
// known reply are not in the batch.
func (p *participant) prepare(ctx context.Context, requests []Request) (waiting []*pending, batch []scheduler.Request,
	err error) {
	p.local.mu.RLock()
	defer p.local.mu.RUnlock()
	if p.local.closed {
		return nil, nil, scheduler.ErrClosed
	}
	var prompts prompts
	for _, r := range requests {
		w := &pending{submitted: time.Now(), Generation: Generation{
			Name: r.Name, Case: r.Case, Round: r.Round, Messages: r.Messages, Sampling: r.Sampling,
			Grammar: r.Grammar, Participant: p.order, Agent: r.Agent, Sample: r.Sample,
		}}
		waiting = append(waiting, w)
		var tokens []scheduler.Token
		err := r.validate()
		if err == nil {
			tokens, err = prompts.of(ctx, p.local, r)
		}
		if err == nil {
			err = p.local.fits(tokens, r.maxTokens())
		}
		if err == nil {
			err = prompts.follows(r.Grammar)
		}
		if err != nil {
			w.Reply = Reply{PromptTokens: len(tokens), Err: err}
			continue
		}
		if r.Continuations == nil {
			if one := p.request(r, tokens, w); !p.known(w) {
				batch = append(batch, one)
			}
			continue
		}
		scored, err := p.score(r, tokens, w)
		if err != nil {
			w.Reply = Reply{PromptTokens: len(tokens), Err: err}
			continue
		}
		if !p.known(w) {
			batch = append(batch, scored...)
		}
	}
	return waiting, batch, nil
}

// known uses the reply of an earlier run, if there is one.
func (p *participant) known(w *pending) bool {
	if p.local.known == nil {
		return false
	}
	reply, ok := p.local.known(w.key.String())
	if ok {
		w.Reply = reply
		p.local.restored.Add(1)
	}
	return ok
}

// score makes one scheduler request for every continuation of r.
func (p *participant) score(r Request, tokens []scheduler.Token, w *pending) (batch []scheduler.Request, err error) {
	w.Continuations = r.Continuations
	w.Reply.LogProbs = make([]float64, len(r.Continuations))
	var all []byte // keys
	for i, text := range r.Continuations {
		forced, err := p.local.model.Tokenize(text, false, false)
		if err != nil {
			return nil, err
		}
		if len(forced) == 0 {
			return nil, fmt.Errorf("continuation %d is empty: there is nothing to score", i)
		}
		one := scheduler.Request{Order: scheduler.Order{Agent: r.Agent, Sample: r.Sample}, Prompt: tokens,
			Forced: forced, Tag: continuation{w, i, len(forced)}}
		key := keyOf(p.local.info.Hash, slices.Concat(tokens, forced), Sampling{}, len(forced), "")
		one.Key = scheduler.Key(sha256.Sum256(append(key[:], "given"...)))
		batch, all = append(batch, one), append(all, one.Key[:]...)
	}
	w.key = sha256.Sum256(all)
	w.open = len(batch)
	return batch, nil
}

func (p *participant) request(r Request, tokens []scheduler.Token, w *pending) scheduler.Request {
	out := scheduler.Request{
		Order:     scheduler.Order{Agent: r.Agent, Sample: r.Sample},
		Prompt:    tokens,
		MaxTokens: r.maxTokens(),
		Sampling:  r.Sampling,
		Grammar:   r.Grammar,
		Tag:       w,
	}
	w.key = keyOf(p.local.info.Hash, tokens, r.Sampling, r.maxTokens(), r.Grammar)
	if p.onText != nil {
		out.OnToken = p.stream() // a generation of its own: one that was joined would stream nothing
	} else {
		out.Key = scheduler.Key(w.key)
	}
	return out
}

func (p *participant) stream() func(scheduler.Sampled) {
	text := p.local.model.NewTextStream()
	return func(s scheduler.Sampled) {
		piece := ""
		if s.End {
			piece = text.Flush()
		} else {
			piece = text.Push(s.Token)
		}
		if piece != "" {
			p.onText(piece)
		}
	}
}

func (r Request) maxTokens() int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return DefaultMaxTokens
}

// fits refuses requests longer than the model was trained for. The scheduler refuses what the context cannot hold.
func (l *Local) fits(prompt []scheduler.Token, maxTokens int) error {
	if trained := l.info.Context; trained > 0 && len(prompt)+maxTokens > trained {
		return fmt.Errorf("%w: %d prompt tokens and up to %d new ones, the model was trained for %d in all; lower "+
			"--max-tokens or the number of agents",
			ErrTooLong, len(prompt), maxTokens, trained)
	}
	return nil
}

// prompts remembers the last conversation that was tokenized, since all agents of a first round send the same, and the
// last grammar that was checked.
type prompts struct {
	messages []Message
	tokens   []scheduler.Token
	grammar  string // in which nothing is wrong
}

func (p *prompts) follows(grammar string) error {
	if grammar == "" || grammar == p.grammar {
		return nil
	}
	if err := llamacpp.CheckGrammar(grammar); err != nil {
		return err
	}
	p.grammar = grammar
	return nil
}

func (p *prompts) of(ctx context.Context, l *Local, r Request) ([]scheduler.Token, error) {
	if r.Prompt == nil {
		return p.tokenize(ctx, l, r.Messages)
	}
	tokens := make([]scheduler.Token, len(r.Prompt))
	for i, t := range r.Prompt {
		if t < 0 || int(t) >= l.model.VocabSize() {
			return nil, fmt.Errorf("prompt token %d is %d: the model has %d", i, t, l.model.VocabSize())
		}
		tokens[i] = scheduler.Token(t)
	}
	return tokens, nil
}

func (p *prompts) tokenize(ctx context.Context, l *Local, messages []Message) (tokens []scheduler.Token, err error) {
	if p.tokens != nil && slices.Equal(p.messages, messages) {
		return p.tokens, nil
	}
	tokens, err = l.tokenize(ctx, messages)
	if err == nil {
		p.messages, p.tokens = messages, tokens
	}
	return tokens, err
}
