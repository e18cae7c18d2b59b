// Package grammar builds grammars in GBNF, llama.cpp's notation, for the replies that protocols ask for: one of several
// texts, numbers, JSON objects, points, rankings and approvals. A Value describes a reply; its String is the grammar.
// The package knows neither models nor debates.
//
// A reply that ends within its token limit is a sentence of its grammar, so that a parser of the same form accepts it;
// a reply that is cut off is the beginning of one. Grammars made here are finite and without recursion, and equal
// Values give equal grammars, byte for byte: a grammar is part of a generation's key.
package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Value describes a set of texts.
type Value struct {
	bare func(*rules) string // returns an expression for the text on its own
	json func(*rules) string // returns one for the text inside an object or a list
}

// String returns the grammar, whose first rule is "root".
func (v Value) String() string {
	r := &rules{names: make(map[string]string)}
	root := v.bare(r)
	return "root ::= " + root + "\n" + r.text.String()
}

// Choice is exactly one of these texts: yes. In objects and lists it is a JSON string.
func Choice(texts ...string) Value {
	var bare, quoted []string
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			bare, quoted = append(bare, literal(text)), append(quoted, literal(encode(text)))
		}
	}
	return oneOf(bare, quoted)
}

// oneOf joins expressions for alternatives.
func oneOf(bare, json []string) Value {
	return Value{
		bare: func(*rules) string { return strings.Join(bare, " | ") },
		json: func(r *rules) string { return r.name(strings.Join(json, " | ")) },
	}
}

// repetitions is the highest count that llama.cpp accepts in a grammar.
const repetitions = 2000

// Text is one line of 0 to maxChars characters (2,000 at most) without control characters. In objects and lists it is a
// JSON string, in which only quotation marks and backslashes are escaped.
func Text(maxChars int) Value {
	const plain, quoted = `\u00a0-\ud7ff\ue000-\U0010ffff`, `[ !#-\[\]-~`
	times := fmt.Sprintf("{0,%d}", min(maxChars, repetitions))
	return Value{
		bare: func(*rules) string { return "[ -~" + plain + "]" + times },
		json: func(r *rules) string {
			char := r.name(quoted + plain + `] | "\\" ["\\]`)
			return r.name(`"\"" ` + char + times + ` "\""`)
		},
	}
}

// Number is a whole number from one bound to the other, both included, without leading zeros: -7.
func Number(from, to int) Value {
	return oneOf(numbersBetween(from, to), numbersBetween(from, to))
}

// List is a JSON array of minItems to maxItems values (2,000 at most): ["a", "b"].
func List(item Value, minItems, maxItems int) Value {
	maxItems = min(maxItems, repetitions)
	return both(func(r *rules) string {
		if maxItems < 1 {
			return `"[]"`
		}
		one := item.json(r)
		items := fmt.Sprintf(`%s (", " %s){%d,%d}`, one, one, max(minItems, 1)-1, maxItems-1)
		if minItems < 1 {
			items = "(" + items + ")?"
		}
		return r.name(`"[" ` + items + ` "]"`)
	})
}

// Field is a key of an object and its value.
type Field struct {
	Name  string
	Value Value
}

// Object is a JSON object with exactly these keys in this order: {"answer": "(A)", "confidence": 80}.
func Object(fields ...Field) Value {
	return both(func(r *rules) string {
		parts, before := []string(nil), "{"
		for _, f := range fields {
			parts = append(parts, literal(before+encode(f.Name)+": "), f.Value.json(r))
			before = ", "
		}
		if len(fields) == 0 {
			return `"{}"`
		}
		return r.name(strings.Join(append(parts, `"}"`), " "))
	})
}

// both returns a Value that looks the same on its own and inside an object or a list.
func both(expression func(*rules) string) Value { return Value{bare: expression, json: expression} }

// rules collects the rules of a grammar other than its root. Rules with equal bodies share a name, which keeps grammars
// of nested values small.
type rules struct {
	names map[string]string // name by body
	text  strings.Builder
}

// name returns the name of the rule with this body, and adds the rule if it is new.
func (r *rules) name(body string) string {
	name, known := r.names[body]
	if !known {
		name = fmt.Sprintf("r%d", len(r.names)+1)
		r.names[body] = name
		fmt.Fprintf(&r.text, "%s ::= %s\n", name, body)
	}
	return name
}

// literal returns an expression for exactly this text.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// encode returns a text as a JSON string.
func encode(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // strings can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
