package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of all commands into a directory",
		Long: `Writes one page of section 1 for each command, as help shows it: parley.1, parley-run.1 and so on.
Packages of parley have them already. To read one: man DIR/parley-run.1`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return input(err)
			}
			date := time.Unix(0, 0).UTC() // the same program writes the same pages
			header := &doc.GenManHeader{Title: "PARLEY", Section: "1", Source: "parley", Manual: "Parley", Date: &date}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if err := doc.GenManTree(root, header, dir); err != nil {
				return err
			}
			pages, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s\n", len(pages), dir)
			return err
		},
	}
}
