// Package diff compares two runs question by question: parley diff.
package diff

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

func New() *cobra.Command {
	var conditions []string
	var list, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff FIRST-RUN SECOND-RUN",
		Short: "Compare two runs question by question",
		Long: `Pairs the questions of two run directories. Lists the differences between their headers, then for
each condition that both have: both accuracies, the paired difference with its interval, the exact
McNemar p (of a permutation test where several questions have repeats), and how many questions
changed from right to wrong and back. Points of a sweep are named as in its table:
mad/agents=3=madc/agents=3.`,
		Example: `  parley diff parley-runs/small parley-runs/large
  parley diff parley-runs/small parley-runs/small --conditions vote=mad --list`,
		Args: flags.Args(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var runs [2]rundir.Run
			for i, directory := range args {
				run, err := rundir.ReadRun(directory)
				if err != nil {
					return exit.Input(err)
				}
				runs[i] = run
			}
			pairs, err := offline.ParsePairs(conditions, runs[0], runs[1])
			if err != nil {
				return exit.Usage(err)
			}
			diff, err := offline.CompareRuns(runs[0], runs[1], pairs)
			if err != nil {
				return exit.Input(err)
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(diff)
			}
			return terminal.Fit(cmd.OutOrStdout(), func(w io.Writer) error { return diff.Write(w, list) })
		},
	}
	flags.List(cmd.Flags(), &conditions, "conditions", "PAIRS",
		"pairs of a condition of the first run and one of the second, such as mad=madc (default all common "+
			"conditions)")
	cmd.Flags().BoolVar(&list, "list", false, "list the questions that changed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, including the changed questions")
	return cmd
}
