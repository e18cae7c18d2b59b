package jinja

import (
	"errors"
	"fmt"
)

type test = func(e *evaluator, v any, a *arguments) (bool, error)

// tests are those that templates may have.
var tests map[string]test

func init() {
	comparing := func(operator string) test {
		return func(e *evaluator, v any, a *arguments) (bool, error) {
			if len(a.values) != 1 {
				return false, errors.New("takes one value")
			}
			return e.holds(operator, v, a.values[0])
		}
	}
	tests = map[string]test{
		"boolean":     is(func(v any) bool { _, ok := v.(bool); return ok }),
		"callable":    is(callable),
		"defined":     is(func(v any) bool { _, ok := v.(undefined); return !ok }),
		"undefined":   is(func(v any) bool { _, ok := v.(undefined); return ok }),
		"divisibleby": divisible,
		"eq":          comparing("=="), "equalto": comparing("=="), "==": comparing("=="),
		"ne": comparing("!="), "!=": comparing("!="), "in": comparing("in"),
		"gt": comparing(">"), "greaterthan": comparing(">"), ">": comparing(">"),
		"ge": comparing(">="), ">=": comparing(">="),
		"lt": comparing("<"), "lessthan": comparing("<"), "<": comparing("<"),
		"le": comparing("<="), "<=": comparing("<="),
		"even": parity(0), "odd": parity(1),
		"true":    is(func(v any) bool { return v == true }),
		"false":   is(func(v any) bool { return v == false }),
		"none":    is(func(v any) bool { return v == nil }),
		"string":  is(func(v any) bool { _, ok := v.(string); return ok }),
		"float":   is(func(v any) bool { _, ok := v.(float64); return ok }),
		"integer": is(func(v any) bool { _, ok := v.(int); return ok }),
		"number":  is(func(v any) bool { _, _, _, ok := number(v); return ok }),
		"mapping": is(func(v any) bool { _, ok := v.(*Dict); return ok }),
		"iterable": is(func(v any) bool {
			_, err := elements(v)
			_, object := v.(*loopState)
			return err == nil || object
		}),
		"sequence": is(func(v any) bool {
			s, ok := v.(*sequence)
			_, err := length(v)
			return err == nil && (!ok || s.kind <= numbers)
		}),
		"lower":  textTest(lowercase),
		"upper":  textTest(uppercase),
		"sameas": sameAs,
	}
}

// test reports whether a test holds of a value.
func (e *evaluator) test(name string, v any, a arguments) (bool, error) {
	t, known := tests[name]
	if !known {
		return false, unknownName("test", name, tests)
	}
	e.spend(1, 0)
	holds, err := t(e, plain(v), &a)
	if err == nil {
		err = a.rest()
	}
	if err != nil {
		return false, fmt.Errorf("test %s: %w", name, err)
	}
	return holds, nil
}

func is(property func(v any) bool) test {
	return func(_ *evaluator, v any, a *arguments) (bool, error) { return property(v), a.most(0) }
}

func callable(v any) bool {
	switch v.(type) {
	case *function, *loopState, undefined:
		return true
	}
	return false
}

func parity(rest int) test {
	return func(e *evaluator, v any, a *arguments) (bool, error) {
		if _, text := v.(string); text {
			return false, errors.New("takes a number")
		}
		r, err := e.operate("%", v, 2)
		return err == nil && e.equal(r, rest), err
	}
}

func divisible(e *evaluator, v any, a *arguments) (bool, error) {
	by, ok := a.get(0, "num")
	if _, text := v.(string); text || !ok {
		return false, errors.New("takes numbers")
	}
	r, err := e.operate("%", v, by)
	return err == nil && e.equal(r, 0), err
}

func textTest(property func(s string) bool) test {
	return func(e *evaluator, v any, a *arguments) (bool, error) {
		s, err := e.text(v)
		e.spend(1+len(s)/64, 0)
		return err == nil && property(s), err
	}
}

// sameAs is identity, which is known of None, truth values and what is no text or number.
func sameAs(_ *evaluator, v any, a *arguments) (bool, error) {
	if len(a.values) != 1 {
		return false, errors.New("takes one value")
	}
	for _, one := range []any{v, a.values[0]} {
		switch one.(type) {
		case nil, bool:
			return v == a.values[0], nil
		}
	}
	return false, errors.New("known of None, true and false only")
}
