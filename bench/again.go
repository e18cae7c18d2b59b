package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
)

// Again returns what holds the debate of an outcome once more, by the conditions of the run and without measuring
// beliefs. A speaker may have it take another turn: an error of the speaker is that of the debate. outcomes are those
// of the run, since a debate may build on another.
func (o *Options) Again(of trial.Outcome, outcomes []trial.Outcome) (
	again func(context.Context, debate.Speaker) (trial.Outcome, error), err error) {
	if err := o.Complete(); err != nil {
		return nil, err
	}
	p := debateIndex{repeat: of.Repeat,
		question:  slices.IndexFunc(o.Task.Questions, func(q task.Question) bool { return q.ID == of.Question }),
		condition: slices.IndexFunc(o.Conditions, func(c trial.Condition) bool { return c.Name == of.Condition })}
	switch {
	case p.question < 0:
		return nil, fmt.Errorf("the task has no question %s", of.Question)
	case p.condition < 0:
		return nil, fmt.Errorf("the run has no condition %s", of.Condition)
	}
	prior, err := o.recorded(p, outcomes)
	if err != nil {
		return nil, err
	}
	held := *o
	held.donors = o.donorsOf()
	return func(ctx context.Context, speaker debate.Speaker) (trial.Outcome, error) {
		t, err := held.Conditions[p.condition].Debate.Run(ctx, speaker, held.caseOf(p, prior))
		return held.outcomeOf(p, t, err)
	}, nil
}

// recorded returns the debate that another depends on, among those of a run; nil if it depends on none.
func (o *Options) recorded(p debateIndex, outcomes []trial.Outcome) (*debate.Transcript, error) {
	after := o.Conditions[p.condition].DependsOn
	if after == "" {
		return nil, nil
	}
	on := o.builtOn(p)
	i := slices.IndexFunc(outcomes, func(other trial.Outcome) bool {
		return other.Question == o.Task.Questions[on.question].ID && other.Repeat == on.repeat &&
			other.Condition == after
	})
	if i < 0 || outcomes[i].Failed() {
		return nil, fmt.Errorf("%w: the run has no debate on the question under %s", debate.ErrPrior, after)
	}
	return &outcomes[i].Transcript, nil
}
