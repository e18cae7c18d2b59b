package jinja

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// attribute is v.name: an attribute as Python has it, else the element of this key.
func (e *evaluator) attribute(v any, name string) (any, error) {
	e.spend(1, 0)
	if found, ok := member(v, name); ok {
		return found, nil
	}
	if slices.Contains(unsupported[typeName(v)], name) {
		return nil, fmt.Errorf("the attribute %q of a %s, which is not known here", name, typeName(v))
	}
	switch v := v.(type) {
	case undefined:
		return nil, errUndefined(v)
	case *Dict:
		e.spend(len(v.pairs)/16, 0)
		if value, ok := v.get(name); ok {
			return value, nil
		}
	}
	return undefined{"attribute " + name}, nil
}

// element is v[key]: an element, else the attribute of this name.
func (e *evaluator) element(v, key any) (any, error) {
	e.spend(1, 0)
	if isMarkup(v) {
		return nil, errors.New("an element of a text that is marked safe is not known")
	}
	if u, ok := v.(undefined); ok {
		return nil, errUndefined(u)
	}
	if _, i, whole, _ := number(key); whole {
		if s, ok := v.(string); ok {
			return characterAt(e, s, i), nil
		}
		if s, ok := v.(*sequence); ok && s.kind <= numbers {
			if i < 0 {
				i += len(s.items)
			}
			if i < 0 || i >= len(s.items) {
				return undefined{"an element outside of a list"}, nil
			}
			return s.items[i], nil
		}
	}
	if d, ok := v.(*Dict); ok {
		e.spend(len(d.pairs)/16, 0)
		if value, ok := d.get(key); ok {
			return value, nil
		}
	}
	if name, ok := key.(string); ok {
		if err := checkAttribute(name, false); err != nil {
			return nil, err
		}
		if found, ok := member(v, name); ok {
			return found, nil
		}
	}
	return undefined{"an element"}, nil
}

// characterAt returns a character of a text by its index.
func characterAt(e *evaluator, s string, i int) any {
	e.spend(1+len(s)/64, 0)
	runes := []rune(s)
	if i < 0 {
		i += len(runes)
	}
	if i < 0 || i >= len(runes) {
		return undefined{"a character outside of a text"}
	}
	return string(runes[i])
}

// member returns an attribute of a value itself.
func member(v any, name string) (any, bool) {
	switch v := v.(type) {
	case *namespace:
		return v.get(name)
	case *loopState:
		return v.attribute(name)
	case string:
		return bound(textMethods, v, name)
	case markup:
		return markedMember(v, name)
	case *Dict:
		return bound(mappingMethods, v, name)
	case *sequence:
		if v.kind <= tuple {
			return bound(listMethods, v, name)
		}
	}
	return nil, false
}

// markedMember returns a method of a text that is marked safe: one that does not escape what it is given.
func markedMember(v markup, name string) (any, bool) {
	return &function{name, func(e *evaluator, a arguments) (any, error) {
		switch name {
		case "startswith", "endswith", "find", "count":
			return textMethods[name](e, string(v), &a)
		case "strip", "lstrip", "rstrip", "upper", "lower":
			text, err := textMethods[name](e, string(v), &a)
			if s, ok := text.(string); ok {
				return markup(s), err
			}
			return nil, err
		}
		return nil, errors.New("not known of a text that is marked safe")
	}}, textMethods[name] != nil
}

// bound returns a method of a value as a function.
func bound[T any](methods map[string]func(e *evaluator, self T, a *arguments) (any, error), self T,
	name string) (any, bool) {
	method, ok := methods[name]
	if !ok {
		return nil, false
	}
	return &function{name, func(e *evaluator, a arguments) (any, error) {
		v, err := method(e, self, &a)
		if err == nil {
			err = a.rest()
		}
		return v, err
	}}, true
}

// unsupported are attributes of Python's types that this package does not have: to take them for elements, or for
// nothing, would be false.
var unsupported = map[string][]string{
	"str": strings.Fields("casefold center encode expandtabs format_map index isidentifier isprintable ljust " +
		"maketrans rindex rjust swapcase translate zfill"),
	"dict":  strings.Fields("clear copy fromkeys pop popitem setdefault update"),
	"list":  strings.Fields("append clear copy extend insert pop remove reverse sort"),
	"int":   strings.Fields("as_integer_ratio bit_count bit_length conjugate denominator imag numerator real to_bytes"),
	"float": strings.Fields("as_integer_ratio conjugate fromhex hex imag is_integer real"),
}

// changing are methods that Jinja's sandbox, too, refuses only where they are called: nothing may change. A template
// may have them for tools, which are never offered.
var changing = strings.Fields("append clear extend insert pop popitem remove reverse setdefault sort update")

// checkAttribute refuses the names that Jinja's sandbox refuses. called tells that the attribute is called, so that it
// is a method of Python.
func checkAttribute(name string, called bool) error {
	if strings.HasPrefix(name, "_") {
		return fmt.Errorf("the attribute %q, which no template may have", name)
	}
	if !called || slices.Contains(changing, name) || textMethods[name] != nil || mappingMethods[name] != nil ||
		listMethods[name] != nil {
		return nil
	}
	for of, names := range unsupported {
		if slices.Contains(names, name) {
			return fmt.Errorf("the method %q of Python's %s, which is not known here", name, of)
		}
	}
	return nil
}

// slice is v[from:to:step].
func (e *evaluator) slice(v any, bounds [3]any) (any, error) {
	var parts [3]int
	for i, b := range bounds {
		_, n, whole, _ := number(b)
		if b != nil && !whole {
			return nil, fmt.Errorf("%s is no part of a slice", typeName(b))
		}
		parts[i] = n
	}
	step := parts[2]
	if bounds[2] == nil {
		step = 1
	}
	if step == 0 {
		return nil, errors.New("a slice with a step of 0")
	}
	indices := func(n int) iter.Seq[int] { return sliceIndices(n, bounds, parts, step) }
	switch v := v.(type) {
	case string:
		e.spend(1+len(v)/64, len(v))
		runes := []rune(v)
		var b strings.Builder
		for i := range indices(len(runes)) {
			b.WriteRune(runes[i])
		}
		return b.String(), nil
	case *sequence:
		if v.kind > numbers {
			break
		}
		items := []any{}
		for i := range indices(len(v.items)) {
			items = append(items, v.items[i])
		}
		e.spend(1+len(items), 0)
		return &sequence{items, v.kind}, nil
	case undefined:
		return nil, errUndefined(v)
	}
	return nil, fmt.Errorf("%s has no slices", typeName(v))
}

// sliceIndices returns the indices that a slice of n elements takes.
func sliceIndices(n int, bounds [3]any, parts [3]int, step int) iter.Seq[int] {
	low, high := 0, n
	if step < 0 {
		low, high = -1, n-1
	}
	limit := func(part, fallback int, given bool) int {
		switch {
		case !given:
			return fallback
		case part < 0:
			return max(low, part+n)
		}
		return min(high, part)
	}
	first, last := low, high
	if step < 0 {
		first, last = high, low
	}
	from, to := limit(parts[0], first, bounds[0] != nil), limit(parts[1], last, bounds[1] != nil)
	return func(yield func(int) bool) {
		for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
			if !yield(i) || step > n || step < -n {
				return
			}
		}
	}
}
