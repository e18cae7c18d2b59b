// Package team makes one engine of several: for debates whose agents are models of different engines, in this process
// or at servers.
package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// Engine is an engine of several, for teams of local and remote models. Requests go to the engine that has the model
// which they name. An inference.Local in it must have been opened with Member, and serves clients (its Ask): its
// steps do not wait for debates that wait for another engine.
type Engine struct {
	engines []inference.Running
	named   map[string]inference.Running // by inference.Request.Model
	models  inference.ModelInfo
}

// New joins engines by the names that requests have for their models. That of "" replies to requests that name
// none. It closes all of them when it is closed.
func New(named map[string]inference.Running) *Engine {
	first := named[""]
	s := &Engine{engines: []inference.Running{first}, named: named, models: first.Model()}
	for _, engine := range named {
		if !slices.Contains(s.engines, engine) {
			s.engines = append(s.engines, engine)
		}
	}
	slices.SortFunc(s.engines[1:], func(a, b inference.Running) int {
		return cmp.Compare(a.Model().Hash, b.Model().Hash)
	})
	for _, e := range s.engines[1:] {
		s.models.Team = append(s.models.Team, e.Model().All()...)
	}
	return s
}

// Model implements Engine.
func (s *Engine) Model() inference.ModelInfo { return s.models }

// Stats implements Engine.
func (s *Engine) Stats() (all inference.Stats) {
	for i, e := range s.engines {
		one := e.Stats()
		models := one.Models
		if one.Models = nil; models == nil {
			models = []inference.Stats{one}
		}
		if i == 0 {
			all = one
		} else {
			list := all.Models
			all = all.Plus(one)
			all.Models = list
		}
		all.Models = append(all.Models, models...)
	}
	return all
}

// Close implements Engine.
func (s *Engine) Close() (err error) {
	for _, e := range s.engines {
		err = errors.Join(err, e.Close())
	}
	return err
}

// Stop implements inference.Running.
func (s *Engine) Stop(err error) {
	var all sync.WaitGroup
	for _, e := range s.engines {
		all.Go(bug.Lone(func() { e.Stop(err) }))
	}
	all.Wait()
}

// Plan implements inference.Running.
func (s *Engine) Plan() (text string) {
	for _, e := range s.engines {
		if text != "" {
			text += "\n"
		}
		text += e.Plan()
	}
	return text
}

// Threads implements inference.Running.
func (s *Engine) Threads() (n int) {
	for _, e := range s.engines {
		n = max(n, e.Threads())
	}
	return n
}

// Cells implements inference.Running.
func (s *Engine) Cells() (n int) {
	for _, e := range s.engines {
		n += e.Cells()
	}
	return n
}

// MemoryLine implements inference.Running.
func (s *Engine) MemoryLine() (text string) {
	for _, e := range s.engines {
		text = cmp.Or(text, e.MemoryLine())
	}
	return text
}

// Survey implements inference.Running: the models have different vocabularies, and some are not known here.
func (s *Engine) Survey() *inference.Survey { return nil }

// Able implements inference.Running.
func (s *Engine) Able(r inference.Request) error {
	engine, err := s.owner(r)
	if err != nil {
		return err
	}
	return engine.Able(r)
}

// owner returns the engine that has the model of a request.
func (s *Engine) owner(r inference.Request) (inference.Running, error) {
	if engine := s.named[r.Model]; engine != nil {
		return engine, nil
	}
	return nil, fmt.Errorf("no model %q was opened", r.Model)
}

// Join implements Engine.
func (s *Engine) Join(order int) inference.Participant { return &participant{s, order} }

// participant is one participant of all engines.
type participant struct {
	*Engine
	order int
}

// Leave implements inference.Participant.
func (p *participant) Leave() {}

// Generate implements inference.Participant: all engines are asked at the same time.
func (p *participant) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	return ByOwner(requests, p.owner, func(engine inference.Running, part []inference.Request) ([]inference.Reply,
		error) {
		return ask(ctx, engine, p.order, part)
	})
}

// ByOwner divides requests among their owners, asks all of these at the same time, and returns the replies in the order
// of the requests. A request for which no owner is found has that error as its reply, and so have those whose owner
// panics: the replies of others are none the worse. When all have ended, the first owner's error of another kind is
// returned.
func ByOwner[O comparable](requests []inference.Request, owner func(inference.Request) (O, error),
	ask func(O, []inference.Request) ([]inference.Reply, error)) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	parts, at := make(map[O][]inference.Request), make(map[O][]int)
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
					replies[i] = inference.Reply{Err: err}
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

// ask asks one engine. A Local is asked as a client, so that its steps wait for no debate that waits for another
// engine.
func ask(ctx context.Context, engine inference.Running, order int,
	requests []inference.Request) ([]inference.Reply, error) {
	if l, local := engine.(*inference.Local); local {
		return l.Ask(ctx, inference.Client{Order: order}, requests)
	}
	p := engine.Join(order)
	defer p.Leave()
	return p.Generate(ctx, requests)
}
