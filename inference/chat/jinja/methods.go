package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// get returns an argument by its place or its name.
func (a *arguments) get(at int, name string) (any, bool) {
	if v, ok := a.take(name); ok {
		return v, true
	}
	if at < len(a.values) {
		return a.values[at], true
	}
	return nil, false
}

// most returns an error if there are more arguments without names.
func (a *arguments) most(n int) error {
	if len(a.values) > n {
		return fmt.Errorf("%d arguments, where at most %d are known", len(a.values), n)
	}
	return nil
}

// string returns an argument that must be a text.
func (a *arguments) string(at int, name string) (string, error) {
	v, ok := a.get(at, name)
	text, is := v.(string)
	if !ok || !is {
		return "", fmt.Errorf("the argument %s must be a text", name)
	}
	return text, nil
}

// whole returns an argument that must be a whole number, or the fallback if it is not given.
func (a *arguments) whole(at int, name string, fallback int) (int, error) {
	v, ok := a.get(at, name)
	if !ok {
		return fallback, nil
	}
	_, n, whole, _ := number(v)
	if !whole {
		return 0, fmt.Errorf("the argument %s must be a whole number", name)
	}
	return n, nil
}

var mappingMethods = map[string]func(e *evaluator, self *Dict, a *arguments) (any, error){
	"keys": func(e *evaluator, d *Dict, a *arguments) (any, error) {
		e.spend(len(d.pairs), 0)
		return &sequence{d.keys(), view}, a.most(0)
	},
	"values": func(e *evaluator, d *Dict, a *arguments) (any, error) {
		e.spend(len(d.pairs), 0)
		return &sequence{d.values(), view}, a.most(0)
	},
	"items": func(e *evaluator, d *Dict, a *arguments) (any, error) {
		e.spend(2*len(d.pairs), 0)
		return &sequence{d.items(), view}, a.most(0)
	},
	"get": func(e *evaluator, d *Dict, a *arguments) (any, error) {
		if len(a.values) == 0 || len(a.values) > 2 || !isKey(a.values[0]) {
			return nil, errors.New("takes a key, and perhaps what stands for one that is not there")
		}
		e.spend(1+len(d.pairs)/16, 0)
		if v, ok := d.get(a.values[0]); ok {
			return v, nil
		}
		if len(a.values) == 2 {
			return a.values[1], nil
		}
		return nil, nil
	},
}

var listMethods = map[string]func(e *evaluator, self *sequence, a *arguments) (any, error){
	"index": func(e *evaluator, s *sequence, a *arguments) (any, error) {
		if len(a.values) != 1 {
			return nil, errors.New("takes one value")
		}
		i := slices.IndexFunc(s.items, func(v any) bool { return e.equal(v, a.values[0]) })
		if i < 0 {
			return nil, errors.New("the value is not in the list")
		}
		return i, nil
	},
	"count": func(e *evaluator, s *sequence, a *arguments) (any, error) {
		if len(a.values) != 1 {
			return nil, errors.New("takes one value")
		}
		n := 0
		for _, v := range s.items {
			if e.equal(v, a.values[0]) {
				n++
			}
		}
		return n, nil
	},
}

type textMethod = func(e *evaluator, self string, a *arguments) (any, error)

var textMethods map[string]textMethod

func init() {
	textMethods = map[string]textMethod{
		"split":  func(e *evaluator, s string, a *arguments) (any, error) { return split(e, s, a, false) },
		"rsplit": func(e *evaluator, s string, a *arguments) (any, error) { return split(e, s, a, true) },
		"strip":  stripping(strings.TrimFunc), "lstrip": stripping(strings.TrimLeftFunc),
		"rstrip":  stripping(strings.TrimRightFunc),
		"replace": replacing, "format": formatting, "join": joining, "splitlines": lines,
		"find": finding(strings.Index), "rfind": finding(strings.LastIndex),
		"count":      counting,
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"removeprefix": without(strings.TrimPrefix), "removesuffix": without(strings.TrimSuffix),
		"partition": parting(strings.Index, false), "rpartition": parting(strings.LastIndex, true),
		"upper": changeCase(upper), "lower": changeCase(lower), "capitalize": changeCase(capitalize),
		"title":   wordwise(toTitle),
		"isalpha": judge(isAlpha), "isspace": judge(func(r rune) (bool, bool) { return IsSpace(r), true }),
		"isdecimal": judge(func(r rune) (bool, bool) { return unicode.Is(unicode.Nd, r), true }),
		"isdigit":   judge(isDigit), "isnumeric": judge(isDigit), "isalnum": judge(isAlnum),
		"isascii": func(_ *evaluator, s string, a *arguments) (any, error) {
			return isASCII(s), a.most(0)
		},
		"isupper": casing(uppercase), "islower": casing(lowercase), "istitle": titleCased,
	}
}

// IsSpace reports whether Python's str.isspace holds of a rune: that of Go's white space and of four separators.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }

// split is Python's split, or its rsplit.
func split(e *evaluator, s string, a *arguments, fromRight bool) (any, error) {
	sep, _ := a.get(0, "sep")
	most, err := a.whole(1, "maxsplit", -1)
	if err == nil {
		err = a.most(2)
	}
	if err != nil {
		return nil, err
	}
	e.spend(1+len(s)/16, len(s))
	var parts []string
	switch sep := sep.(type) {
	case nil:
		e.spend(words(s), 0)
		parts = fields(s, most, fromRight)
	case string:
		if sep == "" {
			return nil, errors.New("an empty separator")
		}
		e.spend(strings.Count(s, sep), 0)
		parts = cut(s, sep, most, fromRight)
	default:
		return nil, errors.New("the separator must be a text")
	}
	items := make([]any, len(parts))
	for i, part := range parts {
		items[i] = part
	}
	e.spend(len(items), 0)
	return listOf(items), nil
}

func cut(s, sep string, most int, fromRight bool) []string {
	if most < 0 {
		return strings.Split(s, sep)
	}
	if !fromRight {
		return strings.SplitN(s, sep, most+1)
	}
	var parts []string
	for ; most > 0; most-- {
		at := strings.LastIndex(s, sep)
		if at < 0 {
			break
		}
		parts, s = append(parts, s[at+len(sep):]), s[:at]
	}
	parts = append(parts, s)
	slices.Reverse(parts)
	return parts
}

// words counts the parts of a text between white space.
func words(s string) (n int) {
	inside := false
	for _, r := range s {
		space := IsSpace(r)
		if !space && !inside {
			n++
		}
		inside = !space
	}
	return n
}

// fields returns the parts of a text between white space.
func fields(s string, most int, fromRight bool) (parts []string) {
	if most < 0 {
		return strings.FieldsFunc(s, IsSpace)
	}
	trim, find := strings.TrimLeftFunc, strings.IndexFunc
	if fromRight {
		trim, find = strings.TrimRightFunc, strings.LastIndexFunc
	}
	for s = trim(s, IsSpace); s != ""; s = trim(s, IsSpace) {
		at := find(s, IsSpace)
		switch {
		case most == 0:
			parts, s = append(parts, s), ""
		case at < 0:
			parts, s = append(parts, s), ""
		case fromRight:
			_, width := utf8.DecodeRuneInString(s[at:])
			parts, s = append(parts, s[at+width:]), s[:at]
		default:
			parts, s = append(parts, s[:at]), s[at:]
		}
		most--
	}
	if fromRight {
		slices.Reverse(parts)
	}
	return parts
}

func stripping(trim func(string, func(rune) bool) string) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		e.spend(1+len(s)/64, 0)
		chars, given := a.get(0, "chars")
		if err := a.most(1); err != nil || !given || chars == nil {
			return trim(s, IsSpace), err
		}
		set, ok := chars.(string)
		if !ok {
			return nil, errors.New("the characters must be a text")
		}
		e.spend(len(s)*len(set)/64, 0)
		return trim(s, func(r rune) bool { return strings.ContainsRune(set, r) }), nil
	}
}

func replacing(e *evaluator, s string, a *arguments) (any, error) {
	from, err := a.string(0, "old")
	if err != nil {
		return nil, err
	}
	to, err := a.string(1, "new")
	if err != nil {
		return nil, err
	}
	most, err := a.whole(2, "count", -1)
	if err != nil {
		return nil, err
	}
	return e.replaceText(s, from, to, most), a.most(3)
}

// replaceText replaces the first occurrences of a text, all if most is below 0.
func (e *evaluator) replaceText(s, from, to string, most int) string {
	n := strings.Count(s, from)
	if added := len(to) - len(from); added > 0 && n > e.bytes/added {
		refuse("a text that grows by %d bytes %d times", added, n)
	}
	text := strings.Replace(s, from, to, most)
	e.spend(1+len(s)/64, len(text))
	return text
}

// formatting is Python's format for fields without a name or a format, {}, and for numbered ones, {0}.
func formatting(e *evaluator, s string, a *arguments) (any, error) {
	var b strings.Builder
	next := 0
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:at])
		if s = s[at:]; strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "}}") {
			b.WriteByte(s[0])
			s = s[2:]
			continue
		}
		shut := strings.IndexByte(s, '}')
		if s[0] == '}' || shut < 0 {
			return nil, errors.New("a bracket of a format that stands alone")
		}
		field := s[1:shut]
		s = s[shut+1:]
		at = next
		if field == "" {
			next++
		} else if len(field) > 1 || field[0] < '0' || field[0] > '9' {
			return nil, fmt.Errorf("format knows fields without a name, and not {%.20s}", field)
		} else {
			at = int(field[0] - '0')
		}
		if at >= len(a.values) {
			return nil, errors.New("format has more fields than values")
		}
		text, err := e.text(a.values[at])
		if err != nil {
			return nil, err
		}
		e.spend(1, len(text))
		b.WriteString(text)
	}
	e.spend(1, b.Len())
	return b.String(), nil
}

func joining(e *evaluator, s string, a *arguments) (any, error) {
	if len(a.values) != 1 {
		return nil, errors.New("takes one list")
	}
	items, err := elements(a.values[0])
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%s among the texts to join", typeName(item))
		}
		e.spend(1, len(text)+len(s))
		parts[i] = text
	}
	return strings.Join(parts, s), nil
}

// lines returns the lines of a text without their ends.
func lines(e *evaluator, s string, a *arguments) (any, error) {
	keep, _ := a.get(0, "keepends")
	items := []any{}
	for s != "" {
		end := strings.IndexFunc(s,
			func(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) })
		if end < 0 {
			end = len(s)
		}
		next := end
		if next < len(s) {
			_, width := utf8.DecodeRuneInString(s[next:])
			next += width
			if strings.HasPrefix(s[end:], "\r\n") {
				next = end + 2
			}
		}
		e.spend(1, next)
		if truth(keep) {
			end = next
		}
		items, s = append(items, s[:end]), s[next:]
	}
	return listOf(items), a.most(1)
}

func finding(find func(s, part string) int) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		e.spend(1+len(s)/64, 0)
		part, err := a.string(0, "sub")
		if err == nil {
			err = a.most(1)
		}
		at := find(s, part)
		if at > 0 {
			at = len([]rune(s[:at]))
		}
		return at, err
	}
}

func counting(e *evaluator, s string, a *arguments) (any, error) {
	e.spend(1+len(s)/64, 0)
	part, err := a.string(0, "sub")
	if err == nil {
		err = a.most(1)
	}
	return strings.Count(s, part), err
}

func affix(has func(s, part string) bool) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		e.spend(1, 0)
		if len(a.values) != 1 {
			return nil, errors.New("takes one text, or a tuple of texts")
		}
		parts := a.values
		if several, ok := parts[0].(*sequence); ok && several.kind == tuple {
			parts = several.items
		}
		for _, v := range parts {
			part, ok := v.(string)
			if !ok {
				return nil, errors.New("takes one text, or a tuple of texts")
			}
			if has(s, part) {
				return true, nil
			}
		}
		return false, nil
	}
}

func without(trim func(s, part string) string) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		part, err := a.string(0, "affix")
		if err == nil {
			err = a.most(1)
		}
		return trim(s, part), err
	}
}

func parting(find func(s, sep string) int, last bool) textMethod {
	return func(e *evaluator, s string, a *arguments) (any, error) {
		sep, err := a.string(0, "sep")
		switch at := find(s, sep); {
		case err != nil:
			return nil, err
		case sep == "":
			return nil, errors.New("an empty separator")
		case at >= 0:
			e.spend(3, len(s))
			return tupleOf(s[:at], sep, s[at+len(sep):]), a.most(1)
		case last:
			return tupleOf("", "", s), a.most(1)
		}
		return tupleOf(s, "", ""), a.most(1)
	}
}
