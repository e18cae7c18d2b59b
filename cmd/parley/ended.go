package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/bench/record"
	"parley/bench/rundir"
)

// ended is the error of a run that did not come to its end: why, what is recorded, and how to go on with it. A
// directory in which nothing was recorded is removed, so that the same command can be given again.
func ended(cmd *cobra.Command, d *rundir.Directory, out string, err error) error {
	broken, interrupted := d.Close(), cmd.Context().Err() != nil
	switch {
	case errors.Is(broken, record.ErrGone):
		return fmt.Errorf("run directory %q was removed, moved or replaced while the run went on, so that what it "+
			"computed is not recorded there: %w", d.Path, broken)
	case broken != nil:
		err = broken // without the question that happened to meet it first
	case interrupted && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	switch {
	case d.Empty():
		return errors.Join(err, d.Remove())
	case interrupted || broken != nil:
		generations, debates := d.Recorded()
		return fmt.Errorf("%w; %d generations and %d debates are recorded in %s; to go on: %s", err, generations,
			debates, d.Path, commandFor(cmd, out))
	}
	return err
}

// commandFor is the command line that goes on with a run in its directory.
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

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
