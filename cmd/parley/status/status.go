// Package status tells how far a run is: parley status.
package status

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "status RUN-DIRECTORY",
		Short: "Show the progress of a run, also from another terminal",
		Long: `Shows what the run is, how many of its debates are recorded, the number of generations and bytes,
when it was last written, and which process is running it. The directory stays unchanged and the run
is not disturbed. For an experiment, shows each task that has started. For a run that is computed in
shards, shows each shard; the directory of its jobs, OUT.jobs, stands for it too.
parley watch goes on until the run ends.`,
		Example: `  parley status parley-runs/demo-20261121-120000
  parley status table1.jobs`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per run")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	json bool
}

// run tells how far each run or shard is.
func run(o *Options) error {
	args := o.line.Args
	if whole, shards := runner.ShardsIn(args[0]); len(shards) > 0 {
		return statusOfShards(o.line, whole, shards, o.json)
	}
	return runner.EachRun(args[0], func(run string) error { return showStatus(o.line, run, o.json) })
}

func showStatus(cmd command.Line, directory string, asJSON bool) error {
	status, err := rundir.ReadStatus(directory)
	if err != nil {
		return exit.Input(err)
	}
	if asJSON {
		return json.NewEncoder(cmd.Out).Encode(status)
	}
	err = terminal.Fit(cmd.Out, func(w io.Writer) error { return status.Write(w, time.Now()) })
	if err == nil && status.Resume != "" { // on one line, however long, so that it can be copied
		_, err = fmt.Fprintln(cmd.Out, "resume  ", status.Resume)
	}
	return err
}
