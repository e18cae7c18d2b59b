// Package cli is the command line: the root command with all others below it, what holds for each of them, and how
// they end. Tests of a command that need the program as people run it take it from here (parleytest).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/interrupt"
	"github.com/parley-debate/parley/internal/platform"
)

// Main runs the program.
func Main() {
	// A panic that nothing recovers ends in SIGABRT; Go's own exit code, 2, would mean wrong usage.
	debug.SetTraceback("crash")
	os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run is Main with its environment as arguments, for tests.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := New()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // by a shell
		registerCompletions(root)
	}
	root.SetArgs(args)
	check := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, rest []string) error {
		return cmp.Or(checkTwice(cmd, args), check(cmd, rest))
	}
	return execute(root, stdin, stdout, stderr)
}

// execute runs a command line, prints its error, and returns the exit code.
func execute(root *cobra.Command, stdin io.Reader, stdout, stderr io.Writer) int {
	if interrupt.Pending() { // nothing has begun
		fmt.Fprintln(stderr, "parley: interrupted")
		return exit.CodeInterrupted
	}
	platform.ReturnWriteErrors()
	says := terminal.NewConsole(stderr, nil)
	running := new(atomic.Pointer[cobra.Command])
	ctx, done := interruptible(says, func() string { return onInterrupt(running.Load()) }, os.Exit)
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := terminal.NewConsole(stdout, cancel)
	if stdin != nil {
		root.SetIn(terminal.NewInput(ctx, stdin))
	}
	root.SetOut(out)
	root.SetErr(says)
	root.SetVersionTemplate(terminal.Fitted(out, "parley "+root.Version) + "\n")
	checkCommands(root)
	check := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		running.Store(cmd)
		return check(cmd, args)
	}
	err := exit.Caught(func() error { return root.ExecuteContext(ctx) })
	broken := out.Flush()
	code, err := exit.Of(ctx, err, broken)
	if err != nil {
		_ = terminal.Printf(says, "parley: %v\n", exit.Said(err))
	}
	var b bug.Error
	if errors.As(err, &b) {
		fmt.Fprintf(says, "%s", b.Stack)
	}
	says.Flush()
	return code
}
