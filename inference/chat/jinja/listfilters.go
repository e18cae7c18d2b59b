package jinja

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Filters that visit the elements of lists and mappings.

// ignoringCase returns what texts are compared by where case does not matter.
func (e *evaluator) ignoringCase(v any) any {
	if s, ok := v.(string); ok {
		e.spend(1+len(s)/64, len(s))
		return lower(s)
	}
	return v
}

// dictsort returns a mapping's items, sorted by key or value.
func dictsort(e *evaluator, v any, a *arguments) (any, error) {
	d, ok := v.(*Dict)
	if !ok {
		return nil, cmp.Or(requireDefined(v), fmt.Errorf("%s has no keys", typeName(v)))
	}
	sensitive, _ := a.get(0, "case_sensitive")
	by, given := a.get(1, "by")
	reversed, _ := a.get(2, "reverse")
	at := 0
	switch {
	case given && by == "value":
		at = 1
	case given && by != "key":
		return nil, errors.New("by must be key or value")
	}
	key := func(item any) (any, error) {
		k := item.(*sequence).items[at]
		if !truth(sensitive) {
			k = e.ignoringCase(k)
		}
		return k, nil
	}
	all, err := e.sortedBy(d.items(), key, truth(reversed))
	if err == nil {
		err = a.most(3)
	}
	return listOf(all), err
}

// sortedBy sorts elements by their keys; equal ones stay in their order.
func (e *evaluator) sortedBy(all []any, key func(any) (any, error), reversed bool) ([]any, error) {
	type pair struct{ key, value any }
	pairs := make([]pair, len(all))
	for i, v := range all {
		k, err := key(v)
		if err != nil {
			return nil, err
		}
		pairs[i] = pair{k, v}
	}
	var failed error
	slices.SortStableFunc(pairs, func(a, b pair) int {
		c, err := e.compare(a.key, b.key)
		failed = cmp.Or(failed, err)
		if reversed {
			return -c
		}
		return c
	})
	sorted := make([]any, len(all))
	for i, p := range pairs {
		sorted[i] = p.value
	}
	return sorted, failed
}

// sortList implements the filter sort.
func sortList(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	if err != nil {
		return nil, err
	}
	reversed, _ := a.get(0, "reverse")
	sensitive, _ := a.get(1, "case_sensitive")
	attribute, _ := a.get(2, "attribute")
	if path, ok := attribute.(string); ok && strings.Contains(path, ",") {
		return nil, errors.New("sort by several attributes is not known")
	}
	e.spend(len(all), 0)
	all, err = e.sortedBy(all, e.keyOf(attribute, truth(sensitive)), truth(reversed))
	if err == nil {
		err = a.most(3)
	}
	return listOf(all), err
}

// keyOf returns what elements are sorted or compared by.
func (e *evaluator) keyOf(attribute any, sensitive bool) func(any) (any, error) {
	return func(v any) (any, error) {
		v, err := e.path(v, attribute, nil)
		if !sensitive {
			v = e.ignoringCase(v)
		}
		return v, err
	}
}

// path returns the element that a path of attributes leads to: names and numbers separated by dots. An undefined
// element on the way is replaced by the fallback, if there is one.
func (e *evaluator) path(v, path, fallback any) (any, error) {
	var parts []any
	switch path := path.(type) {
	case nil:
		return v, nil
	case int:
		parts = []any{path}
	case string:
		for part := range strings.SplitSeq(path, ".") {
			if n, err := strconv.Atoi(part); err == nil && n >= 0 && part[0] != '+' {
				parts = append(parts, n)
			} else {
				parts = append(parts, part)
			}
		}
	default:
		return nil, errors.New("an attribute must be a text or a number")
	}
	for _, part := range parts {
		var err error
		if v, err = e.element(v, part); err != nil {
			return nil, err
		}
		if _, missing := v.(undefined); missing && fallback != nil {
			v = fallback
		}
	}
	return v, nil
}

func first(_ *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	if err == nil {
		err = a.most(0)
	}
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return undefined{"the first of nothing"}, nil
	}
	return all[0], nil
}

func last(_ *evaluator, v any, a *arguments) (any, error) {
	if s, ok := v.(*sequence); ok && s.kind == iterator {
		return nil, errors.New("an iterator has no last element: make it a list first")
	}
	all, err := elements(v)
	if err = cmp.Or(err, requireDefined(v), a.most(0)); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return undefined{"the last of nothing"}, nil
	}
	return all[len(all)-1], nil
}

func items(_ *evaluator, v any, a *arguments) (any, error) {
	switch v := v.(type) {
	case undefined:
		return iteratorOf(nil), a.most(0)
	case *Dict:
		return iteratorOf(v.items()), a.most(0)
	}
	return nil, fmt.Errorf("%s has no items", typeName(v))
}

func join(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	if err != nil {
		return nil, err
	}
	separator := ""
	if d, ok := a.get(0, "d"); ok {
		if separator, err = e.text(d); err != nil {
			return nil, err
		}
	}
	attribute, _ := a.get(1, "attribute")
	parts := make([]string, len(all))
	for i, item := range all {
		if item, err = e.path(item, attribute, nil); err != nil {
			return nil, err
		}
		if parts[i], err = e.text(item); err != nil {
			return nil, err
		}
		e.spend(1, len(parts[i])+len(separator))
	}
	return strings.Join(parts, separator), a.most(2)
}

func toList(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	e.spend(len(all), 0)
	if err == nil {
		err = a.most(0)
	}
	return listOf(append([]any{}, all...)), err
}

// elementsIfAny returns the elements of a value, none if the value is false, whatever its type.
func elementsIfAny(v any) ([]any, error) {
	if !truth(v) {
		return nil, nil
	}
	return elements(v)
}

// mapElements implements the filter map: an attribute of each element, or a filter applied to it.
func mapElements(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elementsIfAny(v)
	if err != nil {
		return nil, err
	}
	var of func(item any) (any, error)
	if attribute, ok := a.take("attribute"); ok && len(a.values) == 0 {
		otherwise, _ := a.take("default")
		of = func(item any) (any, error) { return e.path(item, attribute, otherwise) }
		if err := a.rest(); err != nil {
			return nil, err
		}
	} else {
		name, err := a.string(0, "filter")
		if err != nil {
			return nil, err
		}
		passed := arguments{values: a.values[1:], named: a.named}
		a.named = nil
		of = func(item any) (any, error) { return e.filter(name, item, passed) }
	}
	e.spend(len(all), 0)
	results := make([]any, len(all))
	for i, item := range all {
		if results[i], err = of(item); err != nil {
			return nil, err
		}
	}
	return iteratorOf(results), nil
}

// extreme implements the filter max, or min if the sign is below 0.
func extreme(sign int) filter {
	return func(e *evaluator, v any, a *arguments) (any, error) {
		all, err := elements(v)
		if err != nil {
			return nil, err
		}
		sensitive, _ := a.get(0, "case_sensitive")
		attribute, _ := a.get(1, "attribute")
		if len(all) == 0 {
			return undefined{"the extreme of nothing"}, a.most(2)
		}
		key := e.keyOf(attribute, truth(sensitive))
		best := all[0]
		bestKey, err := key(best)
		for _, item := range all[1:] {
			if err != nil {
				return nil, err
			}
			var k any
			if k, err = key(item); err != nil {
				return nil, err
			}
			var c int
			if c, err = e.compare(k, bestKey); c*sign > 0 {
				best, bestKey = item, k
			}
		}
		return best, cmp.Or(err, a.most(2))
	}
}

// selecting is select, reject, selectattr or rejectattr.
func selecting(byAttribute, keep bool) filter {
	return func(e *evaluator, v any, a *arguments) (any, error) {
		all, err := elementsIfAny(v)
		if err != nil {
			return nil, err
		}
		rest := a.values
		var attribute any
		if byAttribute {
			if len(rest) == 0 {
				return nil, errors.New("takes an attribute")
			}
			attribute, rest = rest[0], rest[1:]
		}
		holds := func(item any) (bool, error) { return truth(item), nil }
		if len(rest) > 0 {
			name, ok := rest[0].(string)
			if !ok {
				return nil, errors.New("takes the name of a test")
			}
			passed := arguments{values: rest[1:], named: a.named}
			holds = func(item any) (bool, error) { return e.test(name, item, passed) }
			a.named = nil
		}
		e.spend(len(all), 0)
		var kept []any
		for _, item := range all {
			value, err := e.path(item, attribute, nil)
			if err != nil {
				return nil, err
			}
			yes, err := holds(value)
			if err != nil {
				return nil, err
			}
			if yes == keep {
				kept = append(kept, item)
			}
		}
		return iteratorOf(kept), nil
	}
}

func reverse(e *evaluator, v any, a *arguments) (any, error) {
	if s, ok := v.(string); ok {
		runes := []rune(s)
		slices.Reverse(runes)
		e.spend(1, len(s))
		return string(runes), a.most(0)
	}
	all, err := elements(v)
	if err = cmp.Or(err, a.most(0)); err != nil {
		return nil, err
	}
	e.spend(len(all), 0)
	all = append([]any{}, all...)
	slices.Reverse(all)
	if s, ok := v.(*sequence); ok && s.kind == iterator {
		return listOf(all), nil
	}
	if _, missing := v.(undefined); missing {
		return listOf(all), nil
	}
	return iteratorOf(all), nil
}

func sum(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	attribute, _ := a.get(0, "attribute")
	total, given := a.get(1, "start")
	if !given {
		total = 0
	}
	if err = cmp.Or(err, a.most(2)); err != nil {
		return nil, err
	}
	if _, text := total.(string); text {
		return nil, errors.New("texts have no sum")
	}
	for _, item := range all {
		if item, err = e.path(item, attribute, nil); err != nil {
			return nil, err
		}
		if total, err = e.operate("+", total, item); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func unique(e *evaluator, v any, a *arguments) (any, error) {
	all, err := elements(v)
	if err != nil {
		return nil, err
	}
	sensitive, _ := a.get(0, "case_sensitive")
	attribute, _ := a.get(1, "attribute")
	key := e.keyOf(attribute, truth(sensitive))
	seen := &Dict{}
	var kept []any
	for _, item := range all {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		if !isKey(k) {
			return nil, fmt.Errorf("%s among the elements", typeName(k))
		}
		e.spend(1+len(seen.pairs)/16, 0)
		if _, ok := seen.get(k); !ok {
			seen.set(k, nil)
			kept = append(kept, item)
		}
	}
	return iteratorOf(kept), a.most(2)
}
