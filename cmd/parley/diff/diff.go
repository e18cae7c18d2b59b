// Package diff compares two runs question by question: parley diff.
package diff

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
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
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	flags.List(cmd.Flags(), &o.conditions, "conditions", "PAIRS",
		"pairs of a condition of the first run and one of the second, such as mad=madc (default all common "+
			"conditions)")
	cmd.Flags().BoolVar(&o.list, "list", false, "list the questions that changed")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON, including the changed questions")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line       command.Line
	conditions []string
	list       bool
	json       bool
}

// run compares the two runs.
func run(o *Options) error {
	args := o.line.Args
	var runs [2]rundir.Run
	for i, directory := range args {
		run, err := rundir.ReadRun(directory)
		if err != nil {
			return exit.Input(err)
		}
		runs[i] = run
	}
	pairs, err := offline.ParsePairs(o.conditions, runs[0], runs[1])
	if err != nil {
		return exit.Usage(err)
	}
	diff, err := offline.CompareRuns(runs[0], runs[1], pairs)
	if err != nil {
		return exit.Input(err)
	}
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(diff)
	}
	return terminal.Show(o.line.Out, diff.Document(o.list))
}
