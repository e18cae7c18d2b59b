package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
)

// exitMessage closes the directory of a run that did not finish, and returns the error to exit with: the cause, what is
// recorded, and the command that resumes the run. An empty directory is removed, so that the same command can be given
// again. Interrupts, failed writes and a budget that is used up count as unfinished; another error, such as a debate
// that cannot fit, would occur again, so that no command to resume is offered.
func exitMessage(cmd command.Line, d *rundir.Directory, out string, err error) error {
	broken, interrupted := d.Close(), cmd.Context.Err() != nil
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
		count := d.Count()
		return fmt.Errorf("%w; %d generations and %d debates are recorded in %s; to resume: %s", err, count.Generations,
			count.Debates, d.Path, cmd.Again(out))
	}
	return err
}
