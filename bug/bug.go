// Package bug makes errors of panics, so that a mistake in this program ends a run in order: what is recorded stays
// recorded, and the exit code is not that of a mistake in the command line.
package bug

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic.
type Error struct {
	Value any
	Stack []byte // of the goroutine, where it panicked
}

// Error says what to do with it too.
func (e Error) Error() string {
	const text = "internal error: %v; this is a mistake in parley: " +
		"please report it with the command and these lines\n%s"
	return fmt.Sprintf(text, e.Value, e.Stack)
}

// Catch is deferred by a goroutine that has an error to give: a panic becomes that.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = Error{value, debug.Stack()}
	}
}
