package jinja

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// json writes a value as Python's json.dumps does with ensure_ascii off, as transformers' filter tojson. Of indent
// blanks, none are written on one line if it is negative.
func (e *evaluator) json(v any, indent, depth int) (string, error) {
	if depth > deepestValue {
		refuse("values nested over %d deep", deepestValue)
	}
	e.spend(1, 0)
	switch v := plain(v).(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN", nil
		case math.IsInf(v, 1):
			return "Infinity", nil
		case math.IsInf(v, -1):
			return "-Infinity", nil
		}
		return float(v), nil
	case string:
		e.spend(0, len(v))
		return jsonText(v), nil
	case *Dict:
		return e.jsonObject(v, indent, depth)
	case *sequence:
		if v.kind > tuple {
			return "", fmt.Errorf("a %s is no JSON", kindNames[v.kind])
		}
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			text, err := e.json(item, indent, depth+1)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return e.jsonParts("[", parts, "]", indent, depth), nil
	}
	return "", fmt.Errorf("a %s is no JSON", typeName(v))
}

func (e *evaluator) jsonObject(d *Dict, indent, depth int) (string, error) {
	parts := make([]string, len(d.pairs))
	for i, p := range d.pairs {
		key, ok := p.Key.(string)
		if !ok {
			var err error
			if key, err = e.json(p.Key, indent, depth); err != nil {
				return "", err
			}
		}
		text, err := e.json(p.Value, indent, depth+1)
		if err != nil {
			return "", err
		}
		parts[i] = jsonText(key) + ": " + text
	}
	return e.jsonParts("{", parts, "}", indent, depth), nil
}

func (e *evaluator) jsonParts(open string, parts []string, shut string, indent, depth int) string {
	text := open + strings.Join(parts, ", ") + shut
	if indent >= 0 && len(parts) > 0 {
		if width := indent * (depth + 1); width > e.bytes/(len(parts)+1) {
			refuse("JSON indented by %d blanks", width)
		}
		line := "\n" + strings.Repeat(" ", indent*(depth+1))
		text = open + line + strings.Join(parts, ","+line) + "\n" + strings.Repeat(" ", indent*depth) + shut
	}
	e.spend(0, len(text))
	return text
}

// jsonText returns a text as JSON, with nothing escaped that need not be.
func jsonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			if r < ' ' {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

var errIndent = errors.New("tojson takes indent, ensure_ascii=False and nothing else")

// toJSON implements the filter tojson.
func toJSON(e *evaluator, v any, a *arguments) (any, error) {
	if ascii, ok := a.get(0, "ensure_ascii"); ok && truth(ascii) {
		return nil, errIndent
	}
	indent := -1
	if given, ok := a.get(1, "indent"); ok && given != nil {
		_, n, whole, _ := number(given)
		if !whole || n > 1<<16 {
			return nil, errIndent
		}
		indent = max(0, n)
	}
	if separators, ok := a.get(2, "separators"); ok && separators != nil {
		return nil, errIndent
	}
	if sorted, ok := a.get(3, "sort_keys"); ok && truth(sorted) {
		return nil, errIndent
	}
	return e.json(v, indent, 0)
}
