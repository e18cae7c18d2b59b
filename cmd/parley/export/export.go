// Package export writes a run as tables: parley export.
package export

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

func New() *cobra.Command {
	var format, out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export RUN-DIRECTORY --out PREFIX",
		Short: "Write a run as tables of replies and decisions, in CSV or Parquet",
		Long: `Writes PREFIX.replies.FORMAT with one row per turn and PREFIX.decisions.FORMAT with one row per
debate; docs/format.md describes the columns. Existing files are replaced. An unfinished run is
exported as far as it is recorded.`,
		Example: "  parley export parley-runs/demo-20261121-120000 --format parquet --out demo",
		Args:    flags.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return exit.Usage(errors.New("name the files with --out PREFIX"))
			}
			if format != offline.FormatCSV && format != offline.FormatParquet {
				return exit.Usage(fmt.Errorf("--format %q: must be %s or %s", format, offline.FormatCSV,
					offline.FormatParquet))
			}
			run, err := rundir.ReadRun(args[0])
			if err != nil {
				return exit.Input(err)
			}
			exported, err := offline.Export(run, out, format)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(exported)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d replies\n%s: %d decisions\n", exported.Files[0],
				exported.Replies, exported.Files[1], exported.Decisions)
			return err
		},
	}
	flags.Text(cmd.Flags(), &format, "format", "", "FORMAT", offline.FormatCSV,
		"format of the files: "+offline.FormatCSV+" or "+offline.FormatParquet)
	flags.Text(cmd.Flags(), &out, "out", "o", "PREFIX", "", "prefix of the file names")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a summary as JSON")
	return cmd
}
