package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/report"
)

func newReport() *cobra.Command {
	r := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report DIRECTORY",
		Short: "Write the report of a run or experiment: one HTML file with tables, figures and all debates",
		Long: `The file opens from disk in any browser and loads nothing from elsewhere. Its tables are also
written as Markdown and CSV files next to it. Unfinished runs are reported as far as they are
recorded. The report of an experiment covers all of its tasks and compares them with the published
numbers.

--paper adds published accuracies to the figure of a single run: a CSV file with the columns
condition and accuracy (0 to 1), or a JSON list of objects with these fields.`,
		Example: `  parley report parley-runs/demo-20261121-120000
  parley report parley-runs/demo-20261121-120000 --out result.html --paper published.csv`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&r.out, "out", "", "`FILE` to write (default report.html in the directory)")
	cmd.Flags().StringVar(&r.paper, "paper", "", "`FILE` of published accuracies to add to the figure of the run")
	cmd.Flags().StringVar(&r.title, "title", "",
		"`TITLE` (default the task and the model, or the name of the experiment)")
	return cmd
}

type reportCommand struct{ out, paper, title string }

func (r *reportCommand) run(out io.Writer, directory string) error {
	options := report.Options{Title: r.title}
	if r.paper != "" {
		text, err := os.ReadFile(r.paper)
		if err != nil {
			return input(err)
		}
		if options.Published, err = report.ReadPublished(text); err != nil {
			return input(fmt.Errorf("%s: %w", r.paper, err))
		}
	}
	written, err := report.Of(directory, r.out, options)
	if err != nil {
		return input(err)
	}
	tasks := ""
	if n := len(written.Tasks) + len(written.Missing); n > 0 {
		tasks = fmt.Sprintf(", %d of %d tasks", len(written.Tasks), n)
	}
	_, err = fmt.Fprintf(out, "%s: %d debates, %d conditions%s\n", written.Page, written.Debates, written.Conditions,
		tasks)
	return err
}
