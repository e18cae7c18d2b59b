package experiment

import (
	"reflect"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// Schema returns the JSON schema (draft 2020-12) of experiment files, for editors. It knows all names and ranges of a
// file; contradictions are found only by Parse.
//
// It is made from the structures that files are read into, whose tag yaml has the names, and from the list of meanings.
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

func reasoningModes() []string { return debate.ReasoningModes }

// What follows are shapes of fields that are no plain number, text or list.

func settingsShape(string, rule) map[string]any { return ref("settings") }

func sweepShape(string, rule) map[string]any { return ref("sweep") }

func rowsShape(string, rule) map[string]any { return list(map[string]any{"type": "object"}) }

func wordingsShape(string, rule) map[string]any { return object(nil, wordings()) }

func numbersShape(string, rule) map[string]any { return each(map[string]any{"type": "number"}) }

func modelsShape(about string, _ rule) map[string]any {
	return describe(each(map[string]any{"type": []string{"string", "null"}}), about)
}

func coefficientsShape(about string, _ rule) map[string]any {
	return describe(each(map[string]any{"type": "array", "items": map[string]any{"type": "number"}, "minItems": 2,
		"maxItems": 2}), about)
}

func protocolShape(about string, _ rule) map[string]any {
	return describe(map[string]any{"type": "string"}, about+": "+strings.Join(protocolNames(), ", "))
}

func choicesShape(about string, _ rule) map[string]any {
	one := describe(map[string]any{"type": "string"}, "column with the list of choices")
	more := list(map[string]any{"type": "string", "description": ""})
	return describe(map[string]any{"anyOf": []any{one, more}}, about)
}

func sweptShape(about string, r rule) map[string]any {
	return sweepSchema(describe(numeric("integer", r), about))
}

func budgetsShape(about string, _ rule) map[string]any {
	return describe(map[string]any{"type": "array", "items": numeric("integer", rule{within: &BudgetRange})}, about)
}

func measureShape(about string, _ rule) map[string]any {
	return describe(map[string]any{"anyOf": []any{map[string]any{"enum": analysis.MeasureNames()},
		map[string]any{"type": "string", "pattern": `^decided-in-turn-[1-9][0-9]*$`}}}, about)
}

// structure describes the fields of a structure.
func structure(t reflect.Type) map[string]any {
	var required []string
	p := make(properties)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		of := meaningOf(t, i)
		if of.hidden || !f.IsExported() || name == "-" {
			continue
		}
		if options == "inline" {
			for name, value := range structure(f.Type)["properties"].(map[string]any) {
				p[name] = value
			}
			continue
		}
		p[name] = describe(value(f.Type, of.rule, of.about), of.about)
		if parameter, ok := inference.ParameterNamed(name); ok && t == reflect.TypeFor[inference.Chosen]() {
			p[name] = sampled(f.Type.Elem(), parameter)
		}
		if of.required {
			required = append(required, name)
		}
	}
	return object(required, p)
}

// sampled describes a parameter of sampling.
func sampled(t reflect.Type, p inference.Parameter) map[string]any {
	return describe(within(value(t, rule{}, ""), p.Range), p.Doc)
}

// value describes what a field can be.
func value(t reflect.Type, of rule, about string) map[string]any {
	if of.as != nil {
		return of.as(about, of)
	}
	if of.values != nil {
		return map[string]any{"enum": of.values()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return value(t.Elem(), of, about)
	case reflect.Slice:
		return list(describe(value(t.Elem(), of, about), about))
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
		return numeric("number", of)
	}
	return numeric("integer", of)
}

// numeric describes a number with its bounds. A whole one without any is at least 0.
func numeric(kind string, of rule) map[string]any {
	n := map[string]any{"type": kind}
	if r := of.within; r != nil {
		if len(r.Only) > 0 {
			return map[string]any{"enum": r.Only}
		}
		return within(n, *r)
	}
	if kind == "integer" {
		n["minimum"] = 0
	}
	for name, bound := range map[string]*float64{"minimum": of.low, "maximum": of.high} {
		if bound != nil {
			n[name] = *bound
		}
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
