// Package unbundle checks and unpacks a bundle: parley unbundle.
package unbundle

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/bundle"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference/machine"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "unbundle FILE",
		Short: "Check and unpack what parley bundle packed, and print the command that runs it",
		Long: `Unpacks into a new directory, compares each file with its SHA-256, and tells whether this machine can
run the program in the bundle. A bundle in which anything is missing, added or changed leaves nothing
behind. No network is used.`,
		Example: `  parley unbundle madc.parley --to madc`,
		Args:    flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	flags.Text(cmd.Flags(), &o.to, "to", "", "DIR", "",
		"directory to unpack into (default the name of the file without its ending)")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	to   string
}

// run unpacks the bundle.
func run(o *Options) error {
	args := o.line.Args
	return unbundle(o.line, args[0], o.to)
}

func unbundle(cmd command.Line, from, to string) error {
	if to == "" {
		to = strings.TrimSuffix(filepath.Base(from), filepath.Ext(from))
		if to == filepath.Base(from) {
			to += "-unpacked"
		}
	}
	info, err := os.Stat(from)
	if err != nil {
		return exit.Input(err)
	}
	add, end := terminal.AddBytes(cmd.Err, "checking", info.Size())
	m, err := bundle.Unpack(cmd.Context, from, to, add)
	end()
	if err != nil {
		return exit.Input(fmt.Errorf("%s: %w", from, err))
	}
	if problem := cannotRun(m.Program); problem != "" {
		terminal.Warn(cmd.Err, problem)
	}
	_, err = fmt.Fprintf(cmd.Out,
		"%s and %s: all have the hashes of the manifest\nto run the experiment %s:\n  cd %s && %s\n",
		wording.Count(len(m.Parts), "file"), humanize.IBytes(uint64(m.Size())), m.Experiment, wording.Shell(to),
		wording.Shell(m.Command...))
	return err
}

// cannotRun says why a program cannot run on this machine; the result is "" if it can, as far as the machine tells.
func cannotRun(p bundle.Program) string {
	here := runtime.GOOS + "/" + runtime.GOARCH
	if p.Platform != here {
		return fmt.Sprintf("the program in the bundle is for %s, and this machine is %s: use a parley that was built "+
			"for it instead of ./parley", p.Platform, here)
	}
	flags := machine.CPUFlags()
	missing := slices.DeleteFunc(slices.Clone(p.Features), func(f string) bool { return slices.Contains(flags, f) })
	if len(flags) == 0 || len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("the program in the bundle needs %s, which this CPU does not have: use a parley that was built "+
		"for it instead of ./parley", strings.Join(missing, ", "))
}
