package inference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler"
)

// participant is one debate at a Local engine, for which the driver waits, or a client.
type participant struct {
	local *Local
	Client
	joined *scheduler.Participant // it is nil for a client
}

// Client is somebody whom the engine does not wait for, such as one of parley serve.
type Client struct {
	Order int // requests of a smaller order come first
	Space int // see scheduler.Request
	Party int // on whose behalf it asks, see scheduler.Request
}

// Ask answers requests as Generate does, for a client: while there are only such, the engine decodes whenever there is
// work. Several goroutines may call it at once.
func (l *Local) Ask(ctx context.Context, c Client, requests []Request) ([]Reply, error) {
	return (&participant{local: l, Client: c}).Generate(ctx, requests)
}

// Leave implements Participant.
func (p *participant) Leave() { p.joined.Leave() }

func (p *participant) wait(ctx context.Context, batch []scheduler.Request) (err error) {
	if p.joined == nil {
		_, err = p.local.driver.Ask(ctx, p.Order, batch)
	} else {
		_, err = p.joined.Generate(ctx, batch)
	}
	return err
}

// Generate implements Participant.
func (p *participant) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	waiting, batch, err := p.prepare(ctx, requests)
	if err != nil {
		return nil, err
	}
	if err := p.wait(ctx, batch); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(requests))
	for i, w := range waiting {
		replies[i] = w.Reply
		replies[i].Err = cmp.Or(w.Reply.Err, w.pieces.failed)
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
		return nil, nil, step.ErrClosed
	}
	var prompts prompts
	for _, r := range requests {
		r = p.local.boundAsUsual(r)
		w := &pending{submitted: time.Now(), Generation: r.Generation(p.Order), pieces: pieces{show: r.OnPiece},
			confidences: r.Confidences}
		waiting = append(waiting, w)
		asked, err := p.ask(ctx, r, w, &prompts)
		if err != nil {
			w.Reply = Reply{PromptTokens: w.Reply.PromptTokens, Err: err}
		} else if !p.useKnown(w) {
			batch = append(batch, asked...)
		} else if w.greedy && w.Reply.Err == nil { // equal requests with other seeds take it
			asked[0].Known = w.Reply
			batch = append(batch, asked...)
		} else {
			w.pieces.end(w.Reply)
		}
	}
	for i := range batch {
		batch[i].Space, batch[i].Party = p.Space, p.Party
	}
	return waiting, batch, nil
}

// ask makes what the scheduler is asked for one request: several things, where continuations are scored. The reply has
// the number of prompt tokens in any case.
func (p *participant) ask(ctx context.Context, r Request, w *pending, prompts *prompts) ([]scheduler.Request, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	var err error
	if w.model, err = p.local.modelFor(r); err != nil {
		return nil, err
	}
	tokens, opened, err := prompts.tokensOf(ctx, w.model, r)
	if err != nil {
		return nil, err
	}
	if w.reasons, w.bounded = r.reasons(), r.bounded(); w.reasons || w.bounded {
		w.opened = opened
	}
	w.maxTokens, w.Reply.PromptTokens = r.maxTokens(), len(tokens)
	if r.Forced != nil {
		return p.force(r, tokens, w)
	}
	if err := w.model.fits(tokens, w.model.most(r)); err != nil {
		return nil, err
	}
	if err := prompts.checkGrammar(r.Grammar); err != nil {
		return nil, err
	}
	if len(r.Continuations) > 0 {
		return p.score(r, tokens, w)
	}
	return []scheduler.Request{p.request(r, tokens, w)}, nil
}

// modelFor returns the model that replies to a request.
func (l *Local) modelFor(r Request) (*instance, error) {
	if m, ok := l.named[r.Model]; ok {
		return m, nil
	}
	return nil, fmt.Errorf("no model %q was opened; there are %s and those that are named %q", r.Model,
		l.models[0].info.Name, slices.DeleteFunc(slices.Sorted(maps.Keys(l.named)),
			func(name string) bool { return name == "" }))
}

// boundAsUsual leaves out a bound on reasoning that nobody chose, where the model does not reason.
func (l *Local) boundAsUsual(r Request) Request {
	if m, ok := l.named[r.Model]; ok && r.UsualBound && m.info.Reasons == 0 {
		r.Sampling.ReasoningTokens = 0
	}
	return r
}

// Able implements Running.
func (l *Local) Able(r Request) error {
	m, err := l.modelFor(r)
	if err != nil {
		return err
	}
	template, err := m.templateFor(l.boundAsUsual(r).Sampling)
	if err != nil || r.Prompt != nil {
		return err
	}
	if _, err = m.render(context.Background(), template, r.Messages); err != nil {
		return Cannot{err}
	}
	return nil
}

// render renders messages with one of the model's templates, before anything is computed: where that fails, there is
// time to take another.
func (m *instance) render(ctx context.Context, t *chat.Template, messages []Message) ([]chat.Segment, error) {
	segments, err := t.Render(ctx, messages)
	if errors.Is(err, chat.ErrTemplate) && t != nil {
		err = fmt.Errorf("model %s: %w; give it another one with --chat-template", m.info.Name, err)
	}
	return segments, err
}

// nameOf returns what replies of a model say of it: nothing, where there is one model.
func (l *Local) nameOf(m *instance) string {
	if len(l.models) == 1 && !l.member {
		return ""
	}
	return m.info.Hash
}

// useKnown enters the reply of an earlier run, and reports whether there is one.
func (p *participant) useKnown(w *pending) bool {
	if p.local.known == nil {
		return false
	}
	reply, ok := p.local.known(w.key.String())
	if ok {
		w.Reply, w.Reply.Model = reply, p.local.nameOf(w.model)
		if err := w.restore(); err != nil {
			w.Reply.Err = err
		}
		w.model.restored.Add(1)
	}
	return ok
}

// score makes one scheduler request for each continuation of r, of which there is at least one.
func (p *participant) score(r Request, tokens []step.Token, w *pending) (batch []scheduler.Request, err error) {
	w.Reply.LogProbs = make([]float64, len(r.Continuations))
	continuations := make([][]step.Token, len(r.Continuations))
	for i, text := range r.Continuations {
		if continuations[i], err = w.model.model.Tokenize(text, false, false); err != nil {
			return nil, err
		}
		if len(continuations[i]) == 0 {
			return nil, fmt.Errorf("continuation %d is empty: there is nothing to score", i)
		}
	}
	var keys []Key
	w.key, keys = scoresKey(w.model.identity, tokens, continuations)
	for i, forced := range continuations {
		batch = append(batch, scheduler.Request{Order: scheduler.Order{Agent: r.Agent, Sample: r.Sample},
			Instance: w.model.index, Key: keys[i].shared(), Prompt: tokens, Forced: forced,
			Tag: continuation{w, i, len(forced)}})
	}
	w.unscored = len(batch)
	return batch, nil
}

// force makes the scheduler request for the scores of r.Forced.
func (p *participant) force(r Request, tokens []step.Token, w *pending) ([]scheduler.Request, error) {
	if err := w.model.fits(tokens, len(r.Forced)); err != nil {
		return nil, err
	}
	if len(r.Forced) == 0 || len(r.Continuations) > 0 {
		return nil, errors.New("forced tokens: at least one is needed, and no continuations beside them")
	}
	forced, err := w.model.tokensOf("forced", r.Forced)
	if err != nil {
		return nil, err
	}
	sampling := Sampling{Alternatives: r.Sampling.Alternatives}
	w.key = KeyOf(w.model.identity, r, tokens)
	return []scheduler.Request{{Order: scheduler.Order{Agent: r.Agent, Sample: r.Sample}, Instance: w.model.index,
		Key: w.key.shared(), Prompt: tokens, Forced: forced, Sampling: sampling, Tag: w}}, nil
}

func (p *participant) request(r Request, tokens []step.Token, w *pending) scheduler.Request {
	w.key = KeyOf(w.model.identity, r, tokens)
	w.greedy = r.Sampling.Temperature == 0
	deciding := r
	deciding.Sampling = r.Sampling.Deciding()
	out := scheduler.Request{
		Order:     scheduler.Order{Agent: r.Agent, Sample: r.Sample},
		Instance:  w.model.index,
		Key:       KeyOf(w.model.identity, deciding, tokens).shared(),
		Prompt:    tokens,
		MaxTokens: w.model.most(r),
		Sampling:  r.Sampling,
		Grammar:   r.Grammar,
		Tag:       w,
	}
	if watch := w.watch(); watch != nil {
		if out.Until = watch.token; watch.bound != nil || watch.tool != nil {
			out.Put, out.Instead = watch.put, watch.instead
		}
	}
	if w.pieces.show != nil {
		w.pieces.read, w.pieces.stops, w.pieces.marks = w.reader(), ending.NewStops(r.Stop), w.model.markTokens
		out.OnToken = w.pieces.push
	}
	return out
}

func (r Request) maxTokens() int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return DefaultMaxTokens
}

// prompts remembers the last conversation that was tokenized, and by which model, since all agents of a first round
// send the same, and the last grammar that was checked.
type prompts struct {
	model    *instance
	template *chat.Template
	messages []Message
	tokens   []step.Token
	opened   bool   // that the prompt ends within reasoning
	grammar  string // the last one that was accepted
}

// checkGrammar refuses a grammar that cannot be followed.
func (p *prompts) checkGrammar(grammar string) error {
	if grammar == "" || grammar == p.grammar {
		return nil
	}
	if err := llamacpp.CheckGrammar(grammar); err != nil {
		return err
	}
	p.grammar = grammar
	return nil
}

// tokensOf returns the tokens of a request's prompt: as the request gives them, or those of its messages. opened tells
// whether the prompt ends within reasoning; of tokens that are given, only a bound on reasoning asks.
func (p *prompts) tokensOf(ctx context.Context, m *instance, r Request) (tokens []step.Token, opened bool, err error) {
	template, err := m.templateFor(r.Sampling)
	if err != nil {
		return nil, false, err
	}
	if r.Prompt == nil {
		tokens, err = p.tokenize(ctx, m, template, r.Messages)
		return tokens, p.opened, err
	}
	if tokens, err = m.tokensOf("prompt", r.Prompt); err == nil && r.bounded() {
		opened = m.opens(tokens)
	}
	return tokens, opened, err
}

// opens reports whether a prompt ends within reasoning.
func (m *instance) opens(prompt []step.Token) bool {
	return m.marks.Opened(m.model.Detokenize(prompt[max(0, len(prompt)-promptEnd):], true))
}

// promptEnd is more tokens than a mark of reasoning has.
const promptEnd = 32

// tokensOf checks token ids.
func (m *instance) tokensOf(what string, ids []int32) ([]step.Token, error) {
	tokens := make([]step.Token, len(ids))
	for i, t := range ids {
		if t < 0 || int(t) >= m.model.VocabSize() {
			return nil, fmt.Errorf("%s token %d is %d: the model has %d", what, i, t, m.model.VocabSize())
		}
		tokens[i] = step.Token(t)
	}
	return tokens, nil
}

func (p *prompts) tokenize(ctx context.Context, m *instance, t *chat.Template, messages []Message) (
	tokens []step.Token, err error) {
	if p.model == m && p.template == t && slices.Equal(p.messages, messages) {
		return p.tokens, nil
	}
	tokens, opened, err := m.tokenize(ctx, t, messages)
	if err == nil {
		p.model, p.template, p.messages, p.tokens, p.opened = m, t, messages, tokens, opened
	}
	return tokens, err
}
