package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/report"
)

func newReport() *cobra.Command {
	r := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report RUN-DIRECTORY",
		Short: "Write the report of a run: one HTML file with its table, figures and all debates",
		Long: `The file opens from disk in any browser and loads nothing from elsewhere. A run that has not ended is reported as far as it is.

--paper draws published accuracies over those of the run: a CSV file with the columns condition and accuracy (0 to 1), or a JSON
list of objects with these fields.`,
		Example: `  parley report parley-runs/demo-20261121-120000
  parley report parley-runs/demo-20261121-120000 --out result.html --paper published.csv`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&r.out, "out", "", "file to write (default report.html in the directory)")
	cmd.Flags().StringVar(&r.paper, "paper", "", "published numbers to draw over those of the run")
	cmd.Flags().StringVar(&r.title, "title", "", "title (default the task and the model)")
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
	run, err := bench.ReadRun(directory)
	if err != nil {
		return input(err)
	}
	path := r.out
	if path == "" {
		path = filepath.Join(directory, "report.html")
	}
	if err := write(path, run, options); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d debates, %d conditions\n", path, len(run.Outcomes), len(run.Comparison.Rows))
	return err
}

// write puts the report in its place at once, so that an error leaves the one before.
func write(path string, run bench.Run, options report.Options) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if err := report.Write(file, run, options); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
