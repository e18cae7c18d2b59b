package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"parley/bench/rundir"
)

func newRepair() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair RUN-DIRECTORY",
		Short: "Make damaged journals readable again, and say what was lost",
		Long: `Keeps all records that are intact, and puts the journal as it was beside them, under its name with .damaged. What was lost is computed again by
the command that made the run, which comes to the result that it would have had. Intact journals are left as they are. Journals of the version before this
one, whose records have no hashes, are taken over, and parley status says so from then on. Of an experiment, the journals of all its tasks are repaired.`,
		Example: "  parley repair parley-runs/demo-20261121-120000",
		Args:    oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			runs := rundir.Within(args[0])
			if len(runs) == 0 {
				runs = args
			}
			for _, run := range runs {
				if err := repair(cmd, run, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one line a journal")
	return cmd
}

func repair(cmd *cobra.Command, directory string, asJSON bool) error {
	journals, err := rundir.RepairDirectory(directory, time.Now().UTC().Format(time.RFC3339))
	if err != nil {
		return input(err)
	}
	for _, j := range journals {
		if asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(j)
		} else {
			err = j.Write(cmd.OutOrStdout())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
