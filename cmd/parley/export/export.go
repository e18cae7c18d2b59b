// Package export writes a run as tables, or as logs of other programs: parley export.
package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "export RUN-DIRECTORY --out PREFIX",
		Short: "Write a run as tables, as logs that other evaluation programs read, or as a data set",
		Long: `Writes PREFIX.replies.FORMAT with one row per turn, PREFIX.decisions.FORMAT with one row per
debate and PREFIX.measures.FORMAT with one row per debate and measure. With --format inspect, it writes
PREFIX.CONDITION.eval for each condition, a log that inspect_ai reads, shows and scores again. With
every-eval-ever, hub and ro-crate, PREFIX is a directory: records for that datastore, a data set of the
Hugging Face hub with card and Croissant metadata, or a research object. docs/format.md describes columns and
logs. Files of an earlier export are replaced. An unfinished run is exported as far as it is recorded.`,
		Example: "  parley export parley-runs/demo-20261121-120000 --format parquet --out demo\n" +
			"  parley export parley-runs/demo-20261121-120000 --format inspect --out logs/demo",
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	flags.Text(cmd.Flags(), &o.format, "format", "", "FORMAT", offline.FormatCSV,
		"format of the files: "+strings.Join(offline.ExportFormats(), ", "))
	flags.Text(cmd.Flags(), &o.out, "out", "o", "PREFIX", "", "prefix of the file names")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a summary as JSON")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line   command.Line
	format string
	out    string
	json   bool
}

// run writes the tables.
func run(o *Options) error {
	args := o.line.Args
	if o.out == "" {
		return exit.Usage(errors.New("name the files with --out PREFIX"))
	}
	if !slices.Contains(offline.ExportFormats(), o.format) {
		return exit.Usage(fmt.Errorf("--format %q: must be one of %s", o.format,
			strings.Join(offline.ExportFormats(), ", ")))
	}
	run, err := rundir.ReadRun(args[0])
	if err != nil {
		return exit.Input(err)
	}
	exported, err := offline.Export(run, args[0], o.out, o.format)
	if err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(exported)
	}
	_, err = fmt.Fprint(o.line.Out, exported)
	return err
}
