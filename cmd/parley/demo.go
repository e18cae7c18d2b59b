package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley/bench/task"
)

func newDemo() *cobra.Command {
	c := &comparison{name: "demo"}
	var puzzles int
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "A paired debate experiment on the embedded model, in about a minute",
		Long: `Three agents debate generated three-object puzzles on the model in this program, under all conditions. The model was
trained for exactly these puzzles, with slips on purpose in first answers: the table shows the machinery and proves
nothing about debate.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := task.Generate(3, puzzles, c.society.seed)
			if err != nil {
				return usage(err)
			}
			if err := c.run(cmd, t); err != nil {
				return err
			}
			if !c.json {
				fmt.Fprintln(cmd.OutOrStdout(), "\nThe embedded model was trained for exactly these puzzles, and to "+
					"slip in first answers: this shows that the\n"+
					"machinery works, not that debate does. For that, name a real model: parley compare --model "+
					"FILE.gguf --task FILE")
			}
			return nil
		},
	}
	c.register(cmd)
	addNumber(cmd.Flags(), &puzzles, "puzzles", "", 60, task.PuzzlesRange, "number of puzzles")
	return cmd
}
