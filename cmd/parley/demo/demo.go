// Package demo runs a small experiment on the embedded model: parley demo.
package demo

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/standard"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a small paired experiment on the embedded model, in about a minute",
		Long: `Three agents debate generated puzzles about three objects, on the model inside this program and
under the conditions that parley compare --help lists. The model was trained on exactly these
puzzles and made to err in first answers: the table shows that the machinery works and says nothing
about debate.`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	o.standard.Register(cmd.Flags())
	flags.Number(cmd.Flags(), &o.puzzles, "puzzles", "", 60, task.PuzzlesRange, "number of puzzles")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line     command.Line
	standard standard.Comparison
	puzzles  int
}

// run compares the standard conditions on puzzles, and says what to do next.
func run(o *Options) error {
	c := &o.standard
	t, err := task.Generate(3, o.puzzles, c.Society.Seed)
	if err != nil {
		return exit.Usage(err)
	}
	if err := c.Compare(o.line, "demo", t); err != nil || c.JSON || c.Dry {
		return err
	}
	return goOn(o.line.Out, c.Place(), t.Questions[0].ID)
}

// goOn writes the report of the demo beside its run, and says where it is and what to do next.
func goOn(out io.Writer, directory, question string) error {
	written, err := report.Of(directory, "", report.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	page, err := terminal.PageAddress(written.Page)
	if err != nil {
		return err
	}
	err = terminal.Printf(out, `
The embedded model was trained on exactly these puzzles and made to err in first answers: this shows
that the machinery works, not that debate does. For that, name a real model:
`)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `  parley compare --model FILE.gguf --task FILE

The report has all tables, figures and debates:
  %s

Go on with
  parley show %s --case %s --condition mad
  parley debate --puzzle
`, page, wording.Shell(directory), wording.Shell(question))
	return err
}
