package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
)

// lookAhead checks whether debates fit before the first of them is held. With long replies and many agents that can
// take minutes: it is shown, takes its time from the budget, and ends when that is used up or with an interrupt.
type lookAhead struct {
	ctx    context.Context
	survey *inference.Survey
	shown  *terminal.Waiting
	end    func()
}

// stoppedLook is the error of a look ahead that was not completed.
type stoppedLook struct {
	err   error
	where string
}

func (s stoppedLook) Error() string { return s.err.Error() + s.where }
func (s stoppedLook) Unwrap() error { return s.err }

// lookAhead begins to look ahead; the caller ends it. A dry run has its own budget, which is of what it foresees.
func (r *Runner) lookAhead(cmd command.Line, survey *inference.Survey) *lookAhead {
	l := &lookAhead{survey: survey, shown: terminal.WaitFor(cmd.Err, nil, "checking that the debates fit")}
	ctx, cancel := context.WithCancelCause(cmd.Context)
	within := func() {}
	if !r.Dry {
		within = r.budget.start(cancel)
	}
	l.ctx, l.end = ctx, sync.OnceFunc(func() {
		within()
		cancel(nil)
		l.shown.Finish()
	})
	return l
}

// run looks at the debates of one run, as bench.ForeseeRun does. what is its name among others.
func (l *lookAhead) run(o bench.Options, what string) (known bench.Foreseen, err error) {
	if what != "" {
		what = " of " + what
	}
	said := ""
	known, err = bench.ForeseeRun(l.ctx, o, l.survey, func(checked int) {
		said = fmt.Sprintf("checking that the debates fit: %d of %d conditions%s", checked, len(o.Conditions), what)
		l.shown.Say(said)
	})
	switch {
	case errors.As(err, new(budgetUsed)):
		return known, exit.Mark(exit.CodeBudget, stoppedLook{err, ", while " + said})
	case l.ctx.Err() != nil && err != nil:
		return known, stoppedLook{err, ", while " + said}
	}
	return known, exit.Usage(err)
}
