// Package bench asks questions under conditions and says what came of it: every condition gets the same questions, all
// that several conditions have in common is generated once, and each number comes with its n and its interval.
//
// Lifecycle: a task.Task and the Conditions go into Compare, which runs all debates on one engine; the Comparison that
// comes out is the table. What was generated and said on the way goes to an Observer, in an order that depends on the
// work alone.
package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
	"parley/inference"
)

// Options say what to compare.
type Options struct {
	Task       task.Task
	Conditions []Condition
	Engine     inference.Engine

	// Observe gets the outcome of every question under every condition, questions in order and conditions in order
	// within a question, as soon as all before it are there. An error ends the run. May be nil.
	Observe func(Outcome) error
	// Progress is called after every debate, with the number of debates done. May be nil.
	Progress func(done, total int, outcome Outcome)
}

// Outcome is what one condition made of one question.
type Outcome struct {
	Question   string            `json:"question"`
	Condition  string            `json:"condition"`
	Target     string            `json:"target"`
	Truth      answer.Answer     `json:"truth"` // the target in the form in which answers are read
	Score      task.Score        `json:"score"`
	Transcript debate.Transcript `json:"transcript"`
}

// Compare runs every condition on every question, all of them at once, and sums up. A debate that fails (a question
// longer than the context, say) fails alone: it counts as unparsed and its error is reported with the result.
func Compare(ctx context.Context, o Options) (Comparison, error) {
	if err := o.validate(); err != nil {
		return Comparison{}, err
	}
	r := &run{Options: o, outcomes: make([]Outcome, len(o.Task.Questions)*len(o.Conditions))}
	r.done, r.failed = make([]bool, len(r.outcomes)), make([]error, len(r.outcomes))
	participants := make([]inference.Participant, len(r.outcomes))
	for i := range participants {
		participants[i] = o.Engine.Join(i) // all of them before the first speaks: batches are then a function of the work
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range participants {
		group.Go(func() error {
			defer p.Leave()
			return r.debate(ctx, i, p)
		})
	}
	if err := group.Wait(); err != nil {
		return Comparison{}, err
	}
	return summarize(o, r.outcomes, r.failed), nil
}

func (o Options) validate() error {
	switch {
	case len(o.Task.Questions) == 0:
		return errors.New("the task has no questions")
	case len(o.Conditions) == 0:
		return errors.New("no conditions to compare")
	}
	return nil
}

// run is one Compare under way. Debate i is condition i mod k of question i div k, so that the conditions of one question
// are neighbours in the scheduler's order and share what they have in common while it is still there.
type run struct {
	Options
	mu       sync.Mutex // guards what follows
	outcomes []Outcome
	done     []bool
	finished int
	observed int     // outcomes [0, observed) went to Observe
	failed   []error // by debate
}

func (r *run) debate(ctx context.Context, i int, speaker debate.Speaker) error {
	question, condition := r.Task.Questions[i/len(r.Conditions)], r.Conditions[i%len(r.Conditions)]
	transcript, err := condition.Debate.Run(ctx, speaker, debate.Case{
		ID: question.ID, Question: question.Text, Extract: r.Task.Reader(question), Truth: question.Truth,
	})
	if err != nil && !errors.Is(err, debate.ErrSilence) {
		return fmt.Errorf("question %s, condition %s: %w", question.ID, condition.Name, err)
	}
	outcome := Outcome{Question: question.ID, Condition: condition.Name, Target: question.Target, Truth: question.Truth, Transcript: transcript}
	outcome.Score = condition.scoreOf(transcript, func(a answer.Answer) task.Score { return r.Task.Score(question, a) })
	return r.finish(i, outcome, err)
}

// finish enters an outcome, and hands on all outcomes that are complete in order.
func (r *run) finish(i int, outcome Outcome, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[i], r.done[i] = outcome, true
	r.finished++
	if failure != nil {
		r.failed[i] = fmt.Errorf("question %s, condition %s: %w", outcome.Question, outcome.Condition, failure)
	}
	if r.Progress != nil {
		r.Progress(r.finished, len(r.outcomes), outcome)
	}
	for ; r.observed < len(r.done) && r.done[r.observed]; r.observed++ {
		if r.Observe == nil {
			continue
		}
		if err := r.Observe(r.outcomes[r.observed]); err != nil {
			return err
		}
	}
	return nil
}
