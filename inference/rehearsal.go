package inference

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/scheduler"
)

// Exchange is a request and the reply to it.
type Exchange struct {
	Request Request
	Reply   Reply
}

// Rehearse counts what the engine would do from its beginning if debates were held at once. Each of them consists of
// calls, one after the other, of several requests. The schedulers are real, and so are the prompts; nothing is
// computed, and the tokens that are drawn are those of the replies. A request that cannot be served is left out.
func (l *Local) Rehearse(ctx context.Context, debates [][][]Exchange) (Stats, error) {
	engines := make([]scheduler.Engine, len(l.models))
	for i := range engines {
		engines[i] = rehearsal{}
	}
	driver, err := l.drive(func(*scheduler.Job) error { return nil }, engines)
	if err != nil {
		return Stats{}, err
	}
	defer driver.Close()
	participants := make([]*participant, len(debates))
	for i := range debates {
		participants[i] = &participant{local: l, joined: driver.Join(i)}
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range participants {
		group.Go(func() (err error) {
			defer p.Leave()
			defer bug.Catch(&err)
			for _, call := range debates[i] {
				if err := p.rehearse(ctx, call); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = group.Wait()
	return l.total(func(m *instance) Stats { return countsOf(driver.Stats(m.index)) }), err
}

// rehearse makes one call.
func (p *participant) rehearse(ctx context.Context, call []Exchange) error {
	batch, err := p.known(ctx, call)
	if err == nil && len(batch) > 0 {
		_, err = p.joined.Generate(ctx, batch)
	}
	return err
}

// known tokenizes the prompts of requests whose replies are known.
func (p *participant) known(ctx context.Context, call []Exchange) (batch []scheduler.Request, err error) {
	p.local.mu.RLock()
	defer p.local.mu.RUnlock()
	if p.local.closed {
		return nil, step.ErrClosed
	}
	var prompts prompts
	for _, e := range call {
		asked, err := p.ask(ctx, e.Request, &pending{Generation: e.Request.Generation(0)}, &prompts)
		if err != nil {
			continue
		}
		for _, r := range asked {
			r.Tag, r.Put, r.Instead = e.Reply.Generated, nil, nil
			r.Until = func(drawn step.Sampled) bool { return drawn.End }
			batch = append(batch, r)
		}
	}
	return batch, ctx.Err()
}

// rehearsal takes the place of a decoder: the tag of a request has the tokens that are drawn for it.
type rehearsal struct{}

// Step implements scheduler.Engine.
func (rehearsal) Step(ctx context.Context, plan *scheduler.Plan) ([]step.Sampled, error) {
	sampled := make([]step.Sampled, len(plan.Samples))
	for i := range sampled {
		tag, drawn := plan.Of(i)
		tokens := tag.([]int32)
		sampled[i].End = drawn >= len(tokens)-1
		if start := plan.Samples[i].Start; start != nil && start.Forced != nil {
			sampled[i].Token = *start.Forced
		} else if len(tokens) > 0 {
			sampled[i].Token = step.Token(tokens[min(drawn, len(tokens)-1)])
		}
	}
	return sampled, ctx.Err()
}
