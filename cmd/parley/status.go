package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
)

func newStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status RUN-DIRECTORY",
		Short: "Show the progress of a run, also from another terminal",
		Long: `Shows what the run is, how many of its debates are recorded, the number of generations and bytes,
when it was last written, and which process is running it. The directory stays unchanged and the run
is not disturbed. For an experiment, shows each task that has started.`,
		Example: "  parley status parley-runs/demo-20261121-120000",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachRun(args[0], func(run string) error { return showStatus(cmd, run, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per run")
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

func showStatus(cmd *cobra.Command, directory string, asJSON bool) error {
	status, err := rundir.ReadStatus(directory)
	if err != nil {
		return input(err)
	}
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(status)
	}
	return status.Write(cmd.OutOrStdout(), time.Now())
}
