// Package command has what a command knows of the line that its user typed: where it reads and writes, how long it may
// go on, which flags were given, and how the line is typed again.
package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/wording"
)

// Line is a command line that is carried out. Commands take one instead of cobra's command, so that a test makes its
// own.
type Line struct {
	Context  context.Context // ends with an interrupt
	In       io.Reader
	Out, Err io.Writer
	Path     string         // the words of the command, such as "parley models pull"
	Args     []string       // what was typed besides flags
	Flags    *pflag.FlagSet // it is nil where nothing was typed
}

// Do returns what cobra calls to carry out a command: it enters the line among the options, and calls run with them; or
// instead, where a test gives one.
func Do[O any](options *O, line *Line, run, instead func(*O) error) func(*cobra.Command, []string) error {
	if instead != nil {
		run = instead
	}
	return func(cmd *cobra.Command, _ []string) error {
		*line = Of(cmd)
		return run(options)
	}
}

// Of returns the line that cobra has parsed.
func Of(cmd *cobra.Command) Line {
	return Line{Context: cmd.Context(), In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr(),
		Path: cmd.CommandPath(), Args: cmd.Flags().Args(), Flags: cmd.Flags()}
}

// Given reports whether the user has set a flag. A flag that the command does not have is not given.
func (l Line) Given(flag string) bool { return l.Flags != nil && l.Flags.Changed(flag) }

// Again returns the command line that resumes a run in its directory, without some other flags.
func (l Line) Again(directory string, without ...string) string {
	return wording.Shell(l.Words(directory, without...)...)
}

// Words returns the words of Again, not quoted.
func (l Line) Words(directory string, without ...string) []string {
	words := append(strings.Fields(l.Path), l.FlagWords(append(without, "out", "fork")...)...)
	return append(append(words, l.Args...), "--out="+directory)
}

// FlagWords returns the words that give all flags but some the values that they were given.
func (l Line) FlagWords(without ...string) (words []string) {
	l.Flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(without, f.Name) {
			words = append(words, flagWords(f)...)
		}
	})
	return words
}

// flagWords returns the words that give a flag the value that it has.
func flagWords(f *pflag.Flag) (words []string) {
	value := f.Value
	if named, ok := value.(interface{ Unwrap() pflag.Value }); ok {
		value = named.Unwrap()
	}
	values := []string{value.String()}
	switch list, ok := value.(pflag.SliceValue); {
	case value.Type() == "stringSlice", value.Type() == "stringToString":
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
