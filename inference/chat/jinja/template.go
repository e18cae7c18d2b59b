// Package jinja renders chat templates: the part of Jinja that they use, with the values of Python and within bounds.
//
// Lifecycle: Parse reads a template once; Render may be called from several goroutines.
//
// What holds: a template gives the bytes that jinja2 gives in transformers' environment (trim_blocks, lstrip_blocks,
// loopcontrols, its own tojson), or it is an error. Statements, filters, tests and methods that are not known are
// refused when the template is parsed, with their line; what only a value decides, such as an attribute that Python's
// type has and this package has not, when it is rendered. Nothing reads a clock or draws at random. Time, memory and
// depth are bounded, since a template is part of a file from strangers.
package jinja

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Template is a parsed template.
type Template struct {
	run     statement
	globals map[string]any
}

// Function is a global function of a template, which takes texts and returns one.
type Function func(texts ...string) (string, error)

// Parse reads a template. functions are its global functions besides range, dict and namespace.
func Parse(source string, functions map[string]Function) (t *Template, err error) {
	t = &Template{globals: map[string]any{
		"range": &function{"range", rangeOf}, "dict": &function{"dict", toDict},
		"namespace": &function{"namespace", newNamespace},
	}}
	for name, f := range functions {
		t.globals[name] = &function{name, f.call}
	}
	err = catchRefusal(func() error {
		tokens, err := lex(source)
		if err != nil {
			return err
		}
		p := &parser{tokens: tokens}
		t.run, err = p.body()
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Render writes the template with these variables: None (nil), bool, int, float64, string, []any and *Dict. messages
// and bytes are how many there are in what it renders; they add to what it may spend.
func (t *Template) Render(ctx context.Context, variables map[string]any, messages, bytes int) (text string, err error) {
	var out strings.Builder
	e := &evaluator{budget: budget{ctx: ctx, deadline: time.Now().Add(longestRender),
		steps: stepsOfTemplate + stepsPerMessage*messages, bytes: bytesOfTemplate + bytesPerByte*bytes}, out: &out}
	vars := make(map[string]any, len(variables))
	for name, v := range variables {
		vars[name] = templateValue(v)
	}
	e.scope = &scope{vars, &scope{t.globals, nil}}
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	err = catchRefusal(func() error { return t.run(e) })
	return out.String(), err
}

// templateValue copies a value of the caller, so that the template can change its lists and dictionaries.
func templateValue(v any) any {
	switch v := v.(type) {
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = templateValue(item)
		}
		return listOf(items)
	case *Dict:
		d := &Dict{make([]Pair, len(v.pairs))}
		for i, p := range v.pairs {
			d.pairs[i] = Pair{p.Key, templateValue(p.Value)}
		}
		return d
	}
	return v
}

func (f Function) call(e *evaluator, a arguments) (any, error) {
	var texts []string
	for _, v := range a.values {
		text, err := e.text(v)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if len(a.named) > 0 {
		return nil, fmt.Errorf("takes no arguments with names")
	}
	text, err := f(texts...)
	e.spend(1, len(text))
	return text, err
}

// rangeOf is Python's range.
func rangeOf(e *evaluator, a arguments) (any, error) {
	bounds := []int{0, 0, 1} // start, stop, step
	for i, v := range a.values {
		_, n, whole, _ := number(v)
		if !whole || len(a.values) > 3 {
			return nil, fmt.Errorf("takes one to three whole numbers")
		}
		bounds[i] = n
	}
	switch {
	case len(a.values) == 0 || len(a.named) > 0:
		return nil, fmt.Errorf("takes one to three whole numbers")
	case len(a.values) == 1:
		bounds[0], bounds[1] = 0, bounds[0]
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return nil, fmt.Errorf("a step of 0")
	}
	var items []any
	for i := from; step > 0 && i < to || step < 0 && i > to; {
		e.spend(1, 0)
		items = append(items, i)
		if next := i + step; (next > i) == (step > 0) {
			i = next
			continue
		}
		break
	}
	return &sequence{items, numbers}, nil
}

// toDict is Python's dict of a mapping and of arguments with names.
func toDict(e *evaluator, a arguments) (any, error) {
	d := &Dict{}
	if len(a.values) > 1 {
		return nil, fmt.Errorf("takes one mapping, and arguments with names")
	}
	for _, v := range a.values {
		from, ok := v.(*Dict)
		if !ok {
			return nil, fmt.Errorf("of %s is not known", typeName(v))
		}
		d.pairs = append(d.pairs, from.pairs...)
	}
	for _, p := range a.named {
		d.set(p.Key, p.Value)
	}
	e.spend(len(d.pairs), 0)
	return d, nil
}

func newNamespace(e *evaluator, a arguments) (any, error) {
	d, err := toDict(e, a)
	if err != nil {
		return nil, err
	}
	return &namespace{*d.(*Dict)}, nil
}

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
