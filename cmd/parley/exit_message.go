package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
)

// exitMessage closes the directory of a run that did not finish, and returns the error to exit with: the cause, what is
// recorded, and the command that resumes the run. An empty directory is removed, so that the same command can be given
// again. Interrupts, failed writes and a budget that is used up count as unfinished; another error, such as a debate
// that cannot fit, would occur again, so that no command to resume is offered.
func exitMessage(cmd *cobra.Command, d *rundir.Directory, out string, err error) error {
	broken, interrupted := d.Close(), cmd.Context().Err() != nil
	switch {
	case errors.Is(broken, record.ErrGone):
		return fmt.Errorf("run directory %q was removed, moved or replaced during the run, so its results are not "+
			"recorded there: %w", d.Path, broken)
	case broken != nil:
		err = broken // err only names the question that met the failed write first
	case interrupted && errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	switch {
	case d.Empty():
		return errors.Join(err, d.Remove())
	case interrupted || broken != nil || errors.As(err, new(budgetUsed)):
		generations, debates := d.Recorded()
		return fmt.Errorf("%w; %d generations and %d debates are recorded in %s; to resume: %s", err, generations,
			debates, d.Path, commandFor(cmd, out))
	}
	return err
}

// commandFor is the command line that resumes a run in its directory, without some other flags.
func commandFor(cmd *cobra.Command, directory string, without ...string) string {
	words := wordsFor(cmd, directory, without...)
	return strings.Join(allQuoted(words), " ")
}

// wordsFor are the words of commandFor, not quoted.
func wordsFor(cmd *cobra.Command, directory string, without ...string) []string {
	words := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "out" && f.Name != "fork" && !slices.Contains(without, f.Name) {
			words = append(words, flagWords(f)...)
		}
	})
	return append(append(words, cmd.Flags().Args()...), "--out="+directory)
}

// flagWords are the words of a command line that give a flag the value that it has.
func flagWords(f *pflag.Flag) (words []string) {
	values := []string{f.Value.String()}
	switch list, ok := f.Value.(pflag.SliceValue); {
	case f.Value.Type() == "stringSlice", f.Value.Type() == "stringToString":
		// These read one line of CSV, and print it within brackets.
		values[0] = strings.TrimSuffix(strings.TrimPrefix(values[0], "["), "]")
	case ok:
		values = list.GetSlice()
	}
	for _, value := range values {
		words = append(words, "--"+f.Name+"="+value)
	}
	return words
}

// quotedWord is a word as a POSIX shell reads it back; of a flag only the value has quotes.
func quotedWord(word string) string {
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
		return name + "=" + quoted(value)
	}
	return quoted(word)
}

// quoted is a text as a POSIX shell reads it back.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// allQuoted are words as a POSIX shell reads them back.
func allQuoted(words []string) (typed []string) {
	for _, word := range words {
		typed = append(typed, quotedWord(word))
	}
	return typed
}
