package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

// Pairs are names with values, in the order of the file.
type Pairs []Pair

// Pair is a name with its value.
type Pair struct {
	Name  string
	Value any
}

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (p *Pairs) UnmarshalYAML(unmarshal func(any) error) error {
	var items yaml.MapSlice
	if err := unmarshal(&items); err != nil {
		return err
	}
	for _, item := range items {
		*p = append(*p, Pair{fmt.Sprint(item.Key), item.Value})
	}
	return nil
}

// MarshalYAML implements yaml.InterfaceMarshaler.
func (p Pairs) MarshalYAML() (any, error) {
	var items yaml.MapSlice
	for _, pair := range p {
		items = append(items, yaml.MapItem{Key: pair.Name, Value: pair.Value})
	}
	return items, nil
}

// MarshalJSON writes an object in the same order.
func (p Pairs) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, pair := range p {
		value, err := json.Marshal(pair.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pair.Name, err)
		}
		name, _ := json.Marshal(pair.Name) // a string
		fmt.Fprintf(&b, "%c%s:%s", "{,"[min(i, 1)], name, value)
	}
	if len(p) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// without returns the list without the pairs of some names.
func (p Pairs) without(names ...string) Pairs {
	return slices.DeleteFunc(slices.Clone(p), func(item Pair) bool { return slices.Contains(names, item.Name) })
}

// with returns the list with the pairs of over, which replace pairs of the same names or are appended.
func (p Pairs) with(over Pairs) Pairs {
	out := slices.Clone(p)
	for _, pair := range over {
		if i := slices.IndexFunc(out, func(o Pair) bool { return o.Name == pair.Name }); i >= 0 {
			out[i] = pair
		} else {
			out = append(out, pair)
		}
	}
	return out
}
