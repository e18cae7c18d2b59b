// Package runner takes runs from their specification to their table. The commands that run something share it, and
// differ
// only in the specifications that they make.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// Runner takes runs from their specification to their table. Its fields are flags. A run goes through three stages,
// each of which may refuse it
// before the next one costs anything:
//
//  1. openDirectory locks the run directory and reads its records;
//  2. prepare opens the engine, which reuses the recorded generations, and makes options and a header of the
//     specification; begin compares the header with the recorded one and writes it;
//  3. execute runs the debates that are not recorded yet.
//
// A dry run is prepared in the same way, without a directory. forecast then takes the place of execute.
type Runner struct {
	Engine    engine.Flags
	stop      spec.Stopping
	margin    float64 // of equivalence; 0 is that of the specification
	cluster   string  // field of the task's file; "" is that of the specification
	group     string  // field of the task's file; "" is that of the specification
	Contrasts []string
	details   bool
	out       string // directory of the run, or of the experiment that the run is a task of
	fork      string // new directory, which starts with the generations of out; "" to continue in out
	JSON      bool
	Dry       bool
	calibrate time.Duration
	machines  int              // that a dry run goes up to
	foreseen  []bench.Forecast // of the tasks so far
	budget    budget
	shard     shardFlag
	job       jobFlags
}

func (r *Runner) Register(set *pflag.FlagSet) {
	r.Engine.Register(set)
	r.Engine.RegisterPlaces(set)
	r.Engine.RegisterRemote(set)
	r.Engine.RegisterChoices(set)
	flags.Text(set, &r.stop.Condition, "stop-when", "", "CONDITION", "",
		"stop as soon as this condition clearly differs from the reference, by a sequential test that stays valid "+
			"under repeated looks")
	flags.Number(set, &r.stop.Every, "stop-every", "", 25, spec.StopEveryRange,
		"questions between two looks of --stop-when")
	flags.Number(set, &r.margin, "equivalence", "", 0, spec.DifferenceRange,
		"also test whether conditions are equivalent to what they are compared with: whether "+
			"accuracies differ by less than this, such as 0.05")
	flags.Each(set, &r.Contrasts, "contrast", "", "DIFFERENCE", nil,
		"also test a difference between conditions, such as "+
			"\"madc - mad\", \"(madc, vote) - single\" for means of groups, or \"madc/agents=* - mad/agents=*\" for "+
			"each "+
			"value of a sweep; may be given several times")
	flags.Text(set, &r.cluster, "cluster", "", "FIELD", "",
		"field of the task file, such as subject or context: intervals and "+
			"tests count its values, as clusters of questions that may depend on each other")
	flags.Text(set, &r.group, "group", "", "FIELD", "",
		"field of the task file, such as subject: --details and the report also "+
			"give the results for each of its values (SQuAD 2.0 needs no field: answerable, unanswerable)")
	set.BoolVar(&r.details, "details", false, "also print how the debates went (rounds, changed answers, "+
		"agreement, entropy, costs) and how memory was used")
	flags.Text(set, &r.out, "out", "o", "DIR", "", "run directory; if it already holds this run, the run resumes "+
		"(default parley-runs/NAME-TIME)")
	flags.Text(set, &r.fork, "fork", "", "DIR", "",
		"start a new run in this directory, and reuse the generations of the run in "+
			"--out")
	set.BoolVar(&r.JSON, "json", false, "print only the results, as one JSON line per task")
	set.BoolVar(&r.Dry, "dry-run", false, "forecast what the run will take, and write nothing: some questions are "+
		"run, the rest is simulated")
	flags.Number(set, &r.machines, "machines", "", 1, bounds.From(1, trial.MostShards),
		"with --dry-run: also simulate the run in shards on up to this many machines like this one")
	r.budget.register(set)
	r.calibrate = 20 * time.Second
	flags.Duration(set, &r.calibrate, "calibrate", bounds.From(0.001, 86_400),
		"with --dry-run: how long to run questions; more time makes the forecast more precise")
}

// RegisterShards adds the flags that divide a run among machines.
func (r *Runner) RegisterShards(set *pflag.FlagSet) {
	r.shard.register(set)
	r.job.register(set)
}

// Spec describes a run before a model is open: what is run and where its records go.
type Spec struct {
	Part       string // the task's subdirectory of an experiment's directory; "" for the directory itself
	Study      Study
	Questions  int          // of the task
	shard      *trial.Shard // which part of the task --shard computes; nil: the one of that number
	Experiment []byte       // content of experiment.yaml, written once a task has begun; nil outside experiments
}

// Study is what a run asks. It is resolved on a model, because prompts and bounds that the user leaves open depend on
// it. The society is what the header records of the size and wording of the debates.
type Study interface {
	Resolve(model inference.ModelInfo) (bench.Options, error)
	// EachModel visits the models of its teams by the names that its requests will have for them. An error is one of
	// the place where the model is named.
	EachModel(visit func(name string) error) error
}

// Locate chooses the run directory where --out names none; a dry run needs none.
func (r *Runner) Locate(name string) error {
	switch {
	case r.job.submit:
		return exit.Usage(errors.New("--submit needs --slurm N: the number of shards"))
	case r.Engine.Choices > 1 && r.shard.Of > 0:
		return exit.Usage(errChoicesInShards)
	case r.fork != "" && r.out == "":
		return exit.Usage(errors.New("--fork needs the directory of the run to reuse: --out DIRECTORY --fork NEW"))
	case r.fork != "" && r.shard.Of > 0:
		return exit.Usage(errors.New("--fork starts a whole run: merge the shards first, or leave out --shard"))
	case r.Dry || r.out != "":
		return nil
	case r.shard.Of > 0:
		return exit.Usage(errors.New("--shard needs --out DIR, the same in all shards: shard 2/8 is computed in " +
			"DIR.shard-2-of-8"))
	}
	r.out = Unnamed(name)
	return nil
}

// Unnamed is the directory of a run for which none is named.
func Unnamed(what string) string {
	return filepath.Join("parley-runs", what+time.Now().Format("-20060102-150405"))
}

// named is the --out with which the same command resumes the run.
func (r *Runner) named() string { return cmp.Or(r.fork, r.out) }

// Place is the directory that the run writes to.
func (r *Runner) Place() string { return rundir.ShardDirectory(r.named(), r.shard.part()) }

// Run executes a specification, or forecasts it with --dry-run.
func (r *Runner) Run(cmd command.Line, spec Spec) error {
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
	if err == nil {
		err = directory.Finish(result)
	}
	if err != nil {
		return exitMessage(cmd, directory, r.named(), err)
	}
	if err := directory.Close(); err != nil {
		return err
	}
	return errors.Join(r.print(cmd, directory, result), incompleteRun(result))
}

// openDirectory opens and locks the directory of a run. A task that the forked experiment has not begun starts empty.
func (r *Runner) openDirectory(part string) (*rundir.Directory, error) {
	from := filepath.Join(rundir.ShardDirectory(r.out, r.shard.part()), part)
	if r.fork == "" {
		return rundir.OpenDirectory(from)
	}
	if _, err := os.Stat(from); part != "" && errors.Is(err, os.ErrNotExist) {
		return rundir.OpenDirectory(filepath.Join(r.fork, part))
	}
	return rundir.ForkDirectory(from, filepath.Join(r.fork, part))
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
	if p.engine, err = r.openFor(cmd, spec.Study, records); err != nil {
		return p, err
	}
	defer func() {
		if err != nil {
			p.engine.Close()
		}
	}()
	if p.options, err = spec.Study.Resolve(p.engine.Model()); err != nil {
		return p, err
	}
	p.options.Engine = p.engine
	if r.stop.Condition != "" {
		p.options.Run.Stop = &r.stop
	}
	if r.cluster != "" {
		if p.options.Task, err = p.options.Task.ClusterBy(r.cluster); err != nil {
			return p, exit.Usage(err)
		}
	}
	if r.group != "" {
		if p.options.Task, err = p.options.Task.GroupBy(r.group); err != nil {
			return p, exit.Usage(err)
		}
	}
	p.options.Run.Equivalence = cmp.Or(r.margin, p.options.Run.Equivalence)
	if err := p.options.Complete(); err != nil {
		return p, exit.Usage(err)
	}
	if p.options, err = r.divide(cmd, p.options, spec); err != nil {
		return p, exit.Usage(err)
	}
	p.header = bench.NewHeader(p.options)
	p.header.Threads, p.header.Cells = p.engine.Threads(), p.engine.Cells()
	p.header.Parley, p.header.Build = program.Version(), program.Build()
	p.header.Budget = r.budget.recorded()
	p.header.Time = time.Now().UTC().Format(time.RFC3339)
	return p, nil
}

// openFor opens the engine with all models of a study.
func (r *Runner) openFor(cmd command.Line, s Study, records engine.Recorder) (inference.Running, error) {
	shown := terminal.WaitFor(cmd.Err, nil, "opening the model")
	defer shown.Finish()
	return r.Engine.OpenTeam(cmd, s.EachModel, records)
}

// compare prepares a run on what its directory has recorded, begins it there, and executes it.
func (r *Runner) compare(cmd command.Line, d *rundir.Directory, spec Spec) (c analysis.Comparison, err error) {
	p, err := r.prepare(cmd, spec, engine.Recorder{Generation: r.budget.counted(d.Generation), Known: d.Reply})
	if err != nil {
		return c, err
	}
	defer p.engine.Close()
	if err := r.checkFits(cmd, p); err != nil {
		return c, err
	}
	if err := cmd.Context.Err(); err != nil { // nothing is written for a run that was interrupted before it began
		return c, err
	}
	if err := r.begin(d, p.header, spec); err != nil {
		return c, err
	}
	r.headline(cmd, p)
	r.printRecorded(cmd, d)
	if p.options.Earlier, err = d.Worked(); err != nil {
		return c, err
	}
	if c, err = r.execute(cmd, p, d); err != nil {
		err = errors.Join(err, d.Ended(p.engine.Stats()))
	}
	if r.details && !r.JSON && p.engine.MemoryLine() != "" {
		err = errors.Join(err, terminal.Fit(cmd.Err, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, "memory  ", p.engine.MemoryLine())
			return err
		}))
	}
	return c, err
}

// begin writes the header, unless the directory holds another run.
func (r *Runner) begin(d *rundir.Directory, header rundir.Header, spec Spec) error {
	if err := d.Begin(header); err != nil {
		if errors.As(err, new(rundir.AnotherRun)) {
			err = exit.Usage(err)
		}
		return err
	}
	if spec.Experiment == nil {
		return nil
	}
	return ExperimentFile(r.Place(), spec.Experiment, []string{spec.Part}).Write(spec.Experiment)
}

// execute runs the debates. An interrupt, or the end of the budget, stops the engine after the current step, so that
// the replies which that step finishes are recorded; ending the context instead would discard them.
func (r *Runner) execute(cmd command.Line, p preparedRun,
	d *rundir.Directory) (analysis.Comparison, error) {
	bar := newProgress(cmd.Err, p.engine, p.options.Run.Reference, p.header.Debates)
	defer bar.finish()
	p.options.Observe = d.Outcome
	p.options.Progress = func(done, total int, o trial.Outcome) {
		r.budget.finished(o)
		bar.update(done, total, o)
	}
	defer r.budget.watched(cmd.Context, p.engine)()
	c, err := bench.Compare(context.WithoutCancel(cmd.Context), p.options)
	if used := new(budgetUsed); errors.As(err, used) {
		_, recorded := d.Recorded()
		err = exit.Mark(exit.CodeBudget, *used)
		if left := p.header.Debates - recorded; left > 0 {
			err = fmt.Errorf("%w%s", err, r.budget.more(left))
		}
	}
	return c, err
}
