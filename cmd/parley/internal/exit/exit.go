// Package exit has the exit codes of the program: how errors are marked with one, and which one an error ends with.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/platform"
)

// The exit codes, as --help lists them.
const (
	CodeFailed      = 1
	CodeUsage       = 2
	CodeInput       = 3
	CodeDamaged     = 4
	CodeBudget      = 5
	CodeInternal    = 70
	CodeInterrupted = 130
)

// Codes describes them in --help.
const Codes = `Exit codes: 0 success, 1 failure, also of a single debate, 2 wrong usage, 3 unusable model, task or
prompt file, 4 damaged record, 5 budget used up (--for, --tokens), 70 or 134 bug in parley,
130 interrupted.`

// marked is an error with an exit code.
type marked struct {
	code int
	err  error
}

func (e marked) Error() string { return e.err.Error() }
func (e marked) Unwrap() error { return e.err }

// Usage marks an error of the command line.
func Usage(err error) error { return Mark(CodeUsage, err) }

// Input marks an error of a file that the command line names.
func Input(err error) error { return Mark(CodeInput, err) }

// Mark gives an error an exit code; nil stays nil. Marks inside other errors count too; the outermost wins.
func Mark(code int, err error) error {
	if err == nil {
		return nil
	}
	return marked{code, err}
}

// Caught runs a command and turns a panic into an error.
func Caught(command func() error) (err error) {
	defer bug.Catch(&err)
	return command()
}

// Said is an error as a user is to read it: one of a file that cannot be opened without the name of the system call
// that Go puts before the path, and without the path where the message has it already.
func Said(err error) string {
	text := err.Error()
	var p *fs.PathError
	if !errors.As(err, &p) || !slices.Contains([]string{"open", "stat", "lstat"}, p.Op) {
		return text
	}
	before, after, found := strings.Cut(text, p.Error())
	switch {
	case !found:
		return text
	case strings.Contains(before, p.Path):
		return before + p.Err.Error() + after
	}
	return before + p.Path + ": " + p.Err.Error() + after
}

// Of returns the exit code of a command that returned err, and the error to print. broken says why output could not be
// written; a closed pipe is not worth a message, since a reader such as head closes it on purpose.
func Of(ctx context.Context, err, broken error) (code int, said error) {
	marked := marked{code: CodeFailed}
	switch errors.As(err, &marked); {
	case errors.As(err, new(bug.Error)):
		return CodeInternal, err
	case errors.Is(broken, syscall.EPIPE):
		return CodeFailed, nil
	case broken != nil:
		return CodeFailed, fmt.Errorf("standard output: %w; the output is incomplete", broken)
	case err == nil:
		return 0, nil
	case errors.Is(err, record.ErrDamaged):
		return CodeDamaged, err
	case errors.Is(err, record.ErrVersion), errors.Is(err, chat.ErrTemplate): // in any command
		return CodeInput, err
	case ctx.Err() == nil && errors.Is(err, syscall.EFBIG):
		return CodeFailed, fmt.Errorf("%w; no file may grow beyond what `ulimit -f` allows: raise it", err)
	case ctx.Err() == nil && platform.DiskFull(err): // of whatever file: nothing is wrong with what the line names
		return CodeFailed, err
	case ctx.Err() == nil:
		return marked.code, err
	case errors.Is(err, context.Canceled):
		return CodeInterrupted, errors.New("interrupted")
	}
	return CodeInterrupted, err
}
