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

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "experiments [NAME|FILE]",
		Short: "List the experiments of the papers, print one as a file, or check a file",
		Long: `Each experiment names the table or figure that it reproduces and includes the published numbers.
With NAME, prints the experiment's file, a template for your own. With FILE, checks the file:
unknown keys, contradictory settings and undefined names are refused with their line. --schema
prints the JSON schema with which editors complete and check such files, --fields the same for people
to read. --sources lists the tables and figures of the papers, with the experiments that reproduce
them.`,
		Example: `  parley experiments
  parley experiments madc-table1 > mine.yaml
  parley experiments mine.yaml
  parley experiments --schema > experiment.schema.json`,
		Args: flags.Args(0, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per experiment")
	cmd.Flags().BoolVar(&o.schema, "schema", false, "print the JSON schema of experiment files")
	cmd.Flags().BoolVar(&o.fields, "fields", false,
		"print each field of experiment files with its values, and all measures, in Markdown")
	cmd.Flags().BoolVar(&o.sources, "sources", false,
		"print each table and figure of the papers with the experiments that reproduce it, in Markdown")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line    command.Line
	json    bool
	schema  bool
	fields  bool
	sources bool
}

// run lists experiments, or prints one.
func run(o *Options) error {
	args := o.line.Args
	out := json.NewEncoder(o.line.Out)
	switch {
	case o.schema:
		out.SetIndent("", "  ")
		return out.Encode(experiment.Schema())
	case o.fields:
		return experiment.WriteFields(o.line.Out)
	case o.sources:
		return experiment.WriteSources(o.line.Out)
	case len(args) == 1:
		return showExperiment(o.line, args[0], o.json)
	}
	all := experiment.List()
	if o.json {
		return command.PrintEach(out, all)
	}
	return terminal.WriteTabbed(o.line.Out, func(w io.Writer) {
		for _, e := range all {
			fmt.Fprintf(w, "%s\t%s\n\t%s\n", e.Name, e.Source, e.Meaning)
		}
	})
}

func showExperiment(cmd command.Line, name string, asJSON bool) error {
	e, err := experiment.Load(name)
	switch {
	case err != nil:
		return exit.Input(err)
	case asJSON:
		return json.NewEncoder(cmd.Out).Encode(e)
	}
	_, err = cmd.Out.Write(e.Text()) // a file: no line of it may be broken
	return err
}
