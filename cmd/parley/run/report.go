package run

import (
	"fmt"

	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// report writes the report of all tasks that have been run, now or before, and prints its verdict and how the published
// numbers for this model compare.
func (r *Options) report(cmd command.Line) error {
	written, err := report.Of(r.Place(), "", report.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if !r.JSON {
		if err := terminal.Show(cmd.Out, table.Text("\n"), written.Verdict, written.Published); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(cmd.Err, "the report is", written.Page)
	return err
}
