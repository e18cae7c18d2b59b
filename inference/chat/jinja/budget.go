package jinja

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Bounds on one rendering. A template is part of a file that may be hostile, and Jinja is a programming language: loops
// nest, strings double, macros call themselves. Real templates take some 50 steps a message, and write little but the
// messages.
const (
	stepsOfTemplate = 100_000 // expressions evaluated, elements of lists visited
	stepsPerMessage = 1_000
	bytesOfTemplate = 16 << 20 // of all texts that are computed, whether or not they are written
	bytesPerByte    = 32       // of the messages
	deepestCall     = 200      // nested evaluations of statements and calls
	deepestValue    = 32       // nested lists and maps
	deepestSource   = 100      // nested brackets, operators and statements
	longestRender   = 2 * time.Second
)

// ErrBounds is the error of a template that exceeds a bound.
var ErrBounds = errors.New("more than a chat template may do")

// budget is what one rendering may still spend. Its methods panic when nothing is left or when the context has ended;
// Parse and Render turn that into an error.
type budget struct {
	ctx          context.Context
	deadline     time.Time
	steps, bytes int
	depth        int
	unchecked    int // work since the context and the clock were looked at
}

// exceeded is what is thrown where a bound is exceeded.
type exceeded struct{ error }

func refuse(format string, values ...any) {
	panic(exceeded{fmt.Errorf("%w: %s", ErrBounds, fmt.Sprintf(format, values...))})
}

// catchRefusal calls a function and returns the error with which refuse ended it by a panic.
func catchRefusal(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exceeded:
			err = p.error
		default:
			panic(p)
		}
	}()
	return f()
}

// spend takes steps and bytes: before the work if that is more than another look at what is there already.
func (b *budget) spend(steps, bytes int) {
	b.steps -= steps
	b.bytes -= bytes
	b.unchecked += 1 + steps/64 + bytes/(1<<14)
	switch {
	case b.steps < 0:
		refuse("over %d steps and %d for each message", stepsOfTemplate, stepsPerMessage)
	case b.bytes < 0:
		refuse("over %d bytes of text and %d for each of the messages", bytesOfTemplate, bytesPerByte)
	case b.unchecked < 64:
		return
	case b.ctx.Err() != nil:
		panic(exceeded{context.Cause(b.ctx)})
	case time.Now().After(b.deadline):
		refuse("over %v", longestRender)
	}
	b.unchecked = 0
}

// enter counts a level of nested evaluation, until leave.
func (b *budget) enter() {
	if b.depth++; b.depth > deepestCall {
		refuse("calls that go over %d deep", deepestCall)
	}
	b.spend(1, 0)
}

func (b *budget) leave() { b.depth-- }
