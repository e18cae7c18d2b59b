package schema

import (
	"fmt"
	"slices"
	"strings"
)

// annotations are keywords that accept every value.
var annotations = []string{"title", "description", "default", "examples", "$schema", "$id", "$comment", "deprecated",
	"readOnly", "writeOnly", "$defs", "definitions"}

// keywords are those that are obeyed, by the type that they are for; "" is any.
var keywords = map[string][]string{
	"":        {"type", "enum", "const", "anyOf", "$ref"},
	"object":  {"properties", "required", "additionalProperties"},
	"array":   {"items", "minItems", "maxItems"},
	"string":  {"minLength", "maxLength", "pattern"},
	"integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
	"number":  {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
}

// instead says what to write for keywords of other languages than JSON schema.
var instead = map[string]string{"nullable": `: write "type": ["string", "null"], or whichever type it is`}

// check refuses keywords that would not be obeyed.
func check(n *node, types []string, at string) error {
	all := slices.Clone(keywords[""])
	for _, name := range types {
		all = append(all, keywords[name]...)
	}
	for _, key := range n.keys {
		if !slices.Contains(all, key) && !slices.Contains(annotations, key) {
			return fmt.Errorf("%s: the keyword %q is not supported here%s", at, key, instead[key])
		}
	}
	return nil
}

// lonely refuses keywords beside one that says everything; a type beside it is allowed where it cannot contradict.
func lonely(n *node, keyword, at string) error {
	for _, key := range n.keys {
		beside := key == "type" && (keyword == "enum" || keyword == "const")
		if key != keyword && !beside && !slices.Contains(annotations, key) {
			return fmt.Errorf("%s: %q beside %q is not supported", at, key, keyword)
		}
	}
	if keyword == "enum" || keyword == "const" {
		return fitting(n, keyword, at)
	}
	return nil
}

// fitting refuses values of an enum that are not of the type beside it: the schema would not accept them.
func fitting(n *node, keyword, at string) error {
	c := compiler{}
	types, err := c.types(n, at)
	if err != nil || len(types) == 0 {
		return err
	}
	values := n.fields[keyword].items
	if keyword == "const" {
		values = []*node{n.fields[keyword]}
	}
	for _, v := range values {
		kind := v.typeName()
		if !slices.Contains(types, kind) && !(kind == "integer" && slices.Contains(types, "number")) {
			return fmt.Errorf("%s/%s: %s is not of type %s", at, keyword, v.json(), strings.Join(types, " or "))
		}
	}
	return nil
}

func (n *node) typeName() string {
	switch {
	case n.kind == '{':
		return "object"
	case n.kind == '[':
		return "array"
	case strings.HasPrefix(n.text, `"`):
		return "string"
	case n.text == "true" || n.text == "false":
		return "boolean"
	case n.text == "null":
		return "null"
	case strings.ContainsAny(n.text, ".eE"):
		return "number"
	}
	return "integer"
}
