// Package bench runs comparisons: it asks questions under conditions (package trial) on one engine. Every condition
// gets the same questions, and what several conditions ask alike is generated once.
//
// Lifecycle: Options name a task, its conditions and an engine. ForeseeRun says before whether the debates fit, DryRun
// what the run will take. Compare holds the debates: first those that depend on no other, then those that do
// (dependency.go), block by block in large runs. It hands each Outcome to Options.Observe, in an order that depends on
// the work alone, so that a directory (package rundir) records it; and it ends with the analysis.Comparison of all.
//
// What holds: all debates of a block join the engine before the first of them speaks, so that batches are a function of
// the work. A debate that fails, fails alone.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"parley/bench/analysis"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/bench/wording"
	"parley/bounds"
	"parley/bug"
	"parley/debate"
	"parley/debate/answer"
	"parley/inference"
)

// Options say what to compare.
type Options struct {
	Task       task.Task
	Conditions []trial.Condition
	Reference  string // the condition that the others are compared with; "" is Reference
	Repeats    int    // how often each condition is held on each question, with other seeds; 0 is once
	Engine     inference.Engine
	Stop       *analysis.Stopping // nil: all questions are asked

	// Observe gets the outcome of every question under every condition as soon as all before it are there: questions in
	// order, repeats within a question and conditions within a repeat, those that build on others after the rest of
	// their block. An error ends the run. May be nil.
	Observe func(trial.Outcome) error
	// Progress is called after every debate, with the number of debates done. May be nil.
	Progress func(done, total int, outcome trial.Outcome)

	donors map[string]task.Question // by question, of the whole task where this is a part of it; nil: of the task
}

// Compare runs every condition on every question and sums up. All debates run at once, but those that build on others
// after these, and those of a large run, or of one that may stop, block by block of questions. A debate that fails (a
// Question longer than the context, say) fails alone: it is counted as a failure and in no accuracy, and its error is
// reported with the result.
func Compare(ctx context.Context, o Options) (analysis.Comparison, error) {
	if err := o.Validate(); err != nil {
		return analysis.Comparison{}, err
	}
	if o.donors == nil {
		o.donors = donorsOf(o.Task.Questions)
	}
	r := &run{Options: o, held: make(map[place]int)}
	r.ahead = len(o.Task.Questions) * o.perQuestion()
	for r.asked < len(o.Task.Questions) && !r.clear() {
		if err := r.block(ctx); err != nil {
			return analysis.Comparison{}, err
		}
	}
	return summarize(o, r.outcomes), nil
}

// Validate sets what is left open to its default, and says what cannot be run.
func (o *Options) Validate() error {
	o.Repeats, o.Reference = cmp.Or(o.Repeats, 1), cmp.Or(o.Reference, trial.Reference)
	if o.Stop != nil {
		stop := *o.Stop // the caller's stays as it is
		stop.Reference = trial.ReferenceOf(stop.Condition, o.Reference, trial.Names(o.Conditions))
		stop.EnsureDefaults()
		o.Stop = &stop
	}
	if err := bounds.Check("repeats", o.Repeats, trial.RepeatsRange); err != nil {
		return err
	}
	switch {
	case len(o.Task.Questions) == 0:
		return errors.New("the task has no questions")
	case len(o.Conditions) == 0:
		return errors.New("no conditions to compare")
	}
	for _, c := range o.Conditions {
		if err := c.Validate(o.Conditions); err != nil {
			return fmt.Errorf("condition %s: %w", c.Name, err)
		}
	}
	if o.Stop != nil {
		return o.Stop.Validate(o.Conditions)
	}
	return nil
}

// place says which debate: of which condition, on which question, and for which time.
type place struct{ question, repeat, condition int }

// run is one Compare under way.
type run struct {
	Options
	asked    int        // questions [0, asked) are, or were
	ahead    int        // debates that are not among debates yet: at most, since not all questions may be candidates
	mu       sync.Mutex // guards what follows
	debates  []place
	held     map[place]int   // indices of debates
	outcomes []trial.Outcome // by debate, as are the next two
	done     []bool
	failed   []error
	Finished int
	observed int // outcomes [0, observed) went to Observe
}

// block asks the next questions: as many as there is memory for, or after as many of which the run may stop.
func (r *run) block(ctx context.Context) error {
	from, many := r.asked, max(1, atOnce/r.perQuestion())
	if r.Stop != nil {
		many = r.Stop.Every
	}
	r.asked = min(len(r.Task.Questions), from+many)
	for _, builds := range []bool{false, true} {
		if err := r.hold(ctx, r.places(from, builds)); err != nil {
			return err
		}
	}
	return nil
}

// atOnce bounds the debates that are held at once: the prompts of all of them wait in memory. A variable for tests.
var atOnce = 4096

// perQuestion is how many debates a question has, at most.
func (o Options) perQuestion() (debates int) {
	for _, c := range o.Conditions {
		debates += c.Times(o.Repeats)
	}
	return debates
}

// clear reports whether the run may stop.
func (r *run) clear() bool {
	return r.Stop != nil && r.Stop.Look(analysis.NewTable(r.outcomes), len(r.Task.Questions)).Clear
}

// places lists the debates on the questions [from, asked), of the conditions that build on others or of those that do
// not. All of a question are neighbours in the scheduler's order, so that they share what they have in common while it
// is still there.
func (r *run) places(from int, build bool) (places []place) {
	for q := from; q < r.asked; q++ {
		for repeat := range r.Repeats {
			for c, condition := range r.Conditions {
				if (condition.DependsOn != "") != build || repeat > 0 && condition.Once {
					continue
				}
				r.ahead--
				if p := (place{q, repeat, c}); !build || r.candidate(p) {
					places = append(places, p)
				}
			}
		}
	}
	return places
}

// hold holds debates, all at once.
func (r *run) hold(ctx context.Context, places []place) error {
	from := len(r.debates)
	for i, p := range places {
		r.held[p] = from + i
	}
	r.debates = append(r.debates, places...)
	r.outcomes, r.done, r.failed = grow(r.outcomes, len(places)), grow(r.done, len(places)), grow(r.failed, len(places))
	participants := make([]inference.Participant, len(places))
	for i := range participants {
		// all of them before the first speaks: batches are then a function of the work
		participants[i] = r.Engine.Join(from + i)
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range participants {
		group.Go(func() (err error) {
			defer p.Leave()
			defer bug.Catch(&err)
			return r.debate(ctx, from+i, p)
		})
	}
	return group.Wait()
}

func grow[T any](list []T, by int) []T { return append(list, make([]T, by)...) }

func (r *run) debate(ctx context.Context, i int, speaker debate.Speaker) error {
	p := r.debates[i]
	question, condition := r.Task.Questions[p.question], r.Conditions[p.condition]
	prior, err := r.prior(p)
	var transcript debate.Transcript
	if err == nil {
		transcript, err = condition.Debate.Run(ctx, speaker, debate.Case{
			ID: trial.CaseID(question.ID, p.repeat), Question: question.Text, Extract: r.Task.Reader(question),
			Truth: question.Truth, Prior: prior, Donor: r.donor(p),
		})
	}
	if err != nil && !errors.Is(err, debate.ErrSilence) && !errors.Is(err, debate.ErrPrior) {
		return fmt.Errorf("question %s, condition %s: %w", question.ID, condition.Name, err)
	}
	if err != nil {
		transcript.Failed = err.Error()
	}
	outcome := trial.Outcome{
		Question: question.ID, Repeat: p.repeat, Condition: condition.Name, Target: question.Target,
		Truth: question.Truth, Transcript: transcript,
	}
	outcome.Score = condition.ScoreOf(transcript, func(a answer.Answer) task.Score { return r.Task.Score(question, a) })
	if err != nil {
		outcome.Score, outcome.Error = task.Failed, err.Error()
	} else {
		outcome.Partial = condition.PartialOf(transcript,
			func(a answer.Answer) *float64 { return r.Task.Partial(question, a) })
	}
	return r.finish(i, outcome, err)
}

// finish enters an outcome, and hands on all outcomes that are complete in order.
func (r *run) finish(i int, outcome trial.Outcome, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[i], r.done[i] = outcome, true
	r.Finished++
	r.failed[i] = failure
	if r.Progress != nil {
		r.Progress(r.Finished, len(r.debates)+r.ahead, outcome)
	}
	for ; r.observed < len(r.done) && r.done[r.observed]; r.observed++ {
		if r.Observe == nil {
			continue
		}
		o := &r.outcomes[r.observed]
		if err := r.Observe(*o); err != nil {
			return err
		}
		if !r.builtUpon(o.Condition) {
			o.Transcript = trial.WithoutMessages(o.Transcript) // whoever wants them has them now
		}
	}
	return nil
}

// builtUpon reports whether others build on a condition.
func (o Options) builtUpon(condition string) bool {
	return slices.ContainsFunc(o.Conditions, func(c trial.Condition) bool { return c.DependsOn == condition })
}

func summarize(o Options, outcomes []trial.Outcome) analysis.Comparison {
	c := analysis.Comparison{
		Task: o.Task.Name, TaskHash: o.Task.Hash, Measure: cmp.Or(o.Task.Measure, "equal"),
		Questions: len(o.Task.Questions), Guess: o.Task.Guess,
		Model: o.Engine.Model(), Stats: o.Engine.Stats(), Reference: o.Reference,
	}
	c.Tabulate(o.Conditions, analysis.NewTable(outcomes), o.Stop)
	c.Time = analysis.Times{Prefill: wording.Milliseconds(c.Stats.PrefillDuration),
		Decode: wording.Milliseconds(c.Stats.DecodeDuration)}
	for i := range c.Rows {
		c.Rows[i].Milliseconds = wording.Milliseconds(c.EngineTime(c.Rows[i].Cost))
	}
	return c
}
