package experiment

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// Schema returns the JSON schema (draft 2020-12) of experiment files, for editors. It knows all names and ranges of a
// file; contradictions are found only by Parse.
//
// It is made from the structures that files are read into: names stand in their tag yaml, descriptions in doc, and what
// a value can be in schema, as words: required, range=NAME and enum=NAME (of the lists below), low=N, high=N, and
// as=NAME for what is no plain number, text or list. A field with schema:"-" is not offered.
func Schema() map[string]any {
	definitions := map[string]any{
		"settings": object(nil, settings(func(value map[string]any) map[string]any { return value })),
		"sweep":    object(nil, settings(sweepSchema)),
		"member":   structure(reflect.TypeFor[debate.Member]()),
	}
	for t, name := range definitionOf {
		definitions[name] = structure(t)
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Parley experiment",
		"$ref":    "#/$defs/experiment",
		"$defs":   definitions,
	}
}

// definitionOf names the structures with definitions of their own. Others stand where they are used.
var definitionOf = map[reflect.Type]string{
	reflect.TypeFor[Experiment](): "experiment", reflect.TypeFor[Task](): "task",
	reflect.TypeFor[Condition](): "condition", reflect.TypeFor[inference.Chosen](): "sampling",
	reflect.TypeFor[Published](): "published", reflect.TypeFor[Small](): "small",
	reflect.TypeFor[task.Columns](): "columns",
}

// rangeOf is the range that a tag names.
var rangeOf = map[string]bounds.Range{
	"repeats": trial.RepeatsRange, "equivalence": spec.DifferenceRange, "max-tokens": inference.MaxTokensRange,
	"puzzles": task.PuzzlesRange, "objects": task.ObjectsRange,
	"players": puzzle.PlayersRange, "spies": puzzle.SpiesRange, "hints": puzzle.HintsRange,
}

// valuesOf lists the values that a tag names.
var valuesOf = map[string]func() []string{
	"reasoning": func() []string { return debate.ReasoningModes }, "families": families, "rules": answer.Names,
	"ways": task.Ways, "outcomes": fitOutcomes,
}

// shapes are what a tag names that is no plain number, text or list.
var shapes = map[string]func(about string, words map[string]string) map[string]any{
	"settings": func(string, map[string]string) map[string]any { return ref("settings") },
	"sweep":    func(string, map[string]string) map[string]any { return ref("sweep") },
	"rows": func(string, map[string]string) map[string]any {
		return list(map[string]any{"type": "object"})
	},
	"wordings": func(string, map[string]string) map[string]any { return object(nil, wordings()) },
	"numbers":  func(string, map[string]string) map[string]any { return each(map[string]any{"type": "number"}) },
	"models": func(about string, _ map[string]string) map[string]any {
		return describe(each(map[string]any{"type": []string{"string", "null"}}), about)
	},
	"coefficients": func(about string, _ map[string]string) map[string]any {
		return describe(each(map[string]any{"type": "array", "items": map[string]any{"type": "number"},
			"minItems": 2, "maxItems": 2}), about)
	},
	"protocol": func(about string, _ map[string]string) map[string]any {
		return describe(map[string]any{"type": "string"}, about+": "+strings.Join(protocolNames(), ", "))
	},
	"choices": func(about string, _ map[string]string) map[string]any {
		one := describe(map[string]any{"type": "string"}, "column with the list of choices")
		more := list(map[string]any{"type": "string", "description": ""})
		return describe(map[string]any{"anyOf": []any{one, more}}, about)
	},
	"swept": func(about string, words map[string]string) map[string]any {
		return sweepSchema(describe(numeric("integer", words), about))
	},
	"measure": func(about string, _ map[string]string) map[string]any {
		return describe(map[string]any{"anyOf": []any{map[string]any{"enum": analysis.MeasureNames()},
			map[string]any{"type": "string", "pattern": `^decided-in-turn-[1-9][0-9]*$`}}}, about)
	},
}

// structure describes the fields of a structure.
func structure(t reflect.Type) map[string]any {
	var required []string
	p := make(properties)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		words := schemaWords(f.Tag.Get("schema"))
		if _, skipped := words["-"]; skipped || !f.IsExported() || name == "-" {
			continue
		}
		if options == "inline" {
			for name, value := range structure(f.Type)["properties"].(map[string]any) {
				p[name] = value
			}
			continue
		}
		p[name] = describe(value(f.Type, words, f.Tag.Get("doc")), f.Tag.Get("doc"))
		if parameter, ok := inference.ParameterNamed(name); ok && t == reflect.TypeFor[inference.Chosen]() {
			p[name] = sampled(f.Type.Elem(), parameter)
		}
		if _, must := words["required"]; must {
			required = append(required, name)
		}
	}
	return object(required, p)
}

// sampled describes a parameter of sampling.
func sampled(t reflect.Type, p inference.Parameter) map[string]any {
	return describe(within(value(t, nil, ""), p.Range), p.Doc)
}

// schemaWords reads the tag schema: words, and words with values.
func schemaWords(tag string) map[string]string {
	words := make(map[string]string)
	for _, word := range strings.Fields(tag) {
		name, value, _ := strings.Cut(word, "=")
		words[name] = value
	}
	return words
}

// value describes what a field can be.
func value(t reflect.Type, words map[string]string, about string) map[string]any {
	if shape := shapes[words["as"]]; shape != nil {
		return shape(about, words)
	}
	if values := valuesOf[words["enum"]]; values != nil {
		return map[string]any{"enum": values()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return value(t.Elem(), words, about)
	case reflect.Slice:
		return list(describe(value(t.Elem(), words, about), about))
	case reflect.Struct:
		if name := definitionOf[t]; name != "" {
			return ref(name)
		}
		return structure(t)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return numeric("number", words)
	}
	return numeric("integer", words)
}

// numeric describes a number with its bounds. A whole one without any is at least 0.
func numeric(kind string, words map[string]string) map[string]any {
	n := map[string]any{"type": kind}
	if r, ok := rangeOf[words["range"]]; ok {
		if len(r.Only) > 0 {
			return map[string]any{"enum": r.Only}
		}
		return within(n, r)
	}
	if kind == "integer" {
		n["minimum"] = 0
	}
	for word, name := range map[string]string{"low": "minimum", "high": "maximum"} {
		if text, ok := words[word]; ok {
			n[name] = bound(text)
		}
	}
	return n
}

// bound reads a bound of a tag.
func bound(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("tag schema: %q is no number", text)) // a mistake in this package
	}
	return n
}

// describe adds a description, unless the value has one, refers to one, or describes what is in it.
func describe(value map[string]any, about string) map[string]any {
	for _, has := range []string{"description", "$ref", "items", "oneOf"} {
		if _, ok := value[has]; ok {
			return value
		}
	}
	if about != "" {
		value["description"] = about
	}
	return value
}

// each describes an object whose fields have names that are not known.
func each(value map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": value}
}

type properties map[string]any

// object describes an object that has these properties and no others, as the reader of experiments refuses unknown
// fields.
func object(required []string, p properties) map[string]any {
	o := map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any(p)}
	if required != nil {
		o["required"] = required
	}
	return o
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

func list(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }

// within gives a number the bounds of a range.
func within(number map[string]any, r bounds.Range) map[string]any {
	number["minimum"], number["maximum"] = r.Low, r.High
	if r.Zero {
		number["minimum"] = min(0, r.Low)
	}
	return number
}

// settings describes the settings of protocols, with the parts that they can take, each value changed by as.
func settings(as func(map[string]any) map[string]any) properties {
	p := make(properties)
	for _, name := range debate.SettingNames() {
		value := map[string]any{}
		if values := protocol.ValuesOf(name, protocol.Parts()); len(values) > 0 {
			value["description"] = strings.Join(values, ", ")
		}
		if r, number := debate.RangeOf(name); number {
			value["type"] = "number"
			within(value, r)
		}
		if name == teamSetting {
			value = list(ref("member"))
		}
		p[name] = as(value)
	}
	return p
}

// sweepSchema describes a setting under sweep: a list of values, or a range.
func sweepSchema(of map[string]any) map[string]any {
	return map[string]any{"oneOf": []any{list(of),
		map[string]any{"type": "string", "pattern": `^[0-9]+\.\.[0-9]+$`,
			"description": "all whole numbers from one to another"}}}
}

func protocolNames() (names []string) {
	for _, p := range protocol.Protocols() {
		names = append(names, p.Name)
	}
	return names
}

// wordings describes the prompts of a task, by form of debate.
func wordings() properties {
	p := make(properties)
	for _, f := range protocol.Forms() {
		p[f.Name] = describe(map[string]any{"type": "string"},
			"prompts of conditions that name none: the name of a set or a .yaml file")
	}
	return p
}

func families() (names []string) {
	for _, f := range task.Families() {
		names = append(names, f.Name)
	}
	return names
}
