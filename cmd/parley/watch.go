package main

import (
	"context"
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/parley-debate/parley/bench/watch"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

func newWatch() *cobra.Command {
	return &cobra.Command{
		Use:   "watch RUN-DIRECTORY",
		Short: "Watch a run while it goes on in another process",
		Long: `Shows a live view of a run or of all tasks of an experiment, renewed every second: debates of each
condition, their accuracy so far with its interval, tokens and their rate, prompt tokens saved,
failures, the debates that ended last, and the time that is left. It only reads the directory, and
does not disturb the run, which may also have ended. q quits, the arrows scroll.

Where the output is not a terminal, it does what parley status --follow does.`,
		Example: "  parley watch parley-runs/demo-20261121-120000",
		Args:    flags.Args(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return watchRun(command.Of(cmd), args[0]) },
	}
}

func watchRun(cmd command.Line, directory string) error {
	drawn := terminal.Of(cmd.Out)
	if drawn == nil || os.Getenv("TERM") == "dumb" {
		return followStatus(cmd, directory, false)
	}
	w := watch.Open(directory)
	defer w.Close()
	// Signals end the context; a terminal in raw mode passes Ctrl-C on as a key. The view escapes what it shows.
	options := []tea.ProgramOption{tea.WithContext(cmd.Context), tea.WithOutput(drawn), tea.WithoutSignalHandler()}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		options = append(options, tea.WithInput(os.Stdin))
	} else {
		options = append(options, tea.WithInput(nil)) // what is piped in are no keys
	}
	last, err := tea.NewProgram(watch.NewModel(w, os.Getenv("NO_COLOR") == ""), options...).Run()
	if cmd.Context.Err() != nil {
		return context.Canceled
	}
	if m, ok := last.(watch.Model); ok && !m.HasRead() {
		err = errors.Join(err, m.Err())
	}
	return exit.Input(err)
}
