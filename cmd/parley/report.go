package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/wording"
)

func newReport() *cobra.Command {
	r := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report DIRECTORY [DIRECTORY ...]",
		Short: "Write the report of runs or experiments: one HTML file with tables, figures and all debates",
		Long: `The file opens from disk in any browser and loads nothing from elsewhere. Its tables are also
written as Markdown and CSV files next to it. Unfinished runs are reported as far as they are
recorded. The report of an experiment covers all of its tasks and compares them with the published
numbers.

Several directories, such as those of one experiment with several models, get one report across
them, which --out names: what differs between the runs, the accuracy of every condition in every
run, and contrasts in each run and pooled. In the pooled contrasts each run counts the same. As the
questions are the same, their differences are averaged over the runs first; interval and p are over
questions. Runs with other questions are kept apart, and refused if no two have the same.

--paper adds published accuracies to the figure of a single run: a CSV file with the columns
condition and accuracy (0 to 1), or a JSON list of objects with these fields.`,
		Example: `  parley report parley-runs/demo-20261121-120000
  parley report parley-runs/demo-20261121-120000 --out result.html --paper published.csv
  parley report small-model large-model --out models.html`,
		Args: someArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return r.across(cmd.OutOrStdout(), args)
			}
			return r.run(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&r.out, "out", "",
		"`FILE` to write (default report.html in the directory; required of several directories)")
	cmd.Flags().StringVar(&r.paper, "paper", "", "`FILE` of published accuracies to add to the figure of the run")
	cmd.Flags().StringVar(&r.title, "title", "",
		"`TITLE` (default the task and the model, the name of the experiment, or the tasks and the number of runs)")
	return cmd
}

type reportCommand struct{ out, paper, title string }

// across writes one report of several runs.
func (r *reportCommand) across(out io.Writer, directories []string) error {
	switch {
	case r.out == "":
		return usage(fmt.Errorf("the report of %d runs belongs to none of their directories: name its file with --out",
			len(directories)))
	case r.paper != "":
		return usage(errors.New("--paper is for the figure of a single run: name one directory"))
	}
	written, err := report.OfRuns(directories, r.out, report.Options{Title: r.title})
	if err != nil {
		return input(err)
	}
	_, err = fmt.Fprintf(out, "%s: %d runs, %s in common: %s, %d debates, %d conditions\n", written.Page, written.Runs,
		wording.Count(len(written.Tasks), "task"), strings.Join(written.Tasks, ", "), written.Debates,
		written.Conditions)
	return err
}

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
