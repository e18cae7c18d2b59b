package serve

import (
	"context"
	"fmt"
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/bug"
)

// asker is on whose behalf a generation is computed.
type asker struct {
	*tenant
	session session.Name
}

// askerOf returns who sent a request whose field user is given.
func askerOf(r *http.Request, user string) (asker, error) {
	t := tenantOf(r)
	name, err := session.Of(r, t.number, user)
	if err != nil {
		return asker{}, wire.Invalid("user", "%v", err)
	}
	return asker{t, name}, nil
}

// expect returns who sent a request, whose field user is given, for n choices or texts to embed that take so many bytes
// each at least, or the error of the gate or of keep if they would find no room now. It is asked before the request is
// rendered, tokenized and hashed, since a client that is refused may ask again at once; so what it asks also costs no
// seeds.
func (s *Server) expect(r *http.Request, user string, n int, each int64) (asker, error) {
	from, err := askerOf(r, user)
	if err == nil {
		err = s.gate.Room(from.number, n)
	}
	if err == nil {
		h := holdingOf(r.Context())
		err = h.reply.Room(h.bytes + int64(n)*each)
	}
	return from, err
}

// startChoices has the engine draw all choices of a request, each when its key's turn comes. All of them are
// admitted to the queue or none is, so that a request never waits for a half of its choices.
//
// The goroutine that draws a choice gives its ticket back before it closes the choice, so that a client that asks again
// at once finds the place free.
func (s *Server) startChoices(ctx context.Context, from asker, all []generation.Spec) ([]*generation.Choice, error) {
	names, choices := make([]string, len(all)), make([]*generation.Choice, len(all))
	for i, g := range all {
		names[i] = g.Key()
	}
	tickets, err := s.gate.Admit(from.number, names)
	if err != nil {
		return nil, err
	}
	for i, g := range all {
		c := generation.NewChoice(ctx, g, &from.Counters)
		choices[i] = c
		s.working.Go(bug.Guarded(func() error { return s.draw(from, c, tickets[i]) }, func(err error) {
			s.gate.Leave(tickets[i]) // before the client can ask again
			c.Close(err)
			c.Cancel()
		}))
	}
	return choices, nil
}

// inTurn calls a function with each number below n, when that has its turn at the gate: for what is no choice. It
// returns when all of them have ended, also after an error.
func (s *Server) inTurn(ctx context.Context, from asker, n int, do func(i int) error) error {
	tickets, err := s.gate.Admit(from.number, make([]string, n))
	if err != nil {
		return err
	}
	errs := make(chan error)
	for i, t := range tickets {
		s.working.Go(bug.Guarded(func() error {
			defer s.gate.Leave(t)
			if err := s.gate.Wait(ctx, t); err != nil {
				return err
			}
			return do(i)
		}, func(err error) { errs <- err }))
	}
	for range tickets {
		if failed := <-errs; err == nil {
			err = failed
		}
	}
	return err
}

// draw fills a choice from the journal, or has it computed when its turn comes. What the journal has needs no place.
func (s *Server) draw(from asker, c *generation.Choice, t *admission.Ticket) error {
	r, ok, err := s.kept(c.Context, from.tenant, c.Key())
	if err != nil {
		return err
	}
	if ok {
		c.Replay(r)
		return nil
	}
	if err := s.gate.Wait(c.Context, t); err != nil {
		return err
	}
	if t.Shared() {
		c.Join()
	}
	return s.compute(from, c)
}

// compute has the engine draw a choice, and then the journal keep it.
func (s *Server) compute(from asker, c *generation.Choice) error {
	r := c.Request
	r.OnPiece = c.Piece
	replies, err := s.engine.Ask(c.Context, s.client(from), []inference.Request{r})
	if err == nil {
		err = replies[0].Err
	}
	return c.Keep(err, func(drawn generation.Record) error {
		drawn.Key = from.recordKey(c.Key())
		return s.keep(drawn)
	})
}

// client returns who asks the engine for the next generation that gets its place.
func (s *Server) client(from asker) inference.Client {
	return inference.Client{Order: int(s.arrived.Add(1)), Space: from.space, Party: from.number}
}

// kept returns a tenant's generation from the journal, by its key. It is read when it is the tenant's turn, as bodies
// are: while it is read it takes many times its size.
func (s *Server) kept(ctx context.Context, t *tenant, key string) (r generation.Record, ok bool, err error) {
	if s.options.Journal == nil {
		return r, false, nil
	}
	tickets, err := s.turns.Admit(t.number, []string{""})
	if err != nil {
		return r, false, err
	}
	defer s.turns.Leave(tickets[0])
	if err := s.turns.Wait(ctx, tickets[0]); err != nil {
		return r, false, err
	}
	r, ok = s.options.Journal.Known(t.recordKey(key))
	return r, ok, nil
}

// keep has the journal keep a generation.
func (s *Server) keep(r generation.Record) error {
	if s.options.Journal == nil {
		return nil
	}
	if err := s.options.Journal.Keep(r); err != nil {
		return &wire.Failure{Status: http.StatusInsufficientStorage, After: 1,
			Message: fmt.Sprintf("the reply could not be kept in the journal, and so is not given; this is tried "+
				"again for the next request: %v", err)}
	}
	return nil
}
