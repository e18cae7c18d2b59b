package jinja

import (
	"errors"
	"fmt"
	"strings"
)

// evaluator is one rendering.
type evaluator struct {
	budget
	out   *strings.Builder
	scope *scope
}

// scope has the variables of a template, a loop or a macro.
type scope struct {
	vars  map[string]any
	outer *scope
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return undefined{name}
}

// within runs a function in a scope of its own.
func (e *evaluator) within(outer *scope, f func(s *scope) error) error {
	before := e.scope
	e.scope = &scope{map[string]any{}, outer}
	defer func() { e.scope = before }()
	return f(e.scope)
}

func (e *evaluator) write(text string) {
	e.spend(1, len(text))
	e.out.WriteString(text)
}

// print writes a value as a text.
func (e *evaluator) print(v any) error {
	text, err := e.text(v)
	if err == nil {
		e.write(text)
	}
	return err
}

// capture returns what a statement writes.
func (e *evaluator) capture(body statement) (string, error) {
	before := e.out
	e.out = &strings.Builder{}
	defer func() { e.out = before }()
	err := body(e)
	return e.out.String(), err
}

// jump is what break and continue throw.
type jump string

func (j jump) Error() string { return string(j) }

// loop is a for statement.
type loop struct {
	target    target
	over      expression
	only      expression // it is nil if all elements are visited
	body      statement
	otherwise statement
}

func (l loop) run(e *evaluator) error {
	over, err := l.over(e)
	if err != nil {
		return err
	}
	items, err := elements(over)
	if err != nil {
		return err
	}
	e.spend(len(items), 0)
	if items, err = l.selectElements(e, items); err != nil {
		return err
	}
	state := &loopState{items: items}
	for state.at = range items {
		e.spend(1, 0)
		err := e.within(e.scope, func(s *scope) error {
			s.vars["loop"] = state
			if err := l.target.set(e, s, items[state.at]); err != nil {
				return err
			}
			return l.body(e)
		})
		if j, ok := err.(jump); ok && j == "break" {
			break
		} else if !ok && err != nil {
			return err
		}
	}
	if len(items) == 0 {
		return e.within(e.scope, func(*scope) error { return l.otherwise(e) })
	}
	return nil
}

// selectElements returns the elements for which the loop's condition holds.
func (l loop) selectElements(e *evaluator, items []any) (kept []any, err error) {
	if l.only == nil {
		return items, nil
	}
	for _, item := range items {
		err := e.within(e.scope, func(s *scope) error {
			if err := l.target.set(e, s, item); err != nil {
				return err
			}
			v, err := l.only(e)
			if truth(v) {
				kept = append(kept, item)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// loopState is the variable loop.
type loopState struct {
	items   []any
	at      int
	changed []any // what loop.changed was called with last
}

func (l *loopState) attribute(name string) (any, bool) {
	neighbour := func(i int, what string) any {
		if i < 0 || i >= len(l.items) {
			return undefined{what}
		}
		return l.items[i]
	}
	n := len(l.items)
	switch name {
	case "index":
		return l.at + 1, true
	case "index0":
		return l.at, true
	case "revindex":
		return n - l.at, true
	case "revindex0":
		return n - l.at - 1, true
	case "first":
		return l.at == 0, true
	case "last":
		return l.at == n-1, true
	case "length":
		return n, true
	case "depth":
		return 1, true
	case "depth0":
		return 0, true
	case "previtem":
		return neighbour(l.at-1, "the element before the first"), true
	case "nextitem":
		return neighbour(l.at+1, "the element behind the last"), true
	case "cycle":
		return &function{"cycle", func(_ *evaluator, a arguments) (any, error) {
			if len(a.values) == 0 {
				return nil, errors.New("cycle takes at least one value")
			}
			return a.values[l.at%len(a.values)], nil
		}}, true
	case "changed":
		return &function{"changed", l.hasChanged}, true
	}
	return nil, false
}

func (l *loopState) hasChanged(e *evaluator, a arguments) (any, error) {
	same := l.changed != nil && e.equal(listOf(l.changed), listOf(a.values))
	l.changed = append([]any{}, a.values...)
	return !same, nil
}

// macro returns a macro as a function, in the scope in which it was defined.
func (e *evaluator) macro(name string, parameters []parameter, body statement) *function {
	defined := e.scope
	return &function{name, func(e *evaluator, a arguments) (any, error) {
		e.enter()
		defer e.leave()
		var text string
		err := e.within(defined, func(s *scope) (err error) {
			if err := bind(e, s, name, parameters, a); err != nil {
				return err
			}
			text, err = e.capture(body)
			return err
		})
		return text, err
	}}
}

// bind gives the parameters of a macro their values. One without a value and a default is undefined.
func bind(e *evaluator, s *scope, name string, parameters []parameter, a arguments) error {
	if len(a.values) > len(parameters) {
		return fmt.Errorf("macro %s takes %d arguments, not %d", name, len(parameters), len(a.values))
	}
	for i, p := range parameters {
		value, given := a.take(p.name)
		switch {
		case i < len(a.values) && given:
			return fmt.Errorf("macro %s is given %s twice", name, p.name)
		case i < len(a.values):
			s.vars[p.name] = a.values[i]
		case given:
			s.vars[p.name] = value
		case p.fallback == nil:
			s.vars[p.name] = undefined{"parameter " + p.name}
		default:
			v, err := p.fallback(e)
			if err != nil {
				return err
			}
			s.vars[p.name] = v
		}
	}
	if caller, given := a.take("caller"); given {
		s.vars["caller"] = caller
	} else if _, has := s.vars["caller"]; !has {
		s.vars["caller"] = undefined{"caller"}
	}
	return a.rest()
}

// arguments are those of a call.
type arguments struct {
	values []any
	named  []Pair
	taken  *int // how many of named were taken
}

// take returns an argument by its name.
func (a *arguments) take(name string) (any, bool) {
	for _, p := range a.named {
		if p.Key == name {
			if a.taken == nil {
				a.taken = new(int)
			}
			*a.taken++
			return p.Value, true
		}
	}
	return nil, false
}

// rest returns an error if an argument was not taken.
func (a *arguments) rest() error {
	taken := 0
	if a.taken != nil {
		taken = *a.taken
	}
	if taken < len(a.named) {
		names := make([]string, len(a.named))
		for i, p := range a.named {
			names[i], _ = p.Key.(string)
		}
		return fmt.Errorf("unknown arguments among %s", strings.Join(names, ", "))
	}
	return nil
}

// call calls a value.
func (e *evaluator) call(f any, a arguments) (any, error) {
	e.spend(1, 0)
	switch f := f.(type) {
	case *function:
		v, err := f.call(e, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		return v, nil
	case undefined:
		return nil, errUndefined(f)
	}
	return nil, fmt.Errorf("%s cannot be called", typeName(f))
}
