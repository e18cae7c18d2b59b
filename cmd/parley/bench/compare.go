package bench

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// CompareOptions are the flags of parley bench compare, and the line that has them.
type CompareOptions struct {
	line command.Line
	json bool
}

// newCompare makes the command that compares two reports.
func newCompare(instead func(*CompareOptions) error) *cobra.Command {
	o := &CompareOptions{}
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two reports of parley bench, pair by pair",
		Long: `Reads the report.json of two measurements, and prints for each workload that both have the rate of
the second divided by that of the first: the median, lowest and highest over pairs of repeats, which
have the same token ids. It says in what else the reports differ: machine, program, model, flags.`,
		Example: "  parley bench compare before/report.json after/report.json",
		Args:    flags.Args(2, 2),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.RunE = command.Do(o, &o.line, compare, instead)
	return cmd
}

func compare(o *CompareOptions) error {
	var reports [2]throughput.Report
	for i := range reports {
		var err error
		if reports[i], err = throughput.ReadReport(o.line.Args[i]); err != nil {
			return exit.Input(err)
		}
	}
	c, err := throughput.Compare(reports[0], reports[1])
	if err != nil {
		return exit.Input(fmt.Errorf("%s and %s: %w", o.line.Args[0], o.line.Args[1], err))
	}
	if o.json {
		out := json.NewEncoder(o.line.Out)
		out.SetIndent("", "  ")
		return out.Encode(c)
	}
	return terminal.Show(o.line.Out, c.Document()...)
}
