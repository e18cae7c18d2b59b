package jinja

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Values of templates are those of Python: nil is None; bool, int, float64 and string are what they are; and these.
type (
	// Dict is a mapping that keeps the order of its keys: texts, numbers, truth values and None.
	Dict struct{ pairs []Pair }

	// Pair is an entry of a Dict.
	Pair struct{ Key, Value any }

	// sequence is a list, or what Python has in the place of one.
	sequence struct {
		items []any
		kind  kind
	}

	// markup is a text behind the filter safe. It differs in what is added to it, which jinja2 escapes.
	markup string

	// undefined is what a name, an attribute or an element that is not there leads to.
	undefined struct{ what string }

	// namespace is an object whose attributes can be set.
	namespace struct{ Dict }

	// function is a macro, a method or a global function.
	function struct {
		name string
		call func(e *evaluator, a arguments) (any, error)
	}
)

type kind int

const (
	list kind = iota
	tuple
	numbers  // a range
	view     // of the keys, values or items of a mapping: it has a length and no elements by index
	iterator // has neither, and is always true
)

var kindNames = []string{"list", "tuple", "range", "view", "iterator"}

// NewDict returns a mapping with these entries. Of several with one key, the last has the value.
func NewDict(pairs ...Pair) *Dict {
	d := &Dict{}
	for _, p := range pairs {
		d.set(p.Key, p.Value)
	}
	return d
}

// Pairs returns the entries in their order.
func (d *Dict) Pairs() []Pair { return d.pairs }

// get returns the value of a key.
func (d *Dict) get(key any) (any, bool) {
	for _, p := range d.pairs {
		if sameKey(p.Key, key) {
			return p.Value, true
		}
	}
	return nil, false
}

func (d *Dict) set(key, value any) {
	for i := range d.pairs {
		if sameKey(d.pairs[i].Key, key) {
			d.pairs[i].Value = value
			return
		}
	}
	d.pairs = append(d.pairs, Pair{key, value})
}

// sameKey reports whether two keys are equal: numbers and truth values are if their values are.
func sameKey(a, b any) bool {
	x, _, _, ok := number(a)
	y, _, _, also := number(b)
	if ok || also {
		return ok && also && x == y
	}
	return isKey(a) && isKey(b) && a == b
}

// isKey reports whether a value can be a key.
func isKey(v any) bool {
	switch v.(type) {
	case nil, bool, int, float64, string:
		return true
	}
	return false
}

func listOf(items []any) *sequence     { return &sequence{items, list} }
func tupleOf(items ...any) *sequence   { return &sequence{items, tuple} }
func iteratorOf(items []any) *sequence { return &sequence{items, iterator} }

// plain returns a text that is marked safe as a text, and other values as they are.
func plain(v any) any {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return v
}

// typeName names the type of a value as Python does.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string, markup:
		return "str"
	case *Dict:
		return "dict"
	case *namespace:
		return "namespace"
	case *sequence:
		return kindNames[v.kind]
	case undefined:
		return "Undefined"
	case *function:
		return "function"
	}
	return fmt.Sprintf("%T", v)
}

// errUndefined returns the error of an operation on what is not there.
func errUndefined(u undefined) error { return fmt.Errorf("%s is undefined", u.what) }

// truth is Python's bool.
func truth(v any) bool {
	switch v := plain(v).(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *Dict:
		return len(v.pairs) > 0
	case *sequence:
		return v.kind == iterator || len(v.items) > 0
	}
	return true
}

// length is Python's len.
func length(v any) (int, error) {
	switch v := plain(v).(type) {
	case undefined:
		return 0, nil
	case string:
		return utf8.RuneCountInString(v), nil
	case *Dict:
		return len(v.pairs), nil
	case *sequence:
		if v.kind != iterator {
			return len(v.items), nil
		}
	}
	return 0, fmt.Errorf("%s has no length", typeName(v))
}

// elements returns what a loop over a value visits.
func elements(v any) ([]any, error) {
	switch v := plain(v).(type) {
	case undefined:
		return nil, nil
	case string:
		n := utf8.RuneCountInString(v)
		if n > stepsOfTemplate {
			refuse("a text of %d characters is taken apart", n)
		}
		items := make([]any, 0, n)
		for _, r := range v {
			items = append(items, string(r))
		}
		return items, nil
	case *Dict:
		return v.keys(), nil
	case *sequence:
		return v.items, nil
	}
	return nil, fmt.Errorf("%s cannot be iterated over", typeName(v))
}

func (d *Dict) keys() []any {
	items := make([]any, len(d.pairs))
	for i, p := range d.pairs {
		items[i] = p.Key
	}
	return items
}

func (d *Dict) values() []any {
	items := make([]any, len(d.pairs))
	for i, p := range d.pairs {
		items[i] = p.Value
	}
	return items
}

func (d *Dict) items() []any {
	items := make([]any, len(d.pairs))
	for i, p := range d.pairs {
		items[i] = tupleOf(p.Key, p.Value)
	}
	return items
}

// number returns a value as a number; whole tells that it is an int or a bool.
func number(v any) (f float64, i int, whole, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int:
		return float64(v), v, true, true
	case float64:
		return v, 0, false, true
	}
	return 0, 0, false, false
}

// equal is Python's ==.
func (e *evaluator) equal(a, b any) bool {
	e.spend(1, 0)
	a, b = plain(a), plain(b)
	if x, i, xWhole, ok := number(a); ok {
		y, k, yWhole, ok := number(b)
		return ok && (xWhole && yWhole && i == k || !(xWhole && yWhole) && x == y)
	}
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		e.spend(1+len(a)/64, 0)
		return ok && a == b
	case *sequence:
		b, ok := b.(*sequence)
		if !ok || a.kind != b.kind || a.kind == iterator {
			return a == b
		}
		return slices.EqualFunc(a.items, b.items, e.equal)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && e.equalMappings(a, b)
	case undefined:
		_, ok := b.(undefined)
		return ok
	}
	return a == b
}

func (e *evaluator) equalMappings(a, b *Dict) bool {
	return len(a.pairs) == len(b.pairs) && !slices.ContainsFunc(a.pairs, func(p Pair) bool {
		other, ok := b.get(p.Key)
		return !ok || !e.equal(p.Value, other)
	})
}

// compare orders two values: below 0, 0 or above 0. Only numbers, texts, and lists of these have an order.
func (e *evaluator) compare(a, b any) (int, error) {
	a, b = plain(a), plain(b)
	if x, i, xWhole, ok := number(a); ok {
		if y, k, yWhole, ok := number(b); ok {
			if xWhole && yWhole {
				return sign(i < k, i > k), nil
			}
			if math.IsNaN(x) || math.IsNaN(y) {
				return 0, errors.New("a number that is none has no order")
			}
			return sign(x < y, x > y), nil
		}
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			e.spend(1+min(len(x), len(y))/64, 0)
			return strings.Compare(x, y), nil
		}
	case *sequence:
		y, ok := b.(*sequence)
		if !ok || x.kind != y.kind || x.kind > tuple {
			break
		}
		for i := range min(len(x.items), len(y.items)) {
			if !e.equal(x.items[i], y.items[i]) {
				return e.compare(x.items[i], y.items[i])
			}
		}
		return len(x.items) - len(y.items), nil
	case undefined:
		return 0, errUndefined(x)
	}
	if u, ok := b.(undefined); ok {
		return 0, errUndefined(u)
	}
	return 0, fmt.Errorf("%s and %s have no order", typeName(a), typeName(b))
}

func sign(below, above bool) int {
	switch {
	case below:
		return -1
	case above:
		return 1
	}
	return 0
}

// text is Python's str.
func (e *evaluator) text(v any) (string, error) {
	switch v := plain(v).(type) {
	case string:
		return v, nil
	case undefined:
		return "", nil
	}
	return e.repr(v, 0)
}

// repr is Python's repr.
func (e *evaluator) repr(v any, depth int) (string, error) {
	if depth > deepestValue {
		refuse("values nested over %d deep", deepestValue)
	}
	e.spend(1, 0)
	switch v := v.(type) {
	case nil:
		return "None", nil
	case bool:
		if v {
			return "True", nil
		}
		return "False", nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return float(v), nil
	case string:
		e.spend(0, len(v))
		return quote(v), nil
	case undefined:
		return "Undefined", nil
	case *Dict:
		parts := make([]string, len(v.pairs))
		for i, p := range v.pairs {
			value, err := e.repr(p.Value, depth+1)
			if err != nil {
				return "", err
			}
			key, err := e.repr(p.Key, depth+1)
			if err != nil {
				return "", err
			}
			parts[i] = key + ": " + value
		}
		return e.joinParts("{", parts, "}"), nil
	case *sequence:
		return e.reprOf(v, depth)
	}
	return "", fmt.Errorf("a %s is no text", typeName(v))
}

func (e *evaluator) reprOf(s *sequence, depth int) (string, error) {
	if s.kind > tuple {
		return "", fmt.Errorf("a %s is no text: make it a list first", kindNames[s.kind])
	}
	parts := make([]string, len(s.items))
	for i, item := range s.items {
		text, err := e.repr(item, depth+1)
		if err != nil {
			return "", err
		}
		parts[i] = text
	}
	switch {
	case s.kind == list:
		return e.joinParts("[", parts, "]"), nil
	case len(parts) == 1:
		return e.joinParts("(", parts, ",)"), nil
	}
	return e.joinParts("(", parts, ")"), nil
}

func (e *evaluator) joinParts(open string, parts []string, shut string) string {
	text := open + strings.Join(parts, ", ") + shut
	e.spend(0, len(text))
	return text
}

// quote returns the repr of a text: in single quotes, unless it has some and no double ones.
func quote(text string) string {
	quote := '\''
	if strings.ContainsRune(text, '\'') && !strings.ContainsRune(text, '"') {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range text {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// float returns a number as Python's repr writes it.
func float(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")
	case size != 0 && (size < 1e-4 || size >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
