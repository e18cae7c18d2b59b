// Package watch follows a run in another process: parley watch.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "watch RUN-DIRECTORY",
		Short: "Watch a run while it goes on in another process",
		Long: `Shows a live view of a run or of all tasks of an experiment, renewed every second: debates of each
condition, their accuracy so far with its interval, tokens and their rate, prompt tokens saved,
failures, the debates that ended last, and the time that is left. It only reads the directory, and
does not disturb the run, which may also have ended. q quits, the arrows scroll.

Where the output is not a terminal, and with --json, it prints a line with debates, generations,
tokens and times whenever something was recorded, until the run ends; for an experiment, it is about
the task under way.`,
		Example: "  parley watch parley-runs/demo-20261121-120000",
		Args:    flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line whenever something was recorded")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	json bool
}

// run shows a run until it ends.
func run(o *Options) error {
	w := watch.Open(o.line.Args[0])
	defer w.Close()
	drawn := terminal.Of(o.line.Out)
	if o.json || drawn == nil || os.Getenv("TERM") == "dumb" {
		return o.follow(w)
	}
	return view(o.line.Context, w, drawn)
}

// follow prints how far a run is until it ends.
func (o *Options) follow(w *watch.Watched) error {
	err := watch.Follow(o.line.Context, w, watch.Ticks(o.line.Context), func(s watch.Snapshot) (err error) {
		if r := s.Current(); o.json {
			err = json.NewEncoder(o.line.Out).Encode(r.Status)
		} else {
			_, err = fmt.Fprintln(o.line.Out, r.Line())
		}
		return err
	})
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Input(err)
}

// view shows a run on a terminal, in place.
func view(ctx context.Context, w *watch.Watched, drawn *os.File) error {
	// Signals end the context; a terminal in raw mode passes Ctrl-C on as a key. The view escapes what it shows.
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithOutput(drawn), tea.WithoutSignalHandler()}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		options = append(options, tea.WithInput(os.Stdin))
	} else {
		options = append(options, tea.WithInput(nil)) // what is piped in are no keys
	}
	last, err := tea.NewProgram(watch.NewModel(w, os.Getenv("NO_COLOR") == ""), options...).Run()
	if ctx.Err() != nil {
		return context.Canceled
	}
	if m, ok := last.(watch.Model); ok && !m.HasRead() {
		err = errors.Join(err, m.Err())
	}
	return exit.Input(err)
}
