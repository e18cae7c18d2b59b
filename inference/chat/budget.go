package chat

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// Bounds on one rendering. A template is part of a file that may be hostile, and Jinja is a programming language: loops
// nest, strings double, macros call themselves. Real templates take some 50 steps a message, and write little but the
// messages.
const (
	stepsOfTemplate = 100_000 // expressions evaluated, bodies entered, elements of lists visited
	stepsPerMessage = 1_000
	bytesOfTemplate = 16 << 20 // of all texts that are computed, whether or not they are written
	bytesPerByte    = 32       // of the messages
	deepestCall     = 200      // nested evaluations of expressions, through macros and loops
	deepestValue    = 32       // nested lists and maps
	longestRender   = 2 * time.Second
)

// errTemplate is the error of a template that exceeds a bound.
var errTemplate = errors.New("more than a chat template may do")

// budget is what one rendering may still spend. Its methods panic when nothing is left or when the context has ended,
// and guarded turns the panic into an error. They cannot return one: gonja treats errors as values, which a filter can
// replace, and goes on.
type budget struct {
	ctx          context.Context
	deadline     time.Time
	steps, bytes int
	depth        int
	spent        int // calls of spend
}

func newBudget(ctx context.Context, messages []Message) *budget {
	b := &budget{ctx: ctx, deadline: time.Now().Add(longestRender), steps: stepsOfTemplate, bytes: bytesOfTemplate}
	for _, m := range messages {
		b.steps += stepsPerMessage
		b.bytes += bytesPerByte * len(m.Content)
	}
	return b
}

// budgetName is the variable that holds the budget. No template can spell its name.
const budgetName = "\x00budget"

func budgetOf(e *exec.Evaluator) *budget {
	b, _ := e.Environment.Context.Get(budgetName)
	return b.(*budget)
}

// exceeded is what methods of budget panic with.
type exceeded struct{ error }

func refuse(format string, values ...any) {
	panic(exceeded{fmt.Errorf("%w: %s", errTemplate, fmt.Sprintf(format, values...))})
}

// spend takes steps and bytes.
func (b *budget) spend(steps, bytes int) {
	b.steps -= steps
	b.bytes -= bytes
	b.spent++
	switch {
	case b.ctx.Err() != nil:
		panic(exceeded{context.Cause(b.ctx)})
	case b.steps < 0:
		refuse("over %d steps and %d for each message", stepsOfTemplate, stepsPerMessage)
	case b.bytes < 0:
		refuse("over %d bytes of text and %d for each of the messages", bytesOfTemplate, bytesPerByte)
	case b.spent%64 == 0 && time.Now().After(b.deadline):
		refuse("over %v", longestRender)
	}
}

// enter counts a level of nested evaluation, until leave.
func (b *budget) enter() {
	if b.depth++; b.depth > deepestCall {
		refuse("calls that go over %d deep", deepestCall)
	}
	b.spend(1, 0)
}

func (b *budget) leave() { b.depth-- }

// measure spends the size of a value and of everything in it.
func (b *budget) measure(v *exec.Value) {
	if v != nil {
		b.measureIn(v.Val, deepestValue)
	}
}

func (b *budget) measureIn(v reflect.Value, depth int) {
	if depth == 0 {
		refuse("lists or maps over %d deep, or one that contains itself", deepestValue)
	}
	switch v.Kind() {
	case reflect.String:
		b.spend(0, v.Len())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.spend(1, 0)
			b.measureIn(v.Index(i), depth-1)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			b.spend(1, 0)
			b.measureIn(entries.Key(), depth-1)
			b.measureIn(entries.Value(), depth-1)
		}
	case reflect.Interface:
		b.measureIn(v.Elem(), depth)
	case reflect.Pointer:
		b.measurePointer(v, depth)
	}
}

// measurePointer looks into gonja's own containers.
func (b *budget) measurePointer(v reflect.Value, depth int) {
	switch p := v.Interface().(type) {
	case *exec.Value:
		if p != nil {
			b.measureIn(p.Val, depth)
		}
	case *exec.Dict:
		for _, pair := range p.Pairs {
			b.spend(1, 0)
			b.measurePair(pair, depth-1)
		}
	case *exec.Pair:
		b.measurePair(p, depth-1)
	}
}

func (b *budget) measurePair(p *exec.Pair, depth int) {
	for _, v := range []*exec.Value{p.Key, p.Value} {
		if v != nil {
			b.measureIn(v.Val, depth)
		}
	}
}
