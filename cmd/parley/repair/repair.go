// Package repair makes damaged journals readable: parley repair.
package repair

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/serving"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "repair RUN-DIRECTORY",
		Short: "Make damaged journals readable again, and report what was lost",
		Long: `Keeps all intact records, and the damaged journal as a copy whose name ends in .damaged. The command
that made the run computes what was lost and arrives at the same result. Intact journals stay
unchanged. Journals of the previous version, whose records have no hashes, are converted; parley
status mentions it from then on. For an experiment, the journals of all tasks are repaired. The
directory of parley serve --journal or of parley batch --journal is repaired in the same way: a
reply that was lost is computed again when it is asked for.`,
		Example: "  parley repair parley-runs/demo-20261121-120000",
		Args:    flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per journal")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	json bool
}

// run repairs the journals of each run.
func run(o *Options) error {
	args := o.line.Args
	if serving.IsJournal(args[0]) {
		done, err := serving.Repair(args[0], now())
		return o.write(err, done)
	}
	return runner.EachRun(args[0], func(run string) error {
		done, err := rundir.RepairDirectory(run, now())
		return o.write(err, done...)
	})
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// write prints what was done to journals, unless that failed.
func (o *Options) write(err error, journals ...rundir.Repaired) error {
	if err != nil {
		return exit.Input(err)
	}
	for _, j := range journals {
		if o.json {
			err = json.NewEncoder(o.line.Out).Encode(j)
		} else {
			err = j.Write(o.line.Out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
