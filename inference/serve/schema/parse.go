package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// node is a JSON value whose objects keep the order of their keys.
type node struct {
	keys   []string // of an object
	fields map[string]*node
	items  []*node // of an array
	text   string  // the value as JSON, if it is neither
	kind   byte    // '{', '[', or 0
}

// deepest is how deep a schema may be nested.
const deepest = 64

// largest is how many bytes a schema may have.
const largest = 256 << 10

func parse(raw []byte) (*node, error) {
	if len(raw) > largest {
		return nil, fmt.Errorf("%d bytes: a schema may have up to %d", len(raw), largest)
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
	if depth > deepest {
		return nil, fmt.Errorf("nested over %d deep", deepest)
	}
	n := &node{fields: map[string]*node{}}
	delim, composed := token.(json.Delim)
	if !composed {
		n.text = encode(token)
		return n, nil
	}
	n.kind = byte(delim)
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
	text, before := "", ""
	switch n.kind {
	case '{':
		for _, key := range n.keys {
			text, before = text+before+encode(key)+": "+n.fields[key].json(), ", "
		}
		return "{" + text + "}"
	case '[':
		for _, item := range n.items {
			text, before = text+before+item.json(), ", "
		}
		return "[" + text + "]"
	}
	return n.text
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
