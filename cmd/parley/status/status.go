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
	"github.com/parley-debate/parley/internal/bounds"
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
shards, shows each shard.

With --every, prints a line again and again until the run ends: debates, tokens and their rate, prompt
tokens saved, and the time that is left; for an experiment, of the task under way; for a run in
shards, how many of them have finished, until all have.`,
		Example: `  parley status parley-runs/demo-20261121-120000
  parley status parley-runs/demo-20261121-120000 --every 5s`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per run")
	flags.Duration(cmd.Flags(), &o.every, "every", bounds.From(1, 86_400).OrZero(),
		"print a line so often, until the run ends, such as 5s; 0s prints how far it is once")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line  command.Line
	json  bool
	every time.Duration
}

// run tells how far each run or shard is.
func run(o *Options) error {
	args := o.line.Args
	if shards := rundir.AllShardsOf(args[0]); len(shards) > 0 {
		if o.every > 0 {
			return o.followShards(args[0], shards)
		}
		return statusOfShards(o.line, args[0], shards, o.json)
	}
	if o.every > 0 {
		return o.follow()
	}
	return runner.EachRun(args[0], func(run string) error { return showStatus(o.line, run, o.json) })
}

// follow prints lines until a run ends.
func (o *Options) follow() error {
	ctx := o.line.Context
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	show := func(w runner.Watched) (err error) {
		if o.json {
			err = json.NewEncoder(o.line.Out).Encode(w.Status)
		} else {
			_, err = fmt.Fprintln(o.line.Out, w.Line())
		}
		return err
	}
	err := runner.Watch(ctx, o.line.Args[0], o.every, time.Now(), ticker.C, show)
	if ctx.Err() != nil {
		return err
	}
	return exit.Input(err)
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
