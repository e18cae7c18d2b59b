// Package help writes the help of commands: commands by what people want to do, flags by subject with those that people
// use first at the top, and no line wider than 100 columns.
package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// Columns is how wide help is at most.
const Columns = 100

// On has a root command and those below it show help in this form.
func On(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		write(cmd.OutOrStdout(), about(cmd)+"\n\n"+usage(cmd))
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error { return write(cmd.OutOrStderr(), usage(cmd)) })
}

// about is what help begins with: what a command is for, as lists of commands have it, then what else there is to know.
// Cobra's own commands repeat the first in the second.
func about(cmd *cobra.Command) string {
	first, _, _ := strings.Cut(cmd.Short, " ")
	long := strings.TrimRight(cmd.Long, " \n")
	switch {
	case long == "":
		return cmd.Short
	case !cmd.HasParent() || strings.HasPrefix(long, first+" "):
		return long
	}
	return cmd.Short + ".\n\n" + long
}

// write breaks lines at Columns, or at the end of a narrower terminal.
func write(out io.Writer, text string) error {
	width := Columns
	if columns := terminal.ColumnsOf(out); columns > 0 {
		width = min(width, columns)
	}
	for _, line := range table.Text(text).Layout(width) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// usage returns how a command is used: its line, examples, the commands below it, and its flags.
func usage(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	commands(&b, cmd)
	flagsOf(&b, cmd)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	return b.String()
}

// commands lists the commands below one, by group.
func commands(b *strings.Builder, cmd *cobra.Command) {
	list := func(title, group string) {
		first := true
		for _, below := range cmd.Commands() {
			if below.GroupID != group || !below.IsAvailableCommand() && below.Name() != "help" {
				continue
			}
			if first {
				fmt.Fprintf(b, "\n%s:\n", title)
			}
			first = false
			fmt.Fprintf(b, "  %-*s  %s\n", cmd.NamePadding(), below.Name(), below.Short)
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, g.ID)
	}
	title := "Commands"
	if len(cmd.Groups()) > 0 {
		title = "More commands"
	}
	list(title, "")
}

// flagsOf lists the flags of a command: few as they are, many by subject.
func flagsOf(b *strings.Builder, cmd *cobra.Command) {
	var all []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f)
		}
	})
	width := 0
	for _, f := range all {
		width = max(width, len(left(f)))
	}
	width = min(width, widest)
	if len(all) <= most {
		section(b, "Flags", all, width)
		return
	}
	take := func(names []string) (taken []*pflag.Flag) {
		for _, name := range names {
			if i := slices.IndexFunc(all, func(f *pflag.Flag) bool { return f.Name == name }); i >= 0 {
				taken = append(taken, all[i])
				all = slices.Delete(all, i, i+1)
			}
		}
		return taken
	}
	section(b, "Most used", take(usedFirst(cmd.CommandPath())), width)
	for _, s := range subjects {
		section(b, s.title, take(strings.Fields(s.flags)), width)
	}
	section(b, "Others", all, width)
}

// widest is how many columns the names of flags take at most; the text of a longer one begins on the next line.
const widest = 30

// section lists flags below a heading.
func section(b *strings.Builder, title string, list []*pflag.Flag, width int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, f := range list {
		name := left(f)
		if len(name) > width {
			fmt.Fprintf(b, "%s\n%*s  %s\n", name, width, "", right(f))
		} else {
			fmt.Fprintf(b, "%-*s  %s\n", width, name, right(f))
		}
	}
}

// left returns the names of a flag, and what its value is called.
func left(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind := f.Value.Type(); kind != "bool" {
		name += " " + kind
	}
	return name
}

// right returns what a flag does, and its default unless it is that of its kind.
func right(f *pflag.Flag) string {
	switch usual := f.DefValue; {
	case slices.Contains([]string{"", "0", "0s", "false", "[]"}, usual):
		return f.Usage
	case slices.Contains([]string{"bool", "N", "X", "TIME"}, f.Value.Type()):
		return f.Usage + " (default " + usual + ")"
	default:
		return f.Usage + " (default " + strings.Trim(usual, "[]") + ")"
	}
}
