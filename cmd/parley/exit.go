package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"parley/bench/record"
	"parley/bug"
)

// Exit codes, as --help lists them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitDamaged     = 4
	exitInternal    = 70
	exitInterrupted = 130
)

// exitCodes is what --help says of them.
const exitCodes = `Exit codes: 0 done, 1 failed on the way, or a debate could not be held, 2 wrong usage, 3 a model, task or prompt file
cannot be used, 4 a record is damaged, 70 or 134 a mistake in parley, 130 interrupted.`

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

// caught runs a command, and makes an error of its panic.
func caught(command func() error) (err error) {
	defer bug.Catch(&err)
	return command()
}

// ending is the exit code of a command that returned err, and what there is to say. broken is why its output could not
// be written: nobody who reads only the first lines of it wants to hear of that.
func ending(ctx context.Context, err, broken error) (code int, said error) {
	marked := exitError{code: exitFailed}
	switch errors.As(err, &marked); {
	case errors.As(err, new(bug.Error)):
		return exitInternal, err
	case errors.Is(broken, syscall.EPIPE):
		return exitFailed, nil
	case broken != nil:
		return exitFailed, fmt.Errorf("standard output: %w; what should be there is lost, or not all there", broken)
	case err == nil:
		return 0, nil
	case errors.Is(err, record.ErrDamaged):
		return exitDamaged, err
	case errors.Is(err, record.ErrVersion): // whatever command meets it
		return exitInput, err
	case ctx.Err() == nil:
		return marked.code, err
	case errors.Is(err, context.Canceled):
		return exitInterrupted, errors.New("interrupted")
	}
	return exitInterrupted, err
}
