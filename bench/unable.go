package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Unable returns why the models at hand cannot hold some of the conditions, by their names: something that an agent is
// asked is an inference.ErrCannot to able (inference.Running). Each is held once, with short replies of nobody.
func Unable(ctx context.Context, o Options, able func(inference.Request) error) map[string]error {
	why, held := make(map[string]error), make(map[string]*debate.Transcript)
	if len(o.Task.Questions) == 0 {
		return why
	}
	q := o.Task.Questions[0]
	about := caseOf(o.Task, q)
	about.Donor = donorOf(o, q)
	given := answersTo(about)
	for _, dependent := range []bool{false, true} {
		for _, c := range o.Conditions {
			if (c.DependsOn != "") != dependent {
				continue
			}
			if err := why[c.DependsOn]; err != nil {
				why[c.Name] = fmt.Errorf("it builds on %s: %w", c.DependsOn, err)
				continue
			}
			about.Prior = held[c.DependsOn]
			a := &nobody{able: able, reply: shortReplies(c.Debate, given.of)}
			t, err := debate.Hold(ctx, c.Debate, a, about)
			if held[c.Name] = &t; errors.Is(err, inference.ErrCannot) || lacksTurn(t) {
				why[c.Name] = cmp.Or(a.refused, err)
			}
		}
	}
	return why
}

// lacksTurn reports whether a debate went on without a turn that could not be asked for.
func lacksTurn(t debate.Transcript) bool {
	return slices.ContainsFunc(slices.Concat(t.Rounds...), func(turn debate.Turn) bool {
		return errors.Is(turn.Reply.Err, inference.ErrCannot)
	})
}

// nobody is a participant without an engine, which refuses what one would.
type nobody struct {
	able    func(inference.Request) error
	reply   func(inference.Request) string
	refused error // the first one
}

// Generate implements inference.Participant, as does Leave.
func (a *nobody) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		err := a.able(r)
		if replies[i].Err = err; err == nil {
			replies[i].Text, replies[i].LogProbs = a.reply(r), make([]float64, len(r.Continuations))
		} else if a.refused == nil && errors.Is(err, inference.ErrCannot) {
			a.refused = err
		}
	}
	return replies, ctx.Err()
}

func (a *nobody) Leave() {}
