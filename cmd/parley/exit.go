package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/internal/bug"
)

// Exit codes, as --help lists them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitDamaged     = 4
	exitBudget      = 5
	exitInternal    = 70
	exitInterrupted = 130
)

// exitCodes is their description in --help.
const exitCodes = `Exit codes: 0 success, 1 failure, also of a single debate, 2 wrong usage, 3 unusable model, task or
prompt file, 4 damaged record, 5 budget used up (--for, --tokens), 70 or 134 bug in parley,
130 interrupted.`

// exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// usage and input mark errors of the command line, and of files that it names. Marks inside other errors count too; the
// outermost wins.
func usage(err error) error { return mark(exitUsage, err) }
func input(err error) error { return mark(exitInput, err) }

func mark(code int, err error) error {
	if err == nil {
		return nil
	}
	return exitError{code, err}
}

// caught runs a command and turns a panic into an error.
func caught(command func() error) (err error) {
	defer bug.Catch(&err)
	return command()
}

// ending is the exit code of a command that returned err, and the error to print. broken is why output could not be
// written; a closed pipe is not worth a message, since a reader such as head closes it on purpose.
func ending(ctx context.Context, err, broken error) (code int, said error) {
	marked := exitError{code: exitFailed}
	switch errors.As(err, &marked); {
	case errors.As(err, new(bug.Error)):
		return exitInternal, err
	case errors.Is(broken, syscall.EPIPE):
		return exitFailed, nil
	case broken != nil:
		return exitFailed, fmt.Errorf("standard output: %w; the output is incomplete", broken)
	case err == nil:
		return 0, nil
	case errors.Is(err, record.ErrDamaged):
		return exitDamaged, err
	case errors.Is(err, record.ErrVersion), errors.Is(err, chat.ErrTemplate): // in any command
		return exitInput, err
	case ctx.Err() == nil:
		return marked.code, err
	case errors.Is(err, context.Canceled):
		return exitInterrupted, errors.New("interrupted")
	}
	return exitInterrupted, err
}
