// Package schema turns JSON schemas into grammars (GBNF) whose sentences the schema accepts.
//
// A grammar can be narrower than its schema: keys come in the order of the schema, with ": " and ", " between, and
// properties that the schema does not name are left out. It is never wider: a keyword that cannot be obeyed is refused
// by name. Equal schemas give equal grammars, byte for byte.
package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/unknown"
)

// AnyObject is the grammar of any JSON object.
const AnyObject = `root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"
array ::= "[" ws (value ("," ws value)*)? ws "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f\x7f] | "\\" ["\\/bfnrt]
number ::= integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
ws ::= (" " | "\n" [ \t]{0,20})?
`

// parts are the rules that compiled schemas share. They are written where they are used.
var parts = map[string]string{
	"value":   `object | array | string | number | "true" | "false" | "null"`,
	"object":  `"{" (string ": " value (", " string ": " value)*)? "}"`,
	"array":   `"[" (value (", " value)*)? "]"`,
	"string":  `"\"" char* "\""`,
	"char":    `[^"\\\x00-\x1f\x7f] | "\\" ["\\/bfnrt]`,
	"number":  `integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?`,
	"integer": `"-"? ("0" | [1-9] [0-9]{0,15})`,
}

// repetitions is the highest count that llama.cpp accepts in a grammar.
const repetitions = 2000

// annotations are keywords that accept every value.
var annotations = []string{"title", "description", "default", "examples", "$schema", "$id", "$comment", "deprecated",
	"readOnly", "writeOnly", "$defs", "definitions"}

// keywords are those that are obeyed, by the type that they are for; "" is any.
var keywords = map[string][]string{
	"":        {"type", "enum", "const", "anyOf", "$ref", "nullable"},
	"object":  {"properties", "required", "additionalProperties"},
	"array":   {"items", "minItems", "maxItems"},
	"string":  {"minLength", "maxLength"},
	"integer": {"minimum", "maximum"},
}

// Compile returns the grammar of a schema.
func Compile(raw []byte) (string, error) {
	root, err := parse(raw)
	if err != nil {
		return "", err
	}
	c := &compiler{root: root, refs: map[string]string{}, used: map[string]bool{}}
	body, err := c.value(root, "#")
	if err != nil {
		return "", err
	}
	c.add("root", body)
	for done := 0; done < len(c.wanted); done++ {
		name := c.wanted[done]
		c.rules = append(c.rules, name+" ::= "+c.part(parts[name]))
	}
	return strings.Join(c.rules, "\n") + "\n", nil
}

// compiler collects rules.
type compiler struct {
	root   *node
	rules  []string
	refs   map[string]string // rule by reference
	used   map[string]bool   // parts
	wanted []string          // the same in order
}

func (c *compiler) add(name, body string) string {
	c.rules = append(c.rules, name+" ::= "+body)
	return name
}

// part notes the shared rules that an expression names, and returns the expression.
func (c *compiler) part(expression string) string {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		named := slices.Contains(strings.FieldsFunc(expression, func(r rune) bool { return r < 'a' || r > 'z' }), name)
		if named && !c.used[name] {
			c.used[name], c.wanted = true, append(c.wanted, name)
		}
	}
	return expression
}

// value returns an expression for the values that a schema accepts. at is where the schema stands, for errors.
func (c *compiler) value(n *node, at string) (string, error) {
	if n.kind != '{' {
		if n.text == "true" {
			return c.part("value"), nil
		}
		return "", fmt.Errorf("%s: must be an object", at)
	}
	types, err := c.types(n, at)
	if err != nil {
		return "", err
	}
	if err := check(n, types, at); err != nil {
		return "", err
	}
	for _, alone := range []struct {
		keyword string
		compile func(*node, string) (string, error)
	}{{"$ref", c.ref}, {"const", c.constant}, {"enum", c.enum}, {"anyOf", c.anyOf}} {
		if value := n.fields[alone.keyword]; value != nil {
			if err := lonely(n, alone.keyword, at); err != nil {
				return "", err
			}
			return alone.compile(value, at+"/"+alone.keyword)
		}
	}
	if len(types) == 0 {
		return c.part("value"), nil
	}
	var all []string
	for _, name := range types {
		one, err := c.typed(n, name, at)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return either(all), nil
}

func either(expressions []string) string {
	if len(expressions) == 1 {
		return expressions[0]
	}
	return "(" + strings.Join(expressions, " | ") + ")"
}

// types are the types that a schema names.
func (c *compiler) types(n *node, at string) (types []string, err error) {
	t := n.fields["type"]
	switch {
	case t == nil:
		if n.fields["properties"] != nil {
			types = []string{"object"}
		}
	case t.kind == '[':
		for _, item := range t.items {
			name, _ := item.string()
			types = append(types, name)
		}
	default:
		name, _ := t.string()
		types = []string{name}
	}
	known := []string{"object", "array", "string", "integer", "number", "boolean", "null"}
	for _, name := range types {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s/type: %w", at, unknown.Name("type", name, known))
		}
	}
	if v := n.fields["nullable"]; v != nil && v.text == "true" {
		types = append(types, "null")
	}
	return types, nil
}

// check refuses keywords that would not be obeyed.
func check(n *node, types []string, at string) error {
	all := slices.Clone(keywords[""])
	for _, name := range types {
		all = append(all, keywords[name]...)
	}
	for _, key := range n.keys {
		if !slices.Contains(all, key) && !slices.Contains(annotations, key) {
			return fmt.Errorf("%s: the keyword %q is not supported here", at, key)
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

// ref is the rule of a definition. A definition may refer to itself.
func (c *compiler) ref(n *node, at string) (string, error) {
	path, _ := n.string()
	if name := c.refs[path]; name != "" {
		return name, nil
	}
	target := c.root
	for _, key := range strings.Split(strings.TrimPrefix(path, "#"), "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if target = target.fields[key]; target == nil {
			break
		}
	}
	if !strings.HasPrefix(path, "#") || target == nil {
		return "", fmt.Errorf("%s: there is no %q in the schema", at, path)
	}
	name := fmt.Sprintf("ref-%d", len(c.refs)+1)
	c.refs[path] = name
	body, err := c.value(target, path)
	if err != nil {
		return "", err
	}
	return c.add(name, body), nil
}

func (c *compiler) constant(n *node, _ string) (string, error) { return literal(n.json()), nil }

func (c *compiler) enum(n *node, at string) (string, error) {
	var all []string
	for _, item := range n.items {
		if text := literal(item.json()); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s: at least one value is needed", at)
	}
	return either(all), nil
}

func (c *compiler) anyOf(n *node, at string) (string, error) {
	var all []string
	for i, item := range n.items {
		one, err := c.value(item, fmt.Sprintf("%s/%d", at, i))
		if err != nil {
			return "", err
		}
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s: at least one schema is needed", at)
	}
	return either(all), nil
}

// typed is an expression for the values of one type.
func (c *compiler) typed(n *node, name, at string) (string, error) {
	switch name {
	case "object":
		return c.object(n, at)
	case "array":
		return c.array(n, at)
	case "string":
		low, high, err := counts(n, "minLength", "maxLength", at)
		if err != nil || low == 0 && high < 0 {
			return c.part("string"), err
		}
		return c.part(`"\"" char` + times(low, high) + ` "\""`), nil
	case "integer":
		return c.integer(n, at)
	case "boolean":
		return `("true" | "false")`, nil
	case "null":
		return `"null"`, nil
	}
	return c.part(name), nil
}

// integer is a whole number, between two bounds if there are any.
func (c *compiler) integer(n *node, at string) (string, error) {
	low, high := n.fields["minimum"], n.fields["maximum"]
	if low == nil && high == nil {
		return c.part("integer"), nil
	}
	from, to := -999_999_999_999_999, 999_999_999_999_999
	for _, bound := range []struct {
		node *node
		to   *int
	}{{low, &from}, {high, &to}} {
		if bound.node == nil {
			continue
		}
		var ok bool
		if *bound.to, ok = bound.node.whole(); !ok {
			return "", fmt.Errorf("%s: minimum and maximum must be whole numbers of up to 15 digits", at)
		}
	}
	if from > to {
		return "", fmt.Errorf("%s: minimum %d is above maximum %d", at, from, to)
	}
	_, body, _ := strings.Cut(strings.TrimSpace(grammar.Number(from, to).String()), " ::= ")
	return "(" + body + ")", nil
}

// array is a list of values of one schema.
func (c *compiler) array(n *node, at string) (string, error) {
	low, high, err := counts(n, "minItems", "maxItems", at)
	if err != nil {
		return "", err
	}
	item := c.part("value")
	if items := n.fields["items"]; items != nil {
		if item, err = c.value(items, at+"/items"); err != nil {
			return "", err
		}
	}
	if high == 0 {
		return `"[]"`, nil
	}
	most := high - 1
	if high < 0 {
		most = -1
	}
	list := item + ` (", " ` + item + `)` + times(max(low, 1)-1, most)
	if low == 0 {
		list = "(" + list + ")?"
	}
	return `"[" ` + list + ` "]"`, nil
}

// counts are two keywords that bound a number of things; high is negative if there is no bound.
func counts(n *node, least, most, at string) (low, high int, err error) {
	high = -1
	for _, bound := range []struct {
		name string
		to   *int
	}{{least, &low}, {most, &high}} {
		value := n.fields[bound.name]
		if value == nil {
			continue
		}
		var ok bool
		if *bound.to, ok = value.whole(); !ok || *bound.to < 0 || *bound.to > repetitions {
			return 0, 0, fmt.Errorf("%s/%s: must be from 0 to %d", at, bound.name, repetitions)
		}
	}
	if high >= 0 && low > high {
		return 0, 0, fmt.Errorf("%s: %s %d is above %s %d", at, least, low, most, high)
	}
	return low, high, nil
}

func times(low, high int) string {
	switch {
	case high >= 0:
		return fmt.Sprintf("{%d,%d}", low, high)
	case low == 0:
		return "*"
	}
	return fmt.Sprintf("{%d,}", low)
}

// object is an object with the schema's properties in their order.
func (c *compiler) object(n *node, at string) (string, error) {
	properties, more := n.fields["properties"], n.fields["additionalProperties"]
	required, err := names(n.fields["required"], properties, at)
	if err != nil {
		return "", err
	}
	if properties == nil || len(properties.keys) == 0 {
		return c.mapping(more, at)
	}
	if more != nil && more.kind == '{' {
		return "", fmt.Errorf("%s/additionalProperties: a schema beside properties is not supported", at)
	}
	var list []property
	for _, key := range properties.keys {
		value, err := c.value(properties.fields[key], at+"/properties/"+key)
		if err != nil {
			return "", err
		}
		list = append(list, property{literal(encode(key)+": ") + " " + value, slices.Contains(required, key)})
	}
	return `"{" ` + members(list) + ` "}"`, nil
}

// mapping is an object whose keys the schema does not name.
func (c *compiler) mapping(more *node, at string) (string, error) {
	switch {
	case more == nil || more.text == "true":
		return c.part("object"), nil
	case more.text == "false":
		return `"{}"`, nil
	}
	value, err := c.value(more, at+"/additionalProperties")
	pair := c.part("string") + ` ": " ` + value
	return `"{" (` + pair + ` (", " ` + pair + `)*)? "}"`, err
}

type property struct {
	text     string // key and value
	required bool
}

// members are properties with commas between those that there are.
func members(list []property) string {
	first := slices.IndexFunc(list, func(p property) bool { return p.required })
	if first >= 0 {
		text := ""
		for i, p := range list {
			switch {
			case i < first:
				text += "(" + p.text + ` ", ")? `
			case i == first:
				text += p.text
			case p.required:
				text += ` ", " ` + p.text
			default:
				text += ` (", " ` + p.text + ")?"
			}
		}
		return text
	}
	var all []string // by the first that there is
	for i, p := range list {
		text := p.text
		for _, after := range list[i+1:] {
			text += ` (", " ` + after.text + ")?"
		}
		all = append(all, text)
	}
	return "(" + strings.Join(all, " | ") + ")?"
}

// names are required properties.
func names(n, properties *node, at string) (list []string, err error) {
	if n == nil {
		return nil, nil
	}
	for _, item := range n.items {
		name, ok := item.string()
		if !ok || properties == nil || properties.fields[name] == nil {
			return nil, fmt.Errorf("%s/required: %s is not among the properties", at, item.json())
		}
		list = append(list, name)
	}
	if n.kind != '[' {
		return nil, errors.New(at + "/required: must be a list")
	}
	return list, nil
}

// literal is an expression for exactly this text.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
