package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/serve/strict"
)

// typed is an expression for the values of one type.
func (c *compiler) typed(n *node, name, at string) (string, error) {
	switch name {
	case "object":
		return c.object(n, at)
	case "array":
		return c.array(n, at)
	case "string":
		if pattern := n.fields["pattern"]; pattern != nil {
			if n.fields["minLength"] != nil || n.fields["maxLength"] != nil {
				return "", fmt.Errorf("%s: minLength or maxLength beside pattern is not supported: write the length "+
					"into the pattern, such as {2,9}", at)
			}
			return c.pattern(pattern, at+"/pattern")
		}
		low, high, err := counts(n, "minLength", "maxLength", at)
		if err != nil || low == 0 && high < 0 {
			return c.part("string"), err
		}
		return c.part(`"\"" char` + times(low, high) + ` "\""`), nil
	case "integer":
		return c.integer(n, at)
	case "number":
		return c.number(n, at)
	case "boolean":
		return `("true" | "false")`, nil
	case "null":
		return `"null"`, nil
	}
	return c.part(name), nil
}

// integer is a whole number, between two bounds if there are any.
func (c *compiler) integer(n *node, at string) (string, error) {
	from, to, bounded := -mostWhole, mostWhole, false
	for _, bound := range []struct {
		keyword     string
		to          *int
		inner, side int // the nearest number that is accepted; 1 for an upper bound, -1 for a lower one
	}{{"minimum", &from, 0, -1}, {"exclusiveMinimum", &from, 1, -1}, {"maximum", &to, 0, 1},
		{"exclusiveMaximum", &to, -1, 1}} {
		value := n.fields[bound.keyword]
		if value == nil {
			continue
		}
		k, ok := value.whole()
		if !ok {
			return "", fmt.Errorf("%s/%s: must be a whole number of up to 15 digits, as the value is an integer",
				at, bound.keyword)
		}
		if k += bound.inner; bound.side*k < bound.side**bound.to {
			*bound.to = k
		}
		bounded = true
	}
	if !bounded {
		return c.part("integer"), nil
	}
	if from > to {
		return "", fmt.Errorf("%s: minimum %d is above maximum %d", at, from, to)
	}
	return "(" + wholeNumbers(from, to) + ")", nil
}

// array is a list of values of one schema.
func (c *compiler) array(n *node, at string) (string, error) {
	low, high, err := counts(n, "minItems", "maxItems", at)
	if err != nil {
		return "", err
	}
	defer c.selves.within("")()
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
	item = c.shared(item, 2)
	list := item + ` (", " ` + item + `)` + times(max(low, 1)-1, most)
	if low == 0 {
		list = "(" + list + ")?"
	}
	return `"[" ` + list + ` "]"`, nil
}

// counts reads two keywords that bound a number of things; high is negative if there is no bound.
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
	defer c.selves.within("")()
	properties, more := n.fields["properties"], n.fields["additionalProperties"]
	if properties != nil && properties.kind != '{' {
		return "", fmt.Errorf("%s/properties: must be an object", at)
	}
	required, err := names(n.fields["required"], properties, at)
	if err != nil {
		return "", err
	}
	if properties == nil || len(properties.keys) == 0 {
		return c.mapping(more, at)
	}
	switch {
	case more == nil || more.text == "true" || more.text == "false":
	case more.kind == '{':
		return "", fmt.Errorf("%s/additionalProperties: a schema beside properties is not supported", at)
	default:
		return "", fmt.Errorf("%s/additionalProperties: must be true, false or a schema", at)
	}
	var list []property
	for _, key := range properties.keys {
		name := literal(encode(key) + ": ")
		if err := c.spend(name); err != nil {
			return "", err
		}
		value, err := c.value(properties.fields[key], at+"/properties/"+strict.Short(key))
		if err != nil {
			return "", err
		}
		list = append(list, property{name + " " + value, required[key]})
	}
	return `"{" ` + c.members(list) + ` "}"`, nil
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
	if err != nil {
		return "", err
	}
	pair := c.shared(c.part("string")+` ": " `+value, 2)
	return `"{" (` + pair + ` (", " ` + pair + `)*)? "}"`, nil
}

type property struct {
	text     string // key and value
	required bool
}

// members are properties with commas between those that there are.
func (c *compiler) members(list []property) string {
	first := slices.IndexFunc(list, func(p property) bool { return p.required })
	if first < 0 {
		return c.optional(list)
	}
	var b strings.Builder
	for i, p := range list {
		switch {
		case i < first:
			b.WriteString("(" + p.text + ` ", ")? `)
		case i == first:
			b.WriteString(p.text)
		case p.required:
			b.WriteString(` ", " ` + p.text)
		default:
			b.WriteString(` (", " ` + p.text + ")?")
		}
	}
	return b.String()
}

// optional are properties of which none is required: an alternative for each that can be the first that there is, with
// those that may follow it. Where that would be long, each property is a rule, and so is what may follow it, which ends
// in what may follow the next one.
func (c *compiler) optional(list []property) string {
	bytes := 0
	for i, p := range list {
		bytes += (i + 1) * len(p.text)
	}
	var all []string // by the first that there is
	if bytes <= inline || len(list) == 1 {
		for i, p := range list {
			text := p.text
			for _, after := range list[i+1:] {
				text += ` (", " ` + after.text + ")?"
			}
			all = append(all, text)
		}
		return "(" + strings.Join(all, " | ") + ")?"
	}
	more := "" // what may follow
	for i, p := range slices.Backward(list) {
		c.hoisted++
		name := c.add(fmt.Sprintf("part-%d", c.hoisted), p.text)
		if all = append(all, name+more); i > 0 {
			more = " " + c.add(fmt.Sprintf("more-%d", c.hoisted), `(", " `+name+")?"+more)
		}
	}
	slices.Reverse(all)
	return "(" + strings.Join(all, " | ") + ")?"
}

// names are required properties.
func names(n, properties *node, at string) (all map[string]bool, err error) {
	if n == nil {
		return nil, nil
	}
	all = make(map[string]bool)
	for _, item := range n.items {
		name, ok := item.string()
		if !ok || properties == nil || properties.fields[name] == nil {
			return nil, fmt.Errorf("%s/required: %s is not among the properties", at, item.json())
		}
		if all[name] {
			return nil, fmt.Errorf("%s/required: %s occurs twice", at, item.json())
		}
		all[name] = true
	}
	if n.kind != '[' {
		return nil, errors.New(at + "/required: must be a list")
	}
	return all, nil
}

// literal is an expression for exactly this text.
