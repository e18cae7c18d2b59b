package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/watch"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

func newStatus() *cobra.Command {
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "status RUN-DIRECTORY",
		Short: "Show the progress of a run, also from another terminal",
		Long: `Shows what the run is, how many of its debates are recorded, the number of generations and bytes,
when it was last written, and which process is running it. The directory stays unchanged and the run
is not disturbed. For an experiment, shows each task that has started. For a run that is computed in
shards, shows each shard; the directory of its jobs, OUT.jobs, stands for it too.

--follow prints one line with debates, generations, tokens and times, and renews it every second
until the run ends. Where the output is not a terminal, it prints another line whenever something
was recorded. parley watch shows more.`,
		Example: `  parley status parley-runs/demo-20261121-120000
  parley status parley-runs/demo-20261121-120000 --follow`,
		Args: flags.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if follow {
				return followStatus(command.Of(cmd), args[0], asJSON)
			}
			if whole, shards := runner.ShardsIn(args[0]); len(shards) > 0 {
				return statusOfShards(command.Of(cmd), whole, shards, asJSON)
			}
			return eachRun(args[0], func(run string) error { return showStatus(command.Of(cmd), run, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per run")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on until the run ends, one line at a time")
	return cmd
}

// eachRun calls do with the run directory of each task that an experiment has begun, or with the directory itself where
// it is none of an experiment.
func eachRun(directory string, do func(run string) error) error {
	runs := rundir.Within(directory)
	if len(runs) == 0 {
		runs = []string{directory}
	}
	for _, run := range runs {
		if err := do(run); err != nil {
			return err
		}
	}
	return nil
}

func showStatus(cmd command.Line, directory string, asJSON bool) error {
	status, err := rundir.ReadStatus(directory)
	if err != nil {
		return exit.Input(err)
	}
	if asJSON {
		return json.NewEncoder(cmd.Out).Encode(status)
	}
	return terminal.Fit(cmd.Out, func(w io.Writer) error { return status.Write(w, time.Now()) })
}

// followStatus prints how far a run is until it ends: in place on a terminal, elsewhere a line whenever something was
// recorded. Of an experiment, the line is about the task that is under way.
func followStatus(cmd command.Line, directory string, asJSON bool) error {
	w := watch.Open(directory)
	defer w.Close()
	drawn := terminal.Of(cmd.Out)
	if asJSON {
		drawn = nil
	}
	line := ""
	show := func(s watch.Snapshot) (err error) {
		r := s.Current()
		switch {
		case asJSON:
			return json.NewEncoder(cmd.Out).Encode(r.Status)
		case drawn == nil:
			_, err = fmt.Fprintln(cmd.Out, r.Line())
			return err
		}
		line = text.Snip(r.Line(), max(1, terminal.Columns(drawn)-1), "~")
		_, err = fmt.Fprint(drawn, "\r\x1b[K", line)
		return err
	}
	err := watch.Follow(cmd.Context, w, watch.Ticks(cmd.Context), drawn != nil, show)
	if drawn != nil && line != "" {
		fmt.Fprintln(drawn)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Input(err)
}
