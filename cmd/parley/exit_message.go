package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/bench"
	"parley/bench/record"
)

// exitMessage closes the directory of a run that did not finish, and returns the error to exit with: the cause, what is
// recorded, and the command that resumes the run. An empty directory is removed, so that the same command can be given
// again. Interrupts and failed writes count as unfinished; another error, such as a debate that cannot fit, would occur
// again, so that no command to resume is offered.
func exitMessage(cmd *cobra.Command, d *bench.Directory, out string, err error) error {
	broken, interrupted := d.Close(), cmd.Context().Err() != nil
	switch {
	case errors.Is(broken, record.ErrGone):
		return fmt.Errorf("run directory %q was removed, moved or replaced during the run, so its results are not "+
			"recorded there: %w", d.Path, broken)
	case broken != nil:
		err = broken // err names the question that happened to meet it first
	case interrupted && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	switch {
	case d.Empty():
		return errors.Join(err, d.Remove())
	case interrupted || broken != nil:
		generations, debates := d.Recorded()
		return fmt.Errorf("%w; %d generations and %d debates are recorded in %s; to resume: %s", err, generations,
			debates, d.Path, commandFor(cmd, out))
	}
	return err
}

// commandFor is the command line that resumes a run in its directory.
func commandFor(cmd *cobra.Command, directory string) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if f.Name != "out" && f.Name != "fork" {
			words = append(words, "--"+f.Name+"="+quoted(value))
		}
	})
	for _, arg := range cmd.Flags().Args() {
		words = append(words, quoted(arg))
	}
	return strings.Join(append(words, "--out="+quoted(directory)), " ")
}

// quoted is a word as a POSIX shell reads it back.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
