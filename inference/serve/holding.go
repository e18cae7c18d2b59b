package serve

import (
	"context"
	"net/http"

	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/budget"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// holding is what a request has of the memory that all requests share: first of that for bodies, and from keep on of
// that for replies. It belongs to the handler, and ends with it.
type holding struct {
	body, reply *budget.Lease
	text        []byte // of the body, until decode has read it
	bytes       int64  // its length
	turns       *admission.Gate
	turn        *admission.Ticket // see prepare; nil after prepared
}

// lease returns an empty lease for a request. That of a caller of WithTurn waits for bytes: it sends one body after the
// other, each of which is there as a whole, and keep is the only one to take what others can wait for.
func lease(r *http.Request, from *budget.Budget, holder int) *budget.Lease {
	if r.Context().Value(turnKey{}) != nil {
		return from.Patient(r.Context(), holder)
	}
	return from.Lease(holder)
}

// holdingKey is the key under which a request's context has its holding.
type holdingKey struct{}

func holdingOf(ctx context.Context) *holding { return ctx.Value(holdingKey{}).(*holding) }

// prepare waits until it is the turn of the request's key to have another one read, rendered and tokenized, or until
// ctx ends. There are as many turns as processors, and one more for each key that has none: what is made of bodies for
// a moment, such as parsed schemas, is many times as large as they are, and the tokenizer is C, which would take a
// thread for each request.
func (h *holding) prepare(ctx context.Context, turns *admission.Gate, holder int) error {
	tickets, err := turns.Admit(holder, []string{""})
	if err != nil {
		return err
	}
	h.turns, h.turn = turns, tickets[0]
	return turns.Wait(ctx, h.turn)
}

// prepared gives the turn back, once: what follows waits for the engine, or uses its threads.
func (h *holding) prepared() {
	if h.turn != nil {
		h.turns.Leave(h.turn)
		h.turn = nil
	}
}

// end gives everything back.
func (h *holding) end() {
	h.prepared()
	h.body.End()
	h.reply.End()
}

// What a generation takes, in bytes: for each token of its prompt, for each that it can have, and for each alternative
// of one. These are upper bounds for the copies that engine and choice keep until the reply has been sent.
const (
	promptTokenBytes = 16
	replyTokenBytes  = 256
	alternativeBytes = 64
	stopByteBytes    = 8  // for each byte of a stop text: see ending.NewStops
	embeddingBytes   = 32 // for each number of a vector, and how it is written
)

// scoredBytes are those of n tokens that are drawn or scored.
func scoredBytes(n, alternatives int) int64 {
	return int64(n * (replyTokenBytes + alternativeBytes*alternatives))
}

// leastBytes are those that each reply with these settings takes, whatever its prompt. A bound beyond the model is
// refused later, with its numbers.
func leastBytes(m *served.Model, s *wire.Settings, alternatives int) int64 {
	most := 1
	if wire.Set(&most, s.MaxTokens); most > m.Room() {
		most = 1
	}
	return scoredBytes(max(1, most), alternatives)
}

// reserve takes the memory of a request's generations before any of them waits, and so many bytes beside them.
func reserve(ctx context.Context, all []generation.Spec, bytes int64) error {
	for _, g := range all {
		r := g.Request
		bytes += int64(promptTokenBytes*len(g.Prompt)+len(r.Grammar)) +
			scoredBytes(max(1, r.Most()), r.Sampling.Alternatives)
		for _, stop := range g.Stops {
			bytes += int64(stopByteBytes * len(stop))
		}
	}
	return holdingOf(ctx).keep(bytes)
}

// keep takes bytes for what a request asks for, all of them at once, and for its body's texts, which are kept as long.
// The rest of what the body took is given back.
func (h *holding) keep(bytes int64) error {
	if err := h.reply.Grow(h.bytes + bytes); err != nil {
		return err
	}
	h.body.End()
	h.prepared()
	return nil
}

// decode reads the JSON object of a request into a struct, and lets the text of its body go.
func decode(r *http.Request, into any) error {
	h := holdingOf(r.Context())
	err := wire.Decode(h.text, into)
	h.text = nil
	return err
}

// turnKey is the key under which a request's context has the function of WithTurn.
type turnKey struct{}

// WithTurn has a server call a function once a request has its seeds, and before anything is computed for it. what
// names the replies that are asked for, and how the model is run. A caller that sends one request after the other, each
// when the function was called or an answer came, fixes in which order requests without a seed count as repetitions,
// and may still have them computed at once. Where there is no memory for a request besides those under way, it waits;
// only what needs more than there is in all is refused.
func WithTurn(ctx context.Context, f func(what string)) context.Context {
	return context.WithValue(ctx, turnKey{}, f)
}

// turn calls the function of WithTurn, if the request came with one.
func turn(ctx context.Context, what string) {
	if f, ok := ctx.Value(turnKey{}).(func(string)); ok {
		f(what)
	}
}
