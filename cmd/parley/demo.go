package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/task"
)

func newDemo() *cobra.Command {
	c := &comparison{}
	var puzzles int
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a small paired experiment on the embedded model, in about a minute",
		Long: `Three agents debate generated puzzles about three objects, on the model inside this program and
under the conditions that parley compare --help lists. The model was trained on exactly these
puzzles and made to err in first answers: the table shows that the machinery works and says nothing
about debate.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := task.Generate(3, puzzles, c.society.seed)
			if err != nil {
				return usage(err)
			}
			if err := c.compare(cmd, "demo", t); err != nil || c.json {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "\nThe embedded model was trained on exactly these puzzles and "+
				"made to err in first answers: this shows that the\nmachinery works, not that debate does. For that, "+
				"name a real model: parley compare --model FILE.gguf --task FILE")
			return err
		},
	}
	c.register(cmd)
	addNumber(cmd.Flags(), &puzzles, "puzzles", "", 60, task.PuzzlesRange, "number of puzzles")
	return cmd
}
