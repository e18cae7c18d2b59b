// Package bug turns panics into errors, so that a bug in this program ends what met it in an orderly way, a command, a
// debate or a request: records stay complete, nothing else is lost, and the exit code is not that of a wrong command
// line.
package bug

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Error is a panic as an error.
type Error struct {
	Value any
	Place string // the function that panicked, with the file and the line; "" if that is not known
	Stack []byte // of the goroutine that panicked
}

// Error describes the panic and asks the user to report it. The stack is not in it, since errors reach records and
// clients.
func (e Error) Error() string {
	return fmt.Sprintf("internal error: %v, at %s; this is a mistake in parley: please report it with the command and "+
		"these lines", e.Value, e.Place)
}

// Catch, when deferred, turns a panic of its goroutine into *err.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = Error{value, panicSite(), debug.Stack()}
	}
}

// panicSite returns where the panic came from that the caller's caller recovered.
func panicSite() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // behind Catch
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndex(f.Function, "/")+1:], filepath.Base(f.File),
				f.Line)
		}
		if !more {
			return ""
		}
	}
}

// Guarded makes a function for a goroutine of its own: it runs f and passes on how f ended, with an Error if it
// panicked, whose stack the program's log has too. Nothing catches a panic of ended.
func Guarded(f func() error, ended func(error)) func() {
	return func() {
		err := Caught(f)
		var b Error
		if errors.As(err, &b) {
			slog.Error(err.Error(), "stack", string(b.Stack))
		}
		ended(err)
	}
}

// Text runs f and says how it panicked, "" if it did not, for what can go on without it, such as a table without one of
// its cells. The program's log has the stack.
func Text(f func()) (why string) {
	Guarded(func() error { f(); return nil }, func(err error) {
		if err != nil {
			why = err.Error()
		}
	})()
	return why
}

// Lone is Guarded for a goroutine that nobody waits for: the log alone has its panic.
func Lone(f func()) func() {
	return Guarded(func() error { f(); return nil }, func(error) {})
}

// Caught runs f and returns its error, or an Error if it panics.
func Caught(f func() error) (err error) {
	defer Catch(&err)
	return f()
}
