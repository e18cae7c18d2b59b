// Package schema turns JSON schemas into grammars (GBNF) whose sentences the schema accepts.
//
// A grammar can be narrower than its schema: keys come in the order of the schema, with ": " and ", " between, and
// properties that the schema does not name are left out. It is never wider: a keyword that cannot be obeyed is refused
// by name. Equal schemas give equal grammars, byte for byte.
package schema

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/internal/unknown"
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

// Compile returns the grammar of a schema. It gives up when ctx ends, or as soon as the grammar is certain to have more
// than limits.Grammar says.
func Compile(ctx context.Context, raw []byte) (string, error) { return Within(ctx, "", raw, "") }

// Within returns the grammar of a value that a schema accepts, between two texts.
func Within(ctx context.Context, before string, raw []byte, after string) (string, error) {
	root, err := parse(raw)
	if err != nil {
		return "", err
	}
	c := &compiler{ctx: ctx, root: root, refs: map[string]string{}, used: map[string]bool{},
		selves: selves{targets: map[string]*node{}, first: map[string][]string{}}}
	body, err := c.value(root, "#")
	if err == nil {
		err = c.selves.check(root)
	}
	if err != nil {
		return "", err
	}
	if before+after != "" {
		body = literal(before) + " (" + body + ") " + literal(after)
	}
	c.add("root", body)
	for done := 0; done < len(c.wanted); done++ {
		name := c.wanted[done]
		c.rules = append(c.rules, name+" ::= "+c.part(parts[name]))
	}
	text := strings.Join(c.rules, "\n") + "\n"
	if err := limits.Grammar.Check(len(text), ""); err != nil {
		return "", err
	}
	return text, nil
}

// compiler collects rules.
type compiler struct {
	ctx     context.Context
	root    *node
	spent   int // bytes of the expressions that have no parts
	rules   []string
	refs    map[string]string // rule by reference
	used    map[string]bool   // parts
	wanted  []string          // the same in order
	hoisted int               // rules of what would be written several times
	selves  selves
}

func (c *compiler) add(name, body string) string {
	c.rules = append(c.rules, name+" ::= "+body)
	return name
}

// spend counts the bytes of an expression without parts. Each of them is in the grammar at least once, so that the
// schema is refused before anything is made of more of them than a grammar may have.
func (c *compiler) spend(expression string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.spent += len(expression)
	return limits.Grammar.Check(c.spent, "")
}

// inline is how many bytes an object or a list may have, in all places together, that are written more than once: the
// parts of longer ones are rules. A grammar is so at most a constant times as long as its schema, and those of small
// schemas read well. It never changes: seeds are hashed from grammars, among other things.
const inline = 512

// shared returns an expression that may be written several times: a rule, unless all of that has few bytes.
func (c *compiler) shared(expression string, times int) string {
	if times*len(expression) <= inline {
		return expression
	}
	c.hoisted++
	return c.add(fmt.Sprintf("part-%d", c.hoisted), expression)
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
			return c.part("value"), c.spend("value")
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
		return c.part("value"), c.spend("value")
	}
	var all []string
	for _, name := range types {
		one, err := c.typed(n, name, at)
		if err == nil && name != "object" && name != "array" {
			err = c.spend(one)
		}
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

// types returns the types that a schema names.
func (c *compiler) types(n *node, at string) (types []string, err error) {
	t := n.fields["type"]
	switch {
	case t == nil:
		if n.fields["properties"] != nil {
			types = []string{"object"}
		}
	case t.kind == '[':
		for _, item := range t.items {
			if name, _ := item.string(); !slices.Contains(types, name) {
				types = append(types, name)
			}
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
	return types, nil
}

// ref returns the rule of a definition. A definition may refer to itself.
func (c *compiler) ref(n *node, at string) (string, error) {
	path, _ := n.string()
	c.selves.refer(path)
	if name := c.refs[path]; name != "" {
		return name, c.spend(name)
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
	defer c.selves.within(path)()
	body, err := c.value(target, path)
	c.selves.done(path, target)
	if err != nil {
		return "", err
	}
	return c.add(name, body), nil
}

func (c *compiler) constant(n *node, _ string) (string, error) {
	text := literal(n.json())
	return text, c.spend(text)
}

func (c *compiler) enum(n *node, at string) (string, error) {
	var all []string
	seen := make(map[string]bool)
	for _, item := range n.items {
		text := literal(item.json())
		if seen[text] {
			continue
		}
		if err := c.spend(text); err != nil {
			return "", err
		}
		seen[text], all = true, append(all, text)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s: at least one value is needed", at)
	}
	return either(all), nil
}

func (c *compiler) anyOf(n *node, at string) (string, error) {
	var all []string
	seen := make(map[string]bool)
	for i, item := range n.items {
		one, err := c.value(item, fmt.Sprintf("%s/%d", at, i))
		if err != nil {
			return "", err
		}
		if !seen[one] {
			seen[one], all = true, append(all, one)
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s: at least one schema is needed", at)
	}
	return either(all), nil
}

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
