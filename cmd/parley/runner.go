package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/analysis"
	"parley/bench/rundir"
	"parley/bounds"
	"parley/debate/society"
	"parley/inference"
)

// runner takes runs from their specification to their table: compare, demo and run share it and differ only in the
// specifications that they make. Its fields are flags. A run goes through three stages, each of which may refuse it
// before the next one costs anything:
//
//  1. openDirectory locks the run directory and reads what it holds;
//  2. prepare opens the engine on the recorded generations, and completes the specification to options and a header;
//     begin compares the header with the recorded one and writes it;
//  3. execute holds the debates that are missing.
//
// A dry run is prepared in the same way, without a directory, and forecast instead of executed.
type runner struct {
	engine    engineFlags
	stop      analysis.Stopping
	details   bool
	out       string // directory of the run, or of the experiment that the run is a task of
	fork      string // new directory in the place of out, whose generations it starts with; "" continues in out
	json      bool
	dry       bool
	calibrate time.Duration
}

func (r *runner) register(cmd *cobra.Command) {
	r.engine.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&r.stop.Condition, "stop-when", "",
		"stop as soon as this condition clearly differs from the reference, by a sequential test that stays valid "+
			"under repeated looks")
	addNumber(flags, &r.stop.Every, "stop-every", "", 25, analysis.StopEveryRange,
		"questions between two looks of --stop-when")
	flags.BoolVar(&r.details, "details", false, "also print how the debates went (rounds, changed answers, "+
		"agreement, entropy, costs) and what memory was for")
	flags.StringVarP(&r.out, "out", "o", "", "run directory; if it already holds this run, the run resumes "+
		"(default parley-runs/NAME-TIME)")
	flags.StringVar(&r.fork, "fork", "", "start a new run in this directory, and reuse what the run in --out has "+
		"generated")
	flags.BoolVar(&r.json, "json", false, "print only the results, as one JSON line per task")
	flags.BoolVar(&r.dry, "dry-run", false, "forecast what the run will take, and write nothing: some questions are "+
		"run, the rest is simulated")
	r.calibrate = 20 * time.Second
	flags.Var(duration{&r.calibrate, bounds.From(0.001, 86_400)}, "calibrate",
		"with --dry-run: how long to run questions; more time makes the forecast more precise")
}

// runSpec is a run as data, before a model is open: what is run and where its records go.
type runSpec struct {
	part       string // subdirectory of the run directory, "" for the directory itself
	study      study
	experiment []byte // experiment.yaml, written beside the parts once one has begun; nil for a run of its own
}

// study is what a run asks. It is resolved on a model, because prompts and bounds that the user leaves open depend on
// it. The society is what the header records of the size and wording of the debates.
type study interface {
	resolve(model inference.ModelInfo) (bench.Options, society.Society, error)
}

// locate chooses the run directory where --out names none; a dry run needs none.
func (r *runner) locate(name string) error {
	switch {
	case r.dry || r.out != "":
		return nil
	case r.fork != "":
		return usage(errors.New("--fork needs the directory of the run to reuse: --out DIRECTORY --fork NEW"))
	}
	r.out = unnamed(name)
	return nil
}

// unnamed is the directory of a run for which none is named.
func unnamed(what string) string {
	return filepath.Join("parley-runs", what+time.Now().Format("-20060102-150405"))
}

// place is the directory that the run writes to, which resumes it when given as --out.
func (r *runner) place() string { return cmp.Or(r.fork, r.out) }

// run executes a specification, or forecasts it with --dry-run.
func (r *runner) run(cmd *cobra.Command, spec runSpec) error {
	if r.dry {
		return r.forecast(cmd, spec)
	}
	directory, err := r.openDirectory(spec.part)
	if err != nil {
		return usage(err)
	}
	defer directory.Close()
	if directory.Torn > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "parley: the last run ended while writing a record; its torn %d bytes were cut "+
			"off\n", directory.Torn)
	}
	result, err := r.compare(cmd, directory, spec)
	if err == nil {
		err = directory.Finish(result)
	}
	if err != nil {
		return exitMessage(cmd, directory, r.place(), err)
	}
	if err := directory.Close(); err != nil {
		return err
	}
	return errors.Join(r.print(cmd, directory, result), incompleteRun(result))
}

// openDirectory opens and locks the directory of a run. A task that the forked experiment has not begun starts empty.
func (r *runner) openDirectory(part string) (*rundir.Directory, error) {
	from := filepath.Join(r.out, part)
	if r.fork == "" {
		return rundir.OpenDirectory(from)
	}
	if _, err := os.Stat(from); part != "" && errors.Is(err, os.ErrNotExist) {
		return rundir.OpenDirectory(filepath.Join(r.fork, part))
	}
	return rundir.ForkDirectory(from, filepath.Join(r.fork, part))
}

// preparedRun is a run whose model is open, complete but for where its outcomes go.
type preparedRun struct {
	engine  *inference.Local
	options bench.Options
	header  rundir.Header
}

// prepare opens the engine, completes the specification on its model, describes the run in a header and refuses debates
// that cannot fit into the context. The caller closes the engine unless there is an error.
func (r *runner) prepare(cmd *cobra.Command, spec runSpec, records ...inference.Option) (p preparedRun, err error) {
	if p.engine, err = r.engine.open(cmd, records...); err != nil {
		return p, err
	}
	defer func() {
		if err != nil {
			p.engine.Close()
		}
	}()
	var society society.Society
	if p.options, society, err = spec.study.resolve(p.engine.Model()); err != nil {
		return p, err
	}
	p.options.Engine = p.engine
	if r.stop.Condition != "" {
		p.options.Stop = &r.stop
	}
	if err := p.options.Validate(); err != nil {
		return p, usage(err)
	}
	p.header = bench.NewHeader(p.options, society)
	p.header.Threads, p.header.Cells = p.engine.Threads(), p.engine.Cells()
	p.header.Parley, p.header.Build = programVersion(), buildLine()
	p.header.Time = time.Now().UTC().Format(time.RFC3339)
	return p, nil
}

// headline prints what is about to run, unless only JSON is wanted.
func (r *runner) headline(cmd *cobra.Command, p preparedRun) {
	if !r.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%splan     %s\n", p.header.Headline(), p.header.Power(), p.engine.Plan())
	}
}

// checkFits refuses debates that cannot fit into the context, and warns of those that may not fit with long replies.
func (p preparedRun) checkFits(cmd *cobra.Command) error {
	warning, err := bench.ForeseeRun(cmd.Context(), p.options, p.engine)
	if warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "parley: warning:", warning)
	}
	return usage(err)
}

// compare prepares a run on what its directory has recorded, begins it there, and executes it.
func (r *runner) compare(cmd *cobra.Command, d *rundir.Directory, spec runSpec) (c analysis.Comparison, err error) {
	p, err := r.prepare(cmd, spec, inference.OnGeneration(d.Generation), inference.Known(d.Reply))
	if err != nil {
		return c, err
	}
	defer p.engine.Close()
	if err := p.checkFits(cmd); err != nil {
		return c, err
	}
	if err := cmd.Context().Err(); err != nil { // nothing is written for a run that was interrupted before it began
		return c, err
	}
	if err := r.begin(d, p.header, spec); err != nil {
		return c, err
	}
	r.headline(cmd, p)
	r.printRecorded(cmd, d)
	c, err = p.execute(cmd, d)
	if r.details && !r.json {
		fmt.Fprintln(cmd.ErrOrStderr(), "memory  ", p.engine.MemoryLine())
	}
	return c, err
}

// begin writes the header, after the directory has compared it with the header of the run that it holds.
func (r *runner) begin(d *rundir.Directory, header rundir.Header, spec runSpec) error {
	if err := d.Begin(header); err != nil {
		if errors.As(err, new(rundir.AnotherRun)) {
			err = usage(err)
		}
		return err
	}
	if spec.experiment == nil {
		return nil
	}
	return renameio.WriteFile(filepath.Join(r.place(), "experiment.yaml"), spec.experiment, 0o644)
}

// execute holds the debates. An interrupt stops the engine after the step under way, so that what that step finishes is
// recorded; ending the context instead would discard it.
func (p preparedRun) execute(cmd *cobra.Command, d *rundir.Directory) (analysis.Comparison, error) {
	bar := newProgress(cmd.ErrOrStderr(), p.engine, p.options.Reference, p.header.Debates)
	defer bar.finish()
	p.options.Observe, p.options.Progress = d.Outcome, bar.update
	stop := context.AfterFunc(cmd.Context(), func() { p.engine.Stop(context.Canceled) })
	defer stop()
	return bench.Compare(context.WithoutCancel(cmd.Context()), p.options)
}

// printRecorded prints what is reused, unless only JSON is wanted.
func (r *runner) printRecorded(cmd *cobra.Command, d *rundir.Directory) {
	generations, debates := d.Recorded()
	switch {
	case r.json:
	case r.fork != "":
		recorded, usable, damaged := d.Forked()
		fmt.Fprintf(cmd.ErrOrStderr(), "forked   %s has %d recorded generations, %d of them by this model and "+
			"computation; those that this run needs are reused\n", r.out, recorded, usable)
		if damaged > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "damaged  its journal in %d places; the intact records are reused\n",
				damaged)
		}
	case generations > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "recorded %d generations and %d debates in %s are reused\n", generations,
			debates, d.Path)
	}
}

// print prints the table, or JSON.
func (r *runner) print(cmd *cobra.Command, directory *rundir.Directory, result analysis.Comparison) error {
	if r.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "generations, debates and result are in", directory.Path)
	if n := result.Stats.Restored; n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s replies were taken from recorded generations\n", humanize.Comma(int64(n)))
	}
	if err := result.Write(cmd.OutOrStdout()); err != nil || !r.details {
		return err
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), "\n", result.Details())
	return err
}

// forecast prints what a run will take, given what its directory has recorded; without --out that is nothing.
func (r *runner) forecast(cmd *cobra.Command, spec runSpec) error {
	recorded := ""
	if r.out != "" {
		recorded = filepath.Join(r.out, spec.part)
	}
	known, err := rundir.Recorded(recorded)
	if err != nil {
		return usage(err)
	}
	p, err := r.prepare(cmd, spec, inference.Known(known))
	if err != nil {
		return err
	}
	defer p.engine.Close()
	r.headline(cmd, p)
	if err := p.checkFits(cmd); err != nil {
		return err
	}
	forecast, err := bench.DryRun(cmd.Context(), p.options, bench.Calibration{Seed: p.header.Seed,
		Limit: r.calibrate})
	switch {
	case err != nil:
		return err
	case r.json:
		return json.NewEncoder(cmd.OutOrStdout()).Encode(forecast)
	}
	return forecast.Write(cmd.OutOrStdout())
}
