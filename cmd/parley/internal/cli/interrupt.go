package cli

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/interrupt"
)

// interruptible returns a context that the first signal cancels, so that commands save what is under way; the second
// signal exits at once. A closing terminal sends SIGHUP more than once, to each process and to the group, so SIGHUP
// never counts as the second. says is what the first signal prints, "" for nothing.
func interruptible(stderr io.Writer, says func() string, end func(code int)) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := interrupt.Take()
	go bug.Guarded(func() error {
		if _, ok := <-signals; !ok {
			return nil
		}
		// Said before the context ends, so that it precedes the command's last words.
		if line := says(); line != "" {
			if c, ok := stderr.(*terminal.Console); ok {
				c.FreshLine()
			}
			fmt.Fprintln(stderr, "parley:", line)
		}
		cancel()
		for s := range signals {
			if s != syscall.SIGHUP {
				end(exit.CodeInterrupted)
			}
		}
		return nil
	}, func(error) { cancel() })()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// onInterrupt is what the first signal prints while a command runs: what the command does before it ends. Those that
// only show something until they are interrupted end at once.
func onInterrupt(cmd *cobra.Command) string {
	switch given := func(name string) bool {
		f := cmd.Flag(name)
		return f != nil && f.Changed
	}; {
	case cmd == nil:
		return "interrupted"
	case given("every"):
		return ""
	case slices.Contains([]string{"compare", "debate", "demo", "run"}, cmd.Name()):
		return "interrupted; finishing the current step and saving (interrupt again to stop now)"
	}
	return "interrupted; ending what is under way (interrupt again to stop now)"
}
