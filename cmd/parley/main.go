// Command parley runs multi-agent debates on local GGUF models.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes, as --help lists them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitInterrupted = 130
)

// exitError carries the exit code that an error leads to.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// usage and input mark errors: of the command line, and of a file that it names.
func usage(err error) error { return mark(exitUsage, err) }
func input(err error) error { return mark(exitInput, err) }

func mark(code int, err error) error {
	if err == nil {
		return nil
	}
	return exitError{code, err}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGXFSZ) // a file that may not grow is an error of the write, and no end of the program
	ctx, done := interruptible(stderr, os.Exit)
	defer done()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	e := exitError{code: exitFailed}
	errors.As(err, &e)
	if ctx.Err() != nil {
		e.code = exitInterrupted
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
	}
	fmt.Fprintln(stderr, "parley:", err)
	return e.code
}

// interruptible gives a context that the first signal ends, so that commands finish what is under way; the second one ends the program.
func interruptible(stderr io.Writer, exit func(code int)) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		cancel()
		fmt.Fprintln(stderr, "parley: interrupted; finishing the step under way and saving (again: stop now)")
		if _, ok := <-signals; ok {
			exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "Multi-agent debates on local language models",
		Long: `Parley runs multi-agent debates on local GGUF models, offline and in one process, and says with intervals and paired
tests what came of them. Begin with "parley demo".

Exit codes: 0 done, 1 failed on the way, 2 wrong usage, 3 a model, task or prompt file cannot be used, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(cmd *cobra.Command, args []string) error { return usage(cobra.NoArgs(cmd, args)) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w; see --help", err))
	})
	root.AddCommand(newDemo(), newDebate(), newCompare(), newRun(), newExperiments(), newImport(), newModels(), newData(), newProtocols(),
		newShow(), newReport(), newStatus(), newExport(), newScore(), newDiff(), newReplay(), newSimilarity(), newBench(), newDoctor(), newVersion())
	return root
}

// noArgs, oneArg and twoArgs check positional arguments with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return usage(cobra.NoArgs(cmd, args)) }
func oneArg(cmd *cobra.Command, args []string) error { return usage(cobra.ExactArgs(1)(cmd, args)) }
func twoArgs(cmd *cobra.Command, args []string) error {
	return usage(cobra.ExactArgs(2)(cmd, args))
}
