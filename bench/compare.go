// Package bench runs comparisons: it asks questions under conditions (package trial) on one engine. Every condition
// gets the same questions, and what several conditions ask alike is generated once.
//
// Lifecycle: Options name a task, its conditions and an engine. Beforehand, ForeseeRun says whether the debates fit
// into the context, and DryRun what the run will take. Compare holds the debates: first those that depend on no other,
// then those that do (dependency.go), block by block in large runs. It passes each Outcome to Options.Observe, which
// records it (package rundir), and returns the analysis.Comparison of all outcomes.
//
// Invariants: all debates of a block join the engine before the first of them speaks, and outcomes are observed in the
// order of the debates, so that batches and records are a function of the work alone. A debate that fails does not end
// the run.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/bug"
)

// Options are a run, and what only the process that computes it needs.
type Options struct {
	Run        spec.Run // what Task and Conditions say of themselves is entered by NewHeader and Compare
	Task       task.Task
	Conditions []trial.Condition
	Engine     inference.Engine
	Earlier    analysis.Work // what earlier sessions of the run computed, for the times in its table
	AtOnce     int           // debates that are held at once, in blocks of whole questions; 0: as memory allows

	// Observe gets each outcome as soon as it and all before it are complete. The order is: questions, repeats within a
	// question, conditions within a repeat; conditions that build on others come after the rest of their block. An
	// error ends the run. May be nil.
	Observe func(trial.Outcome) error

	complete  bool                     // Complete has checked and completed the options
	contrasts []analysis.Contrast      // of Run.Contrasts, as Complete reads them
	donors    map[string]task.Question // by question; nil: made from Task. Set if Task is part of a larger task
	shard     *trial.Shard             // which part of a run this is; nil: the whole
}

// Compare runs every condition on every question and sums up. All debates run at once, with two exceptions: those that
// build on others run after these, and a large run, or one that may end early, proceeds in blocks of questions. A
// debate that fails, for instance because its question is longer than the context, does not end the run: it is counted
// as a failure and in no accuracy, and its error is reported with the result.
func Compare(ctx context.Context, o Options) (analysis.Comparison, error) {
	outcomes, err := o.outcomes(ctx)
	if err != nil {
		return analysis.Comparison{}, err
	}
	return summarize(o, outcomes), nil
}

// outcomes holds all debates of a run.
func (o *Options) outcomes(ctx context.Context) ([]trial.Outcome, error) {
	if err := o.Complete(); err != nil {
		return nil, err
	}
	o.donors = o.donorsOf()
	r := &running{Options: *o, held: make(map[debateIndex]int)}
	for r.asked < len(o.Task.Questions) && !r.clear() {
		if err := r.block(ctx); err != nil {
			return nil, err
		}
	}
	return r.outcomes, nil
}

// Complete sets defaults for what is left open and refuses what cannot be run. Compare does so unless the caller has.
func (o *Options) Complete() error {
	if o.complete {
		return nil
	}
	r := &o.Run
	o.wholeClusters()
	r.Repeats, r.Reference = cmp.Or(r.Repeats, 1), cmp.Or(r.Reference, trial.Reference)
	if r.Stop != nil {
		stop := *r.Stop // the caller's stays as it is
		if names := trial.Names(o.Conditions); stop.Condition != spec.Decided || slices.Contains(names, spec.Decided) {
			stop.Reference = trial.ReferenceOf(stop.Condition, r.Reference, names)
		}
		stop.EnsureDefaults()
		r.Stop = &stop
	}
	if err := bounds.Check("repeats", r.Repeats, trial.RepeatsRange); err != nil {
		return err
	}
	switch {
	case len(o.Task.Questions) == 0:
		return errors.New("the task has no questions")
	case len(o.Conditions) == 0:
		return errors.New("no conditions to compare")
	}
	if err := r.CheckTests(); err != nil {
		return err
	}
	for _, c := range o.Conditions {
		if err := cmp.Or(c.Validate(o.Conditions), needsFor(c, o.Task), optionsFor(c, o.Task)); err != nil {
			return fmt.Errorf("condition %s: %w", c.Name, err)
		}
	}
	if r.Stop != nil {
		if err := r.Stop.Validate(o.Conditions); err != nil {
			return err
		}
	}
	var err error
	o.contrasts, err = analysis.ReadContrasts(r.Contrasts, trial.Names(o.Conditions), r.Measure, r.Stop)
	o.complete = err == nil
	return err
}

// wholeClusters puts equal questions into one cluster, and says so: they are not independent of each other.
func (o *Options) wholeClusters() {
	r, by, rows := &o.Run, o.Task.Cluster, len(o.Task.Questions)
	whole, different := o.Task.Whole()
	if o.Task, r.Cluster, r.Different = whole, whole.Cluster, different; different == rows {
		r.Different = 0
		return
	}
	note := fmt.Sprintf("%d rows ask %s", rows, wording.Count(different, "different question"))
	if by == "" {
		note += fmt.Sprintf(": intervals and tests count with %d, not with %d", different, rows)
	} else {
		note += fmt.Sprintf(": those that ask the same are in one cluster, whatever their %s", by)
	}
	r.Notes = append(slices.Clip(r.Notes), note)
}

// needsFor refuses a condition that needs facts about the question, or lists its options otherwise, if a question has
// none, and one that does not have facts judged if nothing else tells right answers.
func needsFor(c trial.Condition, t task.Task) error {
	var needs debate.Needs
	if c.Protocol != nil {
		needs = c.Protocol.FormOf().NeedsOf(c.Protocol.Settings)
	}
	if task.Judged(t.Measure) && !needs.Judged {
		return fmt.Errorf("what is right on task %s only a judge of facts can say, and it asks none: hold a "+
			"protocol with judge: facts, such as du-biography with --set judge=facts", t.Name)
	}
	for _, q := range t.Questions {
		if needs.Relist && t.Relist(q) == nil {
			return fmt.Errorf("question %s of task %s: %w", q.ID, t.Name, debate.ErrUnlisted)
		}
		if needs.Facts && q.Facts == "" {
			return fmt.Errorf("it needs facts about the question, and question %s of task %s has none: a row has "+
				"them in a field facts, and own data in the column that facts= names", q.ID, t.Name)
		}
	}
	return nil
}

// optionsFor refuses a condition that chooses among options if a question has none that it could choose from.
func optionsFor(c trial.Condition, t task.Task) error {
	chooser, ok := c.Debate.(debate.Chooser)
	if !ok {
		return nil
	}
	for _, q := range t.Questions {
		if err := chooser.CheckChoices(t.Choices(q)); err != nil {
			return fmt.Errorf("question %s of task %s: %w", q.ID, t.Name, err)
		}
	}
	return nil
}

// debateIndex identifies a debate by its question, repeat and condition; question and condition are indices in Options.
type debateIndex struct{ question, repeat, condition int }

// running is the state of one call of Compare. together appends to debates and held before it starts the goroutines of
// its debates, so that these only read them; mu guards what the goroutines write.
type running struct {
	Options
	asked   int                 // questions [0, asked) are being asked, or were
	debates []debateIndex       // in the order in which their outcomes are observed
	held    map[debateIndex]int // indices in debates

	mu       sync.Mutex
	outcomes []trial.Outcome // by debate, as are the next two
	done     []bool
	failed   []error
	observed int // outcomes [0, observed) went to Observe
}

// block asks the next block of questions.
func (r *running) block(ctx context.Context) error {
	from := r.asked
	r.asked = min(len(r.Task.Questions), from+r.blockSize())
	for _, dependent := range []bool{false, true} {
		if err := r.together(ctx, r.list(from, dependent)); err != nil {
			return err
		}
	}
	return nil
}

// blockSize is how many questions are asked at once.
func (r *running) blockSize() int {
	if r.Run.Stop != nil {
		return r.Run.Stop.Every
	}
	return max(1, cmp.Or(r.AtOnce, atOnce)/r.perQuestion())
}

// atOnce bounds the debates that are held at once: the prompts of all of them wait in memory.
const atOnce = 4096

// AtOnceLimited is Options.AtOnce for a run that a budget may end: while one long reply is drawn in the steps of all,
// so much else is computed that nearly all questions would be begun, and few whole. There are four debates for each
// place that an engine has by itself, so that steps stay full for most of a block.
const AtOnceLimited = 256

// perQuestion is the largest number of debates on one question.
func (o Options) perQuestion() (debates int) {
	for _, c := range o.Conditions {
		debates += c.Times(o.Run.Repeats)
	}
	return debates
}

// clear reports whether the comparison is clear, so that the run stops.
func (r *running) clear() bool {
	stop := r.Run.Stop
	return stop != nil && compared(r.Options).Clear(r.Conditions, outcome.NewTable(r.outcomes), *stop)
}

// list lists the debates on the questions [from, asked) of the conditions that build on others, or of those that do
// not. Debates on the same question are neighbours in the scheduler's order, so that they share prefixes while these
// are still in the cache.
func (r *running) list(from int, dependent bool) (debates []debateIndex) {
	for q := from; q < r.asked; q++ {
		for repeat := range r.Run.Repeats + 1 { // the last one is that of a second draw
			for c, condition := range r.Conditions {
				from, to := condition.HeldAt(r.Run.Repeats)
				if (condition.DependsOn != "") != dependent || repeat < from || repeat >= to {
					continue
				}
				if one := (debateIndex{q, repeat, c}); !dependent || r.candidate(one) {
					debates = append(debates, one)
				}
			}
		}
	}
	return debates
}

// together holds debates, all at the same time.
func (r *running) together(ctx context.Context, debates []debateIndex) error {
	from := len(r.debates)
	for i, p := range debates {
		r.held[p] = from + i
	}
	r.debates = append(r.debates, debates...)
	n := len(debates)
	r.outcomes, r.done, r.failed = grow(r.outcomes, n), grow(r.done, n), grow(r.failed, n)
	participants := make([]inference.Participant, len(debates))
	for i := range participants {
		// all of them join before the first speaks, so that batches are a function of the work
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

// debate holds debate i. If a reply cannot be had, or the debate that it depends on has failed, the debate fails and
// has an outcome; any other error ends the run.
func (r *running) debate(ctx context.Context, i int, speaker debate.Speaker) error {
	p := r.debates[i]
	prior, err := r.prior(p)
	var transcript debate.Transcript
	if err == nil {
		transcript, err = debate.Hold(ctx, r.Conditions[p.condition].Debate, speaker, r.caseOf(p, prior))
	}
	outcome, failed := r.outcomeOf(p, transcript, err)
	if failed != nil {
		return failed
	}
	return r.finish(i, outcome, err)
}

// caseOf is the question of a debate as the debate has it, with the one that it builds on; nil for none.
func (o *Options) caseOf(p debateIndex, prior *debate.Transcript) debate.Case {
	question := o.Task.Questions[p.question]
	c := caseOf(o.Task, question)
	c.ID, c.Prior, c.Donor = trial.CaseID(question.ID, p.repeat), prior, o.donor(p)
	return c
}

// outcomeOf scores a debate that was held, or that failed with err. Errors other than those of a debate have no
// outcome.
func (o *Options) outcomeOf(p debateIndex, t debate.Transcript, err error) (trial.Outcome, error) {
	question, condition := o.Task.Questions[p.question], o.Conditions[p.condition]
	if err != nil && !errors.Is(err, debate.ErrSilence) && !errors.Is(err, debate.ErrPrior) {
		return trial.Outcome{}, fmt.Errorf("question %s, condition %s: %w", question.ID, condition.Name, err)
	}
	if err != nil {
		t.Failed = err.Error()
	}
	outcome := trial.Outcome{
		Question: question.ID, Repeat: p.repeat, Cluster: question.Cluster, Group: question.Group,
		Condition: condition.Name,
		Target:    question.Target, Truth: question.Truth, Key: o.Task.Key(question), Transcript: t,
		Asked: question.Text,
	}
	outcome.Score = condition.ScoreOf(t, outcome.ScoreOf)
	if err != nil {
		outcome.Score, outcome.Error = task.Failed, err.Error()
	} else {
		outcome.Partial = condition.PartialOf(t,
			func(a answer.Answer) *float64 { return o.Task.Partial(question, a) })
	}
	return outcome, nil
}

// finish enters an outcome and passes on, in order, all outcomes that have no unfinished one before them.
func (r *running) finish(i int, outcome trial.Outcome, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[i], r.done[i] = outcome, true
	r.failed[i] = failure
	for ; r.observed < len(r.done) && r.done[r.observed]; r.observed++ {
		if r.Observe == nil {
			continue
		}
		o := &r.outcomes[r.observed]
		if err := r.Observe(*o); err != nil {
			return err
		}
		if !r.builtUpon(o.Condition) {
			o.Transcript = trial.WithoutMessages(o.Transcript) // saves memory; Observe has had them
		}
	}
	return nil
}

// builtUpon reports whether others build on a condition.
func (o Options) builtUpon(condition string) bool {
	return slices.ContainsFunc(o.Conditions, func(c trial.Condition) bool { return c.DependsOn == condition })
}

// buildsOn reports whether a condition builds on another.
func (o Options) buildsOn(condition string) bool {
	return slices.ContainsFunc(o.Conditions,
		func(c trial.Condition) bool { return c.Name == condition && c.DependsOn != "" })
}

// summarize computes the result of all outcomes.
func summarize(o Options, outcomes []trial.Outcome) analysis.Comparison {
	c := compared(o)
	c.Stats = o.Engine.Stats()
	if o.shard != nil {
		c.Shard = o.shard.String()
	}
	c.Tabulate(o.Conditions, outcome.NewTable(outcomes), o.Run.Stop)
	c.EnterTimes()
	return c
}

// compared is what a run compares, before its outcomes.
func compared(o Options) analysis.Comparison {
	c := analysis.Comparison{Run: o.Run, Guess: o.Task.Guess, Model: o.Engine.Model(), Earlier: o.Earlier,
		Contrasts: o.contrasts}
	c.On(o.Task)
	c.Under(o.Conditions)
	return c
}
