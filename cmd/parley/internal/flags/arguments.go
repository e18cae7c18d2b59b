// Package flags has the flags and arguments that commands share: their types, ranges and texts, and what they mean for
// a model, a debate or a task file.
package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/internal/unknown"
)

// MeantFlag returns the error of a flag that cannot be read, with the flags that may have been meant.
func MeantFlag(cmd *cobra.Command, err error) error {
	near := ""
	if wrong := new(pflag.NotExistError); errors.As(err, &wrong) {
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		meant := unknown.Near(wrong.GetSpecifiedName(), flags)
		for i := range meant {
			meant[i] = "--" + meant[i]
		}
		near = unknown.Meant(meant)
	}
	return fmt.Errorf("%w%s; see %s --help", err, near, cmd.CommandPath())
}

// NoCommand returns the error of a word that names no command below another one.
func NoCommand(cmd *cobra.Command, word string) error {
	var commands []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			commands = append(commands, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s for %s; see %[3]s --help", word,
		unknown.Meant(unknown.Near(word, commands)), cmd.CommandPath())
}

// NoArgs refuses positional arguments. Its errors, and those of Args, have the exit code of wrong usage.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasAvailableSubCommands() {
		return exit.Usage(NoCommand(cmd, args[0]))
	}
	return exit.Usage(fmt.Errorf("%s takes no argument such as %q, only flags; see %[1]s --help", cmd.CommandPath(),
		args[0]))
}

// Args accepts from least to most positional arguments. Its error shows those that the command takes.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, least, most) }
}

func checkCount(cmd *cobra.Command, args []string, least, most int) error {
	if len(args) >= least && len(args) <= most {
		return nil
	}
	hint := ""
	if len(args) > most && cmd.Name() == "debate" {
		hint = "; put the question in quotes"
	}
	return exit.Usage(fmt.Errorf("usage: %s, but got %s%s; see %s --help", strings.TrimSuffix(cmd.UseLine(),
		" [flags]"), wording.Count(len(args), "argument"), hint, cmd.CommandPath()))
}
