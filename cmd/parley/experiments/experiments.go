// Package experiments lists the experiments of the papers: parley experiments.
package experiments

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

func New() *cobra.Command {
	var asJSON, schema, sources bool
	cmd := &cobra.Command{
		Use:   "experiments [NAME|FILE]",
		Short: "List the experiments of the papers, print one as a file, or check a file",
		Long: `Each experiment names the table or figure that it reproduces and includes the published numbers.
With NAME, prints the experiment's file, a template for your own. With FILE, checks the file:
unknown keys, contradictory settings and undefined names are refused with their line. --schema
prints the JSON schema with which editors complete and check such files. --sources lists the tables
and figures of the papers, with the experiments that reproduce them.`,
		Example: `  parley experiments
  parley experiments madc-table1 > mine.yaml
  parley experiments mine.yaml
  parley experiments --schema > experiment.schema.json`,
		Args: flags.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := json.NewEncoder(cmd.OutOrStdout())
			switch {
			case schema:
				out.SetIndent("", "  ")
				return out.Encode(experiment.Schema())
			case sources:
				return experiment.WriteSources(cmd.OutOrStdout())
			case len(args) == 1:
				return showExperiment(command.Of(cmd), args[0], asJSON)
			}
			all := experiment.List()
			if asJSON {
				return command.PrintEach(out, all)
			}
			return terminal.Tabbed(cmd.OutOrStdout(), func(w io.Writer) {
				for _, e := range all {
					fmt.Fprintf(w, "%s\t%s\n\t%s\n", e.Name, e.Source, e.Meaning)
				}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per experiment")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of experiment files")
	cmd.Flags().BoolVar(&sources, "sources", false,
		"print each table and figure of the papers with the experiments that reproduce it, in Markdown")
	return cmd
}

func showExperiment(cmd command.Line, name string, asJSON bool) error {
	e, err := experiment.Load(name)
	switch {
	case err != nil:
		return exit.Input(err)
	case asJSON:
		return json.NewEncoder(cmd.Out).Encode(e)
	}
	_, err = cmd.Out.Write(e.Text())
	return err
}
