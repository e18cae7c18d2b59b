package serve

import (
	"context"
	"sync"

	"github.com/parley-debate/parley/inference/serve/admission"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/tenant"
	"github.com/parley-debate/parley/internal/bug"
)

// ahead draws what a client will ask for next if it goes on asking the same without a seed, one request after the
// other: the seeds of later repetitions are known, so that their replies are too. It does so only while the server has
// nothing else to do; any other request ends it. A reply that was drawn ahead is the one that its request would have
// got.
//
// A choice that is drawn ahead has no ticket, and so takes no place at the gate: it runs only while the places are
// free. It belongs to drawn until claim hands it to a request or drop gives it up, and is never in both hands. Whoever
// holds mu may take the gate's lock, never the other way round.
type ahead struct {
	most int // how many repetitions are drawn beyond the one that is asked for; 0 turns it off

	mu     sync.Mutex          // guards what follows
	drawn  map[foreseen]*early // they run or have finished, and nobody has asked for them yet
	closed bool                // the server ends: nothing is drawn ahead any more
}

// foreseen is a generation that a tenant may ask for.
type foreseen struct {
	tenant *tenant.Tenant
	key    string
}

// early is a choice that is drawn ahead. The mutex of ahead guards what it adds to the choice.
type early struct {
	*generation.Choice
	computed bool
	ticket   *admission.Ticket // the place of the request that adopted it; nil while there is none
}

// claim hands over the choice that was drawn ahead for a request, or returns nil. If there is none, it gives up what
// was drawn for others, since the request is other work; work that is no single choice passes nil. A request that goes
// through the gate is admitted before it calls claim, so that lookAhead sees it there and draws nothing beside it.
func (a *ahead) claim(t *tenant.Tenant, all []generation.Spec) *early {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.drawn) == 0 {
		return nil
	}
	if len(all) == 1 {
		key := foreseen{t, all[0].Key()}
		if e := a.drawn[key]; e != nil {
			delete(a.drawn, key)
			t.Used.Add(1)
			return e
		}
	}
	a.drop()
	return nil
}

// drop gives up everything that was drawn ahead. The caller holds mu. What runs ends before the engine's next step, and
// leaves no trace but in the journal, where a complete reply may stay.
func (a *ahead) drop() {
	for key, e := range a.drawn {
		e.Cancel()
		delete(a.drawn, key)
	}
}

// close gives up what was drawn ahead, and has nothing more begun: Serve then waits for what is still running.
func (a *ahead) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop()
	a.closed = true
}

// lookAhead begins to draw the repetitions that follow a generation, if that is a repetition itself and nothing else is
// asked for. What is in the journal is not drawn again, and neither is what was drawn ahead before.
//
// Such a choice lives in a context of its own, since no request is there that could end it.
func (s *Server) lookAhead(from asker, g generation.Spec) {
	following := g.Following(s.ahead.most)
	if len(following) == 0 {
		return
	}
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	// the one generation that may be at the gate is that of the request which looks ahead
	if s.ahead.closed || !s.gate.Idle() {
		return
	}
	for _, next := range following {
		key := foreseen{from.Tenant, next.Key()}
		if s.ahead.drawn[key] != nil {
			continue
		}
		if s.options.Journal != nil && s.options.Journal.Has(from.RecordKey(key.key)) {
			continue
		}
		e := &early{Choice: generation.NewChoice(context.Background(), next, &from.Counters)}
		s.ahead.drawn[key] = e
		from.Began.Add(1)
		s.working.Go(bug.Guarded(func() error { return s.compute(from, e.Choice) }, func(err error) {
			// under the lock, so that adopt either sees computed, or its ticket is given back here
			s.ahead.mu.Lock()
			if e.computed = true; e.ticket != nil {
				s.gate.Leave(e.ticket)
			}
			s.ahead.mu.Unlock()
			e.Close(err)
			e.Cancel()
		}))
	}
}

// adopt gives a request a choice that was drawn ahead. From now on the request's context ends it. If it is still under
// way, it keeps the request's place until it is computed, so that it counts as running; the ticket is given back
// exactly once, here or by the goroutine that computes it.
func (s *Server) adopt(ctx context.Context, e *early, t *admission.Ticket) {
	context.AfterFunc(ctx, bug.Lone(e.Cancel))
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	if e.computed {
		s.gate.Leave(t)
	} else {
		e.ticket = t
	}
}
