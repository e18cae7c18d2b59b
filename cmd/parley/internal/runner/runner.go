// Package runner takes runs from their specification to their table. The commands that run something share it, and
// differ only in the specifications that they make.
package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
)

// Spec describes a run before a model is open: what is run and where its records go.
type Spec struct {
	Experiment experiment.Experiment
	Task       task.Task    // one of its tasks
	Part       string       // the task's subdirectory of an experiment's directory; "" for the directory itself
	File       []byte       // of the experiment, written once a task has begun; nil where flags describe it
	shard      *trial.Shard // which part of the task --shard computes; nil: the one of that number
}

// options composes the experiment on the task for the model of an engine, because prompts and bounds that the user
// leaves open depend on it, and leaves out what its models cannot hold.
func (s Spec) options(ctx context.Context, engine inference.Running) (bench.Options, error) {
	run, err := s.Experiment.Prepare(s.Task, engine.Model())
	switch {
	case err != nil && s.File == nil:
		return bench.Options{}, exit.Usage(err)
	case err != nil:
		return bench.Options{}, exit.Input(err)
	}
	unable := bench.Unable(ctx, bench.Options{Task: s.Task, Conditions: run.Conditions}, engine.Able)
	err = exit.Usage(run.WithoutUnable(unable))
	return bench.Options{Run: run.Run, Task: s.Task, Conditions: run.Conditions}, err
}

// Run executes a specification, forecasts it with --dry-run, or does what the context has instead.
func (r *Runner) Run(cmd command.Line, spec Spec) error {
	if instead := insteadIn(cmd.Context); instead != nil {
		return instead.take(r, cmd, spec)
	}
	if r.Dry {
		return r.forecast(cmd, spec)
	}
	directory, err := r.openDirectory(spec.Part)
	if err != nil {
		return exit.Usage(err)
	}
	defer directory.Close()
	if directory.Torn > 0 {
		fmt.Fprintf(cmd.Err, "parley: the last run ended while writing a record; its torn %d bytes were cut "+
			"off\n", directory.Torn)
	}
	result, err := r.compare(cmd, directory, spec)
	if err != nil {
		return exitMessage(cmd, directory, r.resumable(), err)
	}
	if err := directory.Close(); err != nil {
		return err
	}
	return errors.Join(r.print(cmd, directory, result), incompleteRun(result))
}

// preparedRun is a run whose model is open. Only the recipients of its outcomes are missing.
type preparedRun struct {
	engine  inference.Running
	options bench.Options
	header  rundir.Header
}

// prepare opens the engine, completes the specification on its model, describes the run in a header and refuses debates
// that cannot fit into the context. The caller closes the engine unless there is an error.
func (r *Runner) prepare(cmd command.Line, spec Spec, records engine.Recorder) (p preparedRun, err error) {
	if p.engine, err = r.openFor(cmd, spec, records); err != nil {
		return p, err
	}
	defer func() {
		if err != nil {
			p.engine.Close()
		}
	}()
	if p.options, err = spec.options(cmd.Context, p.engine); err != nil {
		return p, err
	}
	p.options.Engine = p.engine
	if r.stop.Condition != "" {
		p.options.Run.Stop = &r.stop
	}
	if r.Tests.Cluster != "" {
		if p.options.Task, err = p.options.Task.ClusterBy(r.Tests.Cluster); err != nil {
			return p, exit.Usage(err)
		}
	}
	if r.Tests.Group != "" {
		if p.options.Task, err = p.options.Task.GroupBy(r.Tests.Group); err != nil {
			return p, exit.Usage(err)
		}
	}
	given := r.Tests
	given.Contrasts = nil // the specification has those that are of this task
	p.options.Run.Tests = given.Or(p.options.Run.Tests)
	if err := p.options.Complete(); err != nil {
		return p, exit.Usage(err)
	}
	if p.options, err = r.divide(cmd, p.options, spec); err != nil {
		return p, exit.Usage(err)
	}
	p.header = bench.NewHeader(p.options)
	p.header.Parley, p.header.Build = program.Version(), program.Build()
	p.header.Budget = r.budget.forHeader()
	if p.header.Budget != nil {
		p.options.AtOnce = bench.AtOnceLimited
	}
	return p, nil
}

// openFor opens the engine with all models of an experiment.
func (r *Runner) openFor(cmd command.Line, spec Spec, records engine.Recorder) (inference.Running, error) {
	shown := terminal.WaitFor(cmd.Err, nil, "opening the model")
	defer shown.Finish()
	return r.Engine.OpenTeam(cmd, spec.Experiment.EachModel, records)
}

// compare prepares a run on what its directory has recorded, begins it there, executes it, and records how it ended.
func (r *Runner) compare(cmd command.Line, d *rundir.Directory, spec Spec) (c analysis.Comparison, err error) {
	p, err := r.prepare(cmd, spec, engine.Recorder{Generation: r.budget.countTokens(d.Generation), Known: d.Reply})
	if err != nil {
		return c, err
	}
	defer p.engine.Close()
	work, err := r.checkFits(cmd, p)
	if err != nil {
		return c, err
	}
	if err := cmd.Context.Err(); err != nil { // nothing is written for a run that was interrupted before it began
		return c, err
	}
	p.header.Time = time.Now().UTC().Format(time.RFC3339)
	if err := r.writeHeader(d, p.header, spec); err != nil {
		return c, err
	}
	d.Line = r.line(cmd, d.Path)
	if work = work.Without(d.Count().Generations); d.Count().Debates == p.header.Debates {
		work = bench.Foreseen{}
	}
	r.headline(cmd, p, work)
	r.printRecorded(cmd, d)
	c, err = r.execute(cmd, p, d, work.Replies)
	err = d.End(c, p.engine.Stats(), err)
	if r.details && !r.JSON && p.engine.MemoryLine() != "" {
		err = errors.Join(err, terminal.Printf(cmd.Err, "memory   %s\n", p.engine.MemoryLine()))
	}
	return c, err
}

// execute runs the debates. An interrupt, or the end of the budget, stops the engine after the current step, so that
// the replies which that step finishes are recorded; ending the context instead would discard them. ahead is how many
// generations there can be; 0 if that is unknown.
func (r *Runner) execute(cmd command.Line, p preparedRun,
	d *rundir.Directory, ahead int) (analysis.Comparison, error) {
	bar := newProgress(cmd.Err, p.engine, p.header, d.Count, ahead)
	defer bar.finish()
	p.options.Observe = func(o trial.Outcome) error {
		r.budget.countDebate(o)
		bar.update(o)
		return nil
	}
	defer r.budget.watch(cmd.Context, p.engine)()
	c, err := bench.CompareIn(context.WithoutCancel(cmd.Context), d, p.options)
	if used := new(budgetUsed); errors.As(err, used) {
		err = exit.Mark(exit.CodeBudget, *used)
		if left := p.header.Debates - d.Count().Debates; left > 0 {
			err = fmt.Errorf("%w%s", err, r.budget.more(left))
		}
	}
	return c, err
}
