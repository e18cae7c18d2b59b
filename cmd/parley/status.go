package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"parley/bench/rundir"
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
			runs := rundir.Within(args[0])
			if len(runs) == 0 {
				runs = args
			}
			for _, run := range runs {
				if err := showStatus(cmd, run, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per run")
	return cmd
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
