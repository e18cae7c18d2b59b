package inference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/parley-debate/parley/internal/bug"
)

// Running is an engine as a command uses it: it can be stopped in good order, and says what it was set up with. Local
// is one, as are engines of package remote, and Several.
type Running interface {
	Engine
	// Stop lets what is under way finish, as far as that is soon, and then ends everybody's Generate with err.
	Stop(err error)
	// Plan describes what was set up, a line for each model.
	Plan() string
	// Threads that compute and KV cells in this process; 0 if nothing is computed here.
	Threads() int
	Cells() int
	// MemoryLine is what was allocated in this process; "" if that is nothing to speak of.
	MemoryLine() string
	// Survey counts tokens as the engine would; nil if it cannot.
	Survey() *Survey
}

// Several is an engine of several, for teams of local and remote models. Requests go to the engine that has the model
// which they name. A Local in it must have been opened with Member, and serves guests (Local.Ask): its steps do not
// wait for debates that wait for another engine.
type Several struct {
	engines []Running
	named   map[string]Running // by Request.Model
	models  ModelInfo
}

// NewSeveral joins engines by the names that requests have for their models. That of "" replies to requests that name
// none. It closes all of them when it is closed.
func NewSeveral(named map[string]Running) *Several {
	first := named[""]
	s := &Several{engines: []Running{first}, named: named, models: first.Model()}
	for _, engine := range named {
		if !slices.Contains(s.engines, engine) {
			s.engines = append(s.engines, engine)
		}
	}
	slices.SortFunc(s.engines[1:], func(a, b Running) int { return cmp.Compare(a.Model().Hash, b.Model().Hash) })
	for _, e := range s.engines[1:] {
		s.models.Team = append(s.models.Team, e.Model().All()...)
	}
	return s
}

// Model implements Engine.
func (s *Several) Model() ModelInfo { return s.models }

// Stats implements Engine.
func (s *Several) Stats() (all Stats) {
	for i, e := range s.engines {
		one := e.Stats()
		models := one.Models
		if one.Models = nil; models == nil {
			models = []Stats{one}
		}
		if i == 0 {
			all = one
		} else {
			list := all.Models
			all = all.plus(one)
			all.Models = list
		}
		all.Models = append(all.Models, models...)
	}
	return all
}

// Close implements Engine.
func (s *Several) Close() (err error) {
	for _, e := range s.engines {
		err = errors.Join(err, e.Close())
	}
	return err
}

// Stop implements Running.
func (s *Several) Stop(err error) {
	var all sync.WaitGroup
	for _, e := range s.engines {
		all.Go(bug.Lone(func() { e.Stop(err) }))
	}
	all.Wait()
}

// Plan implements Running.
func (s *Several) Plan() (text string) {
	for _, e := range s.engines {
		if text != "" {
			text += "\n"
		}
		text += e.Plan()
	}
	return text
}

// Threads implements Running.
func (s *Several) Threads() (n int) {
	for _, e := range s.engines {
		n = max(n, e.Threads())
	}
	return n
}

// Cells implements Running.
func (s *Several) Cells() (n int) {
	for _, e := range s.engines {
		n += e.Cells()
	}
	return n
}

// MemoryLine implements Running.
func (s *Several) MemoryLine() (text string) {
	for _, e := range s.engines {
		text = cmp.Or(text, e.MemoryLine())
	}
	return text
}

// Survey implements Running: the models have different vocabularies, and some are not known here.
func (s *Several) Survey() *Survey { return nil }

// Join implements Engine.
func (s *Several) Join(order int) Participant { return &several{s, order} }

// several is one participant of all engines.
type several struct {
	*Several
	order int
}

// Leave implements Participant.
func (p *several) Leave() {}

// Generate implements Participant: all engines are asked at the same time.
func (p *several) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	return ByOwner(requests, func(r Request) (Running, error) {
		if engine := p.named[r.Model]; engine != nil {
			return engine, nil
		}
		return nil, fmt.Errorf("no model %q was opened", r.Model)
	}, func(engine Running, part []Request) ([]Reply, error) { return ask(ctx, engine, p.order, part) })
}

// ByOwner divides requests among their owners, asks all of these at the same time, and returns the replies in the order
// of the requests. A request for which no owner is found has that error as its reply, and so have those whose owner
// panics: the replies of others are none the worse. When all have ended, the first owner's error of another kind is
// returned.
func ByOwner[O comparable](requests []Request, owner func(Request) (O, error),
	ask func(O, []Request) ([]Reply, error)) ([]Reply, error) {
	replies := make([]Reply, len(requests))
	parts, at := make(map[O][]Request), make(map[O][]int)
	for i, r := range requests {
		o, err := owner(r)
		if err != nil {
			replies[i].Err = err
			continue
		}
		parts[o], at[o] = append(parts[o], r), append(at[o], i)
	}
	errs := make(chan error)
	for o, part := range parts {
		go bug.Guarded(func() error {
			got, err := ask(o, part)
			if err == nil && len(got) != len(part) {
				err = fmt.Errorf("%d replies to %d requests", len(got), len(part))
			}
			if err != nil {
				return err
			}
			for i, reply := range got {
				replies[at[o][i]] = reply
			}
			return nil
		}, func(err error) {
			if errors.As(err, new(bug.Error)) {
				for _, i := range at[o] {
					replies[i] = Reply{Err: err}
				}
				err = nil
			}
			errs <- err
		})()
	}
	var failed error
	for range parts {
		failed = cmp.Or(failed, <-errs)
	}
	if failed != nil {
		return nil, failed
	}
	return replies, nil
}

// ask asks one engine.
func ask(ctx context.Context, engine Running, order int, requests []Request) ([]Reply, error) {
	if l, local := engine.(*Local); local {
		return l.Ask(ctx, Guest{Order: order}, requests)
	}
	p := engine.Join(order)
	defer p.Leave()
	return p.Generate(ctx, requests)
}
