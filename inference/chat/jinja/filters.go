package jinja

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

type filter = func(e *evaluator, v any, a *arguments) (any, error)

// filters are those that templates may have.
var filters map[string]filter

func init() {
	filters = map[string]filter{
		"abs": absolute, "attr": attr, "capitalize": textFilter(changeCase(capitalize)), "count": lengthOf,
		"length": lengthOf, "d": fallback, "default": fallback, "dictsort": dictsort, "first": first,
		"float": toFloat, "indent": indent,
		"int": toInt, "items": items, "join": join, "last": last, "list": toList,
		"lower": textFilter(changeCase(lower)),
		"map":   mapElements, "max": extreme(1), "min": extreme(-1), "reject": selecting(false, false),
		"rejectattr": selecting(true, false), "replace": replaceFilter, "reverse": reverse, "round": round,
		"safe": safe, "select": selecting(false, true), "selectattr": selecting(true, true), "sort": sortList,
		"string": toText, "sum": sum, "title": textFilter(wordwise(titleFilter)), "tojson": toJSON, "trim": trim,
		"unique": unique,
		"upper":  textFilter(changeCase(upper)),
	}
}

// unknownName returns the error of a filter or test that there is not.
func unknownName[T any](what, name string, known map[string]T) error {
	return fmt.Errorf("the %s %q is not known; known are %s", what, name,
		strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

// filter applies a filter.
func (e *evaluator) filter(name string, v any, a arguments) (any, error) {
	f, known := filters[name]
	if !known {
		return nil, unknownName("filter", name, filters)
	}
	e.spend(1, 0)
	if name != "default" && name != "d" {
		v = plain(v)
	}
	result, err := f(e, v, &a)
	if err == nil {
		err = a.rest()
	}
	if err != nil {
		return nil, fmt.Errorf("filter %s: %w", name, err)
	}
	return result, nil
}

// requireDefined returns the error of an undefined value.
func requireDefined(v any) error {
	if u, ok := v.(undefined); ok {
		return errUndefined(u)
	}
	return nil
}

// textFilter returns a method of texts as a filter.
func textFilter(method textMethod) filter {
	return func(e *evaluator, v any, a *arguments) (any, error) {
		s, err := e.text(v)
		if err != nil {
			return nil, err
		}
		return method(e, s, a)
	}
}

// titleFilter is Jinja's title: words begin behind white space, hyphens and opening brackets.
func titleFilter(s string) string {
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return IsSpace(r) || strings.ContainsRune("-({[<", r) })
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			_, width := utf8.DecodeRuneInString(s)
			b.WriteString(upper(s[:width]) + lower(s[width:end]))
			s = s[end:]
			continue
		}
		_, width := utf8.DecodeRuneInString(s)
		b.WriteString(s[:width])
		s = s[width:]
	}
	return b.String()
}

func toText(e *evaluator, v any, a *arguments) (any, error) {
	s, err := e.text(v)
	if err == nil {
		err = a.most(0)
	}
	return s, err
}

func safe(e *evaluator, v any, a *arguments) (any, error) {
	s, err := toText(e, v, a)
	if err != nil {
		return nil, err
	}
	return markup(s.(string)), nil
}

func trim(e *evaluator, v any, a *arguments) (any, error) {
	s, err := e.text(v)
	if err != nil {
		return nil, err
	}
	return stripping(strings.TrimFunc)(e, s, a)
}

func absolute(_ *evaluator, v any, a *arguments) (any, error) {
	f, i, whole, ok := number(v)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s has no absolute value", typeName(v))
	case whole && i == math.MinInt:
		return nil, errTooLarge
	case whole:
		return max(i, -i), a.most(0)
	}
	return math.Abs(f), a.most(0)
}

// attr returns an attribute that is no element.
func attr(_ *evaluator, v any, a *arguments) (any, error) {
	name, err := a.string(0, "name")
	if err == nil {
		err = cmp.Or(checkAttribute(name, true), requireDefined(v), a.most(1))
	}
	if err != nil {
		return nil, err
	}
	if found, ok := member(v, name); ok {
		return found, nil
	}
	if slices.Contains(unsupported[typeName(v)], name) {
		return nil, fmt.Errorf("the attribute %q of a %s, which is not known here", name, typeName(v))
	}
	return undefined{"attribute " + name}, nil
}

func lengthOf(_ *evaluator, v any, a *arguments) (any, error) {
	n, err := length(v)
	if err == nil {
		err = a.most(0)
	}
	return n, err
}

// fallback implements the filter default.
func fallback(_ *evaluator, v any, a *arguments) (any, error) {
	value, given := a.get(0, "default_value")
	if !given {
		value = ""
	}
	boolean, _ := a.get(1, "boolean")
	if _, missing := v.(undefined); missing || truth(boolean) && !truth(v) {
		return value, a.most(2)
	}
	return v, a.most(2)
}

func toFloat(_ *evaluator, v any, a *arguments) (any, error) {
	otherwise, given := a.get(0, "default")
	if !given {
		otherwise = 0.0
	}
	if f, _, _, ok := number(v); ok {
		return f, a.most(1)
	}
	if s, ok := v.(string); ok {
		s = strings.TrimFunc(s, IsSpace)
		if f, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "xXpP") {
			return f, a.most(1)
		}
	}
	return otherwise, cmp.Or(requireDefined(v), a.most(1))
}

func toInt(_ *evaluator, v any, a *arguments) (any, error) {
	otherwise, given := a.get(0, "default")
	if !given {
		otherwise = 0
	}
	base, err := a.whole(1, "base", 10)
	if err = cmp.Or(err, requireDefined(v), a.most(2)); err != nil {
		return nil, err
	}
	if base != 10 {
		return nil, errors.New("int is known to the base 10 only")
	}
	f, i, whole, ok := number(v)
	if s, text := v.(string); text {
		s = strings.TrimFunc(s, IsSpace)
		n, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
		if err == nil && !strings.HasPrefix(s, "_") && !strings.HasSuffix(s, "_") && !strings.Contains(s, "__") {
			return n, nil
		}
		if errors.Is(err, strconv.ErrRange) {
			return nil, errTooLarge
		}
		if f, err = strconv.ParseFloat(s, 64); err != nil || strings.ContainsAny(s, "xXpP") {
			return otherwise, nil
		}
		ok = true
	}
	switch {
	case whole:
		return i, nil
	case !ok:
		return otherwise, nil
	case math.IsNaN(f) || math.IsInf(f, 0):
		return otherwise, nil
	case math.Abs(f) >= 1<<62:
		return nil, errTooLarge
	}
	return int(f), nil
}

// indent writes blanks, or a text, before the lines of a text: not before the first and empty ones, if not asked to.
func indent(e *evaluator, v any, a *arguments) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("%s has no lines", typeName(v))
	}
	width, given := a.get(0, "width")
	if !given {
		width = 4
	}
	firstToo, _ := a.get(1, "first")
	blank, _ := a.get(2, "blank")
	by, text := width.(string)
	if !text {
		_, n, whole, _ := number(width)
		if !whole {
			return nil, errors.New("the width must be a number or a text")
		}
		if n > 1<<20 {
			refuse("lines indented by %d", n)
		}
		by = strings.Repeat(" ", max(0, n))
	}
	list, err := lines(e, s+"\n", &arguments{})
	if err != nil {
		return nil, err
	}
	all := list.(*sequence).items
	if n := len(by); n > 0 && len(all) > e.bytes/n {
		refuse("%d lines indented by %d bytes", len(all), n)
	}
	var b strings.Builder
	for i, line := range all {
		content := line.(string)
		if i > 0 {
			b.WriteByte('\n')
		}
		if (i == 0 && truth(firstToo)) || (i > 0 && (content != "" || truth(blank))) {
			b.WriteString(by)
		}
		b.WriteString(content)
	}
	e.spend(1, b.Len())
	return b.String(), a.most(3)
}

func replaceFilter(e *evaluator, v any, a *arguments) (any, error) {
	s, err := e.text(v)
	if err != nil {
		return nil, err
	}
	from, ok := a.get(0, "old")
	to, also := a.get(1, "new")
	if !ok || !also {
		return nil, errors.New("takes what to replace, and by what")
	}
	old, err := e.text(from)
	if err != nil {
		return nil, err
	}
	with, err := e.text(to)
	if err != nil {
		return nil, err
	}
	most := -1
	if count, ok := a.get(2, "count"); ok && count != nil {
		_, n, whole, _ := number(count)
		if !whole {
			return nil, errors.New("the count must be a whole number")
		}
		most = n
	}
	return e.replaceText(s, old, with, most), a.most(3)
}

// round is Python's round to a number of decimals, ceil or floor.
func round(_ *evaluator, v any, a *arguments) (any, error) {
	f, _, _, ok := number(v)
	precision, err := a.whole(0, "precision", 0)
	method, given := a.get(1, "method")
	if err = cmp.Or(err, requireDefined(v), a.most(2)); err != nil {
		return nil, err
	}
	if !ok || precision < 0 || precision > 15 || math.Abs(f) > 1e15 {
		return nil, errors.New("rounds numbers up to 10^15 to 0 to 15 decimals")
	}
	if _, i, whole, _ := number(v); whole && (!given || method == "common") {
		return i, nil
	}
	scale := math.Pow(10, float64(precision))
	switch {
	case !given || method == "common":
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
		return rounded, err
	case method == "ceil":
		return math.Ceil(f*scale) / scale, nil
	case method == "floor":
		return math.Floor(f*scale) / scale, nil
	}
	return nil, errors.New("the method must be common, ceil or floor")
}
