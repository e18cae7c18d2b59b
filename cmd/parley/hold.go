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
	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/analysis"
	"parley/bench/rundir"
	"parley/bounds"
	"parley/debate"
	"parley/inference"
)

// holding is how runs are held: what compare, demo and run have in common.
type holding struct {
	engine    engineFlags
	stop      analysis.Stopping
	details   bool
	out       string // directory of the run, or of the experiment that it is part of
	fork      string // the same of a new one, which begins with the generations of out
	json      bool
	dry       bool
	calibrate time.Duration

	begun func() error // is called when the directory has taken the run; may be nil
}

func (h *holding) register(cmd *cobra.Command) {
	h.engine.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&h.stop.Condition, "stop-when", "",
		"end as soon as it is clear that this condition differs from the reference, by a test that may be looked at "+
			"often")
	addNumber(flags, &h.stop.Every, "stop-every", "", 25, analysis.StopEveryRange,
		"questions between two looks of --stop-when")
	flags.BoolVar(&h.details, "details", false, "also how the debates went: rounds, changed answers, agreement, "+
		"entropy, costs")
	flags.StringVarP(&h.out, "out", "o", "", "directory of the run; one that holds it is gone on with (default "+
		"parley-runs/NAME-TIME)")
	flags.StringVar(&h.fork, "fork", "", "begin in this new directory, with the generations of the run in --out "+
		"that are asked for again")
	flags.BoolVar(&h.json, "json", false, "print results as JSON, one line a task, and nothing else")
	flags.BoolVar(&h.dry, "dry-run", false, "say what the run will take, and write nothing: some questions are "+
		"asked, the rest is rehearsed")
	h.calibrate = 20 * time.Second
	flags.Var(duration{&h.calibrate, bounds.From(0.001, 86_400)}, "calibrate",
		"with --dry-run: how long to ask questions; the more, the surer")
}

// study says what is held on a model: the options but for the engine, and the size and wording of the debates where a
// record has room for one.
type study func(model inference.ModelInfo) (bench.Options, debate.Society, error)

// options completes a study on an engine, and describes it.
func (h *holding) options(engine *inference.Local, what study) (o bench.Options, header rundir.Header, err error) {
	o, base, err := what(engine.Model())
	if err != nil {
		return o, header, err
	}
	o.Engine = engine
	if h.stop.Condition != "" {
		o.Stop = &h.stop
	}
	if err := o.Validate(); err != nil {
		return o, header, usage(err)
	}
	header = bench.NewHeader(o, base)
	header.Threads, header.Cells = engine.Threads(), engine.Cells()
	header.Parley, header.Build, header.Time = programVersion(), buildLine(), time.Now().UTC().Format(time.RFC3339)
	return o, header, nil
}

// directory opens that of a run: the part of --out that a task of an experiment has, or "" for all of it. name is that
// of what is run.
func (h *holding) directory(name, part string) (*rundir.Directory, error) {
	switch {
	case h.fork != "" && h.out == "":
		return nil, errors.New("--fork needs the directory of the run to begin from: --out DIRECTORY --fork NEW")
	case h.out == "":
		h.out = unnamed(name)
	}
	from := filepath.Join(h.out, part)
	if h.fork == "" {
		return rundir.OpenDirectory(from)
	}
	if _, err := os.Stat(from); part != "" && errors.Is(err, os.ErrNotExist) { // a task that has not begun
		return rundir.OpenDirectory(filepath.Join(h.fork, part))
	}
	return rundir.ForkDirectory(from, filepath.Join(h.fork, part))
}

// unnamed is the directory of a run for which none is named.
func unnamed(what string) string {
	return filepath.Join("parley-runs", what+time.Now().Format("-20060102-150405"))
}

// place is where the run is, in the words of --out.
func (h *holding) place() string { return cmp.Or(h.fork, h.out) }

// hold runs a study to its end, in its directory, and prints its table.
func (h *holding) hold(cmd *cobra.Command, name, part string, what study) error {
	directory, err := h.directory(name, part)
	if err != nil {
		return usage(err)
	}
	defer directory.Close()
	if directory.Torn > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "parley: %d bytes of a record that was being written when the last run ended "+
			"were cut away\n", directory.Torn)
	}
	result, err := h.compare(cmd, directory, what)
	if err != nil {
		return ended(cmd, directory, h.place(), err)
	}
	if err := directory.Finish(result); err != nil {
		return ended(cmd, directory, h.place(), err)
	}
	if err := directory.Close(); err != nil {
		return err
	}
	return errors.Join(h.print(cmd, directory, result), notHeld(result))
}

// print prints the table, or JSON.
func (h *holding) print(cmd *cobra.Command, directory *rundir.Directory, result analysis.Comparison) error {
	if h.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "generations, debates and result are in", directory.Path)
	if n := result.Stats.Restored; n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s replies were taken from recorded generations\n", humanize.Comma(int64(n)))
	}
	if err := result.Write(cmd.OutOrStdout()); err != nil || !h.details {
		return err
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), "\n", result.Details())
	return err
}

func (h *holding) compare(cmd *cobra.Command, directory *rundir.Directory, what study) (c analysis.Comparison,
	err error) {
	engine, err := h.engine.open(cmd, inference.OnGeneration(directory.Generation), inference.Known(directory.Reply))
	if err != nil {
		return c, err
	}
	defer engine.Close()
	options, header, err := h.options(engine, what)
	if err != nil {
		return c, err
	}
	if err := h.foresee(cmd, engine, options); err != nil {
		return c, err
	}
	if err := cmd.Context().Err(); err != nil {
		return c, err
	}
	if err := directory.Begin(header); err != nil {
		if errors.As(err, new(rundir.AnotherRun)) {
			err = usage(err)
		}
		return c, err
	}
	if h.begun != nil {
		if err := h.begun(); err != nil {
			return c, err
		}
	}
	if !h.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%splan     %s\n", header.Headline(), header.Power(), engine.Plan())
		h.printRecorded(cmd, directory)
	}
	bar := newProgress(cmd.ErrOrStderr(), engine, options.Reference, header.Debates)
	defer bar.finish()
	options.Observe, options.Progress = directory.Outcome, bar.update
	// a context that ends throws away what the step would finish
	stop := context.AfterFunc(cmd.Context(), func() { engine.Stop(context.Canceled) })
	defer stop()
	return bench.Compare(context.WithoutCancel(cmd.Context()), options)
}

// foresee refuses a run of debates that cannot fit into the context, and warns of those that may come not to.
func (h *holding) foresee(cmd *cobra.Command, engine *inference.Local, options bench.Options) error {
	warning, err := bench.ForeseeRun(cmd.Context(), options, engine)
	if warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "parley: warning:", warning)
	}
	return usage(err)
}

// printRecorded says what need not be done.
func (h *holding) printRecorded(cmd *cobra.Command, d *rundir.Directory) {
	generations, debates := d.Recorded()
	switch {
	case h.fork != "":
		recorded, usable, damaged := d.Forked()
		fmt.Fprintf(cmd.ErrOrStderr(), "forked   %d generations are recorded in %s, %d of them by this model and "+
			"computation: those that are asked for again are taken\n", recorded, h.out, usable)
		if damaged > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "damaged  the journal there is, in %d places: what is intact is taken\n",
				damaged)
		}
	case generations > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "recorded %d generations and %d debates in %s are not held again\n", generations,
			debates, d.Path)
	}
}

// recorded is where a rehearsal looks for what was generated already; nothing is without --out.
func (h *holding) recorded(part string) string {
	if h.out == "" {
		return ""
	}
	return filepath.Join(h.out, part)
}

// dryRun prints what a study will take, given what its directory holds already.
func (h *holding) rehearse(cmd *cobra.Command, part string, what study) error {
	known, err := rundir.Recorded(h.recorded(part))
	if err != nil {
		return usage(err)
	}
	engine, err := h.engine.open(cmd, inference.Known(known))
	if err != nil {
		return err
	}
	defer engine.Close()
	options, header, err := h.options(engine, what)
	if err != nil {
		return err
	}
	if !h.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%splan     %s\n", header.Headline(), header.Power(), engine.Plan())
	}
	if err := h.foresee(cmd, engine, options); err != nil {
		return err
	}
	forecast, err := bench.DryRun(cmd.Context(), options, bench.Calibration{Seed: header.Seed, Limit: h.calibrate})
	switch {
	case err != nil:
		return err
	case h.json:
		return json.NewEncoder(cmd.OutOrStdout()).Encode(forecast)
	}
	return forecast.Write(cmd.OutOrStdout())
}
