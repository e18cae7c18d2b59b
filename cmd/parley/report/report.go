// Package report writes the report of runs: parley report.
package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/internal/plaintext"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	r := &Options{}
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
questions. Runs with other questions are kept apart, and refused if no two have the same. Debates on
puzzles of knights, knaves and spies have one regression over all runs, with a term for each team,
also where their puzzles differ: report exp-kks-factors exp-kks-teams makes Tables 4 and 5 of source
2.

On a terminal, the tables of conditions are printed, too, and below each further question what its
first table shows; --details prints all tables.

--figures writes, into a directory, each figure as SVG and PDF in the width of one column of a paper
and of two, with its caption as LaTeX, and each table as LaTeX (booktabs) and CSV. A page beside or
above that directory links to them. contents.csv lists them, and a later report with the same
directory replaces them and nothing else.

--paper adds published accuracies to the figure of a single run: a CSV file with the columns
condition and accuracy (0 to 1), or a JSON list of objects with these fields.`,
		Example: `  parley report parley-runs/demo-20261121-120000
  parley report parley-runs/demo-20261121-120000 --out result.html --paper published.csv
  parley report small-model large-model --out models.html
  parley report parley-runs/demo-20261121-120000 --figures figures`,
		Args: flags.Args(1, math.MaxInt),
	}
	cmd.RunE = command.Do(r, &r.line, run, instead)
	flags.Text(cmd.Flags(), &r.out, "out", "", "FILE", "",
		"file to write (default report.html in the directory; required of several directories)")
	flags.Text(cmd.Flags(), &r.paper, "paper", "", "FILE", "",
		"file of published accuracies to add to the figure of the run")
	flags.Text(cmd.Flags(), &r.figures, "figures", "", "DIRECTORY", "",
		"directory to write figures (SVG, PDF) and tables (LaTeX, CSV) for a paper into")
	flags.Text(cmd.Flags(), &r.title, "title", "", "TITLE", "",
		"title (default the task and the model, the name of the experiment, or the tasks and the number of runs)")
	cmd.Flags().BoolVar(&r.details, "details", false, "also print what the page folds under its questions")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                       command.Line
	out, paper, figures, title string
	details                    bool
}

// across writes one report of several runs.
func (r *Options) across(out io.Writer, directories []string) error {
	switch {
	case r.out == "":
		return exit.Usage(fmt.Errorf("the report of %d runs belongs to none of their directories: name its file with "+
			"--out",
			len(directories)))
	case r.paper != "":
		return exit.Usage(errors.New("--paper is for the figure of a single run: name one directory"))
	}
	written, err := report.OfRuns(directories, r.out, report.Options{Title: r.title, Figures: r.figures,
		Unfolded: r.details})
	if err != nil {
		return exit.Input(err)
	}
	if err := r.show(out, written); err != nil {
		return err
	}
	common := "no task in common"
	if n := len(written.Tasks); n > 0 {
		common = fmt.Sprintf("%s in common: %s", wording.Count(n, "task"), strings.Join(written.Tasks, ", "))
	}
	_, err = fmt.Fprintf(out, "%s: %d runs, %s, %s, %s\n", written.Page, written.Runs, common,
		wording.Count(written.Debates, "debate"), wording.Count(written.Conditions, "condition"))
	return err
}

// run writes the report.
func run(r *Options) error {
	if directories := r.line.Args; len(directories) > 1 {
		return r.across(r.line.Out, directories)
	}
	return r.one(r.line.Out, r.line.Args[0])
}

// one writes the report of one directory.
func (r *Options) one(out io.Writer, directory string) error {
	options, err := r.options()
	if err != nil {
		return err
	}
	written, err := report.Of(directory, r.out, options)
	if err != nil {
		return exit.Input(err)
	}
	if err := r.show(out, written); err != nil {
		return err
	}
	tasks := ""
	if n := len(written.Tasks) + len(written.Missing); n > 0 {
		tasks = fmt.Sprintf(", %d of %d tasks", len(written.Tasks), n)
	}
	_, err = fmt.Fprintf(out, "%s: %s, %s%s\n", written.Page, wording.Count(written.Debates, "debate"),
		wording.Count(written.Conditions, "condition"), tasks)
	return err
}

// show prints the report on a terminal, or where its details are asked for, and how much more of it there is.
func (r *Options) show(out io.Writer, written report.Written) error {
	switch {
	case r.details:
		return terminal.Show(out, written.Shown, table.Text("\n"))
	case terminal.ColumnsOf(out) == 0:
		return nil
	}
	return terminal.Show(out, written.Shown, table.Text("\n--details also prints the tables below the questions; "+
		"the page has the figures and debates:\n"))
}

// options are what the flags add to the report of one directory.
func (r *Options) options() (report.Options, error) {
	options := report.Options{Title: r.title, Figures: r.figures, Unfolded: r.details}
	if r.paper == "" {
		return options, nil
	}
	text, err := plaintext.ReadFile(r.paper, 0)
	if err != nil {
		return options, exit.Input(err)
	}
	if options.Published, err = report.ReadPublished(text); err != nil {
		return options, exit.Input(fmt.Errorf("%s: %w", r.paper, err))
	}
	return options, nil
}
