package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"parley/bench"
	"parley/debate"
	"parley/inference"
)

// holding is how runs are held: what compare, demo and run have in common.
type holding struct {
	engine    engineFlags
	stop      bench.Stopping
	details   bool
	json      bool
	dry       bool
	calibrate time.Duration
}

func (h *holding) register(cmd *cobra.Command) {
	h.engine.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&h.stop.Condition, "stop-when", "", "end as soon as it is clear that this condition differs from the reference, by a test that may be looked at often")
	flags.IntVar(&h.stop.Every, "stop-every", 25, "questions between two looks of --stop-when")
	flags.BoolVar(&h.details, "details", false, "also how the debates went: rounds, changed answers, agreement, entropy, costs")
	flags.BoolVar(&h.json, "json", false, "print results as JSON, one line a task, and nothing else")
	flags.BoolVar(&h.dry, "dry-run", false, "say what the run will take, and write nothing: some questions are asked, the rest is rehearsed")
	flags.DurationVar(&h.calibrate, "calibrate", 20*time.Second, "with --dry-run: how long to ask questions; the more, the surer")
}

// study says what is held on a model: the options but for the engine, and the size and wording of the debates where a record has room for one.
type study func(model inference.ModelInfo) (bench.Options, debate.Society, error)

// options completes a study on an engine, and describes it.
func (h *holding) options(engine *inference.Local, what study) (o bench.Options, header bench.Header, err error) {
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
	header.Parley, header.Build, header.Time = programVersion(), buildLine(), time.Now().UTC().Format(time.RFC3339)
	return o, header, nil
}

// hold runs a study to its end, in its directory, and prints its table.
func (h *holding) hold(cmd *cobra.Command, directory *bench.Directory, what study) error {
	defer directory.Close()
	if directory.Torn > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "parley: %d bytes of a record that was being written when the last run ended were cut away\n", directory.Torn)
	}
	result, err := h.compare(cmd, directory, what)
	if err != nil {
		return errors.Join(err, removeEmpty(directory))
	}
	if err := errors.Join(directory.Finish(result), directory.Close()); err != nil {
		return err
	}
	if h.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "generations, debates and result are in", directory.Path)
	if err := result.Write(cmd.OutOrStdout()); err != nil || !h.details {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), "\n", result.Details())
	return err
}

func (h *holding) compare(cmd *cobra.Command, directory *bench.Directory, what study) (c bench.Comparison, err error) {
	engine, err := h.engine.open(cmd, inference.OnGeneration(directory.Generation), inference.Known(directory.Reply))
	if err != nil {
		return c, err
	}
	defer engine.Close()
	options, header, err := h.options(engine, what)
	if err != nil {
		return c, err
	}
	if err := directory.Begin(header); err != nil {
		return c, err
	}
	if !h.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%splan     %s\n", header.Headline(), engine.Plan())
		if generations, debates := directory.Recorded(); generations > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "recorded %d generations and %d debates in %s are not held again\n", generations, debates, directory.Path)
		}
	}
	bar := newProgress(cmd.ErrOrStderr(), engine, options.Reference, header.Debates)
	defer bar.finish()
	options.Observe, options.Progress = directory.Outcome, bar.update
	return bench.Compare(cmd.Context(), options)
}

// removeEmpty removes a run directory in which nothing was recorded, so that the same command can be given again.
func removeEmpty(d *bench.Directory) error {
	if err := d.Close(); err != nil || !d.Empty() {
		return err
	}
	return d.Remove()
}

// rehearse prints what a study will take, given what its directory holds already.
func (h *holding) rehearse(cmd *cobra.Command, directory string, what study) error {
	if h.calibrate <= 0 {
		return usage(fmt.Errorf("--calibrate %v: some time is needed", h.calibrate))
	}
	known, err := bench.Recorded(directory)
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
		fmt.Fprintf(cmd.ErrOrStderr(), "%splan     %s\n", header.Headline(), engine.Plan())
	}
	forecast, err := bench.Rehearse(cmd.Context(), options, bench.Calibration{Seed: header.Seed, Limit: h.calibrate})
	switch {
	case err != nil:
		return err
	case h.json:
		return json.NewEncoder(cmd.OutOrStdout()).Encode(forecast)
	}
	return forecast.Write(cmd.OutOrStdout())
}
