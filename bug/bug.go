// Package bug turns panics into errors, so that a bug in this program ends a run in an orderly way: records stay
// complete, and the exit code is not that of a wrong command line.
package bug

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic as an error.
type Error struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error describes the panic and asks the user to report it.
func (e Error) Error() string {
	const text = "internal error: %v; this is a mistake in parley: " +
		"please report it with the command and these lines\n%s"
	return fmt.Sprintf(text, e.Value, e.Stack)
}

// Catch, when deferred, turns a panic of its goroutine into *err.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = Error{value, debug.Stack()}
	}
}
