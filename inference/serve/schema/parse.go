package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-debate/parley/inference/serve/limits"
)

// node is a JSON value whose objects keep the order of their keys.
type node struct {
	keys   []string // of an object
	fields map[string]*node
	items  []*node // of an array
	text   string  // the value as JSON, if it is neither
	kind   byte    // '{', '[', or 0
}

func parse(raw []byte) (*node, error) {
	if err := limits.SchemaBytes.Check(len(raw), ""); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := read(d, 0)
	if err == nil && n.kind != '{' {
		err = errors.New("a schema must be an object")
	}
	return n, err
}

func read(d *json.Decoder, depth int) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if err := limits.SchemaDepth.Check(depth, ""); err != nil {
		return nil, err
	}
	n := &node{}
	delim, composed := token.(json.Delim)
	if !composed {
		n.text = encode(token)
		return n, nil
	}
	if n.kind = byte(delim); n.kind == '{' {
		n.fields = make(map[string]*node)
	}
	for d.More() {
		key := ""
		if n.kind == '{' {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			key = token.(string) // the decoder accepts nothing else
		}
		value, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		if n.kind == '[' {
			n.items = append(n.items, value)
			continue
		}
		if n.fields[key] != nil {
			return nil, fmt.Errorf("%q occurs twice", key)
		}
		n.keys, n.fields[key] = append(n.keys, key), value
	}
	_, err = d.Token()
	return n, err
}

// json returns the value as it is written in replies.
func (n *node) json() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	before := ""
	switch n.kind {
	case '{':
		b.WriteByte('{')
		for _, key := range n.keys {
			b.WriteString(before + encode(key) + ": ")
			n.fields[key].write(b)
			before = ", "
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for _, item := range n.items {
			b.WriteString(before)
			item.write(b)
			before = ", "
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.text)
	}
}

func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return ""
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// string returns the value if it is a string.
func (n *node) string() (text string, ok bool) {
	if n == nil || n.kind != 0 || len(n.text) == 0 || n.text[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal([]byte(n.text), &text) == nil
}

// whole returns the value if it is a whole number of a moderate size.
func (n *node) whole() (value int, ok bool) {
	const most = 1_000_000_000_000_000
	if n == nil || n.kind != 0 || json.Unmarshal([]byte(n.text), &value) != nil {
		return 0, false
	}
	return value, value >= -most && value <= most
}
