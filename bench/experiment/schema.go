package experiment

import (
	"slices"
	"strings"

	"parley/bench"
	"parley/bench/task"
	"parley/bounds"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/protocol"
	"parley/inference"
)

// Schema is the JSON schema (draft 2020-12) of experiment files, for editors. It knows all names that a file can have;
// what contradicts itself only Parse finds.
func Schema() map[string]any {
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Parley experiment",
		"$ref":    "#/$defs/experiment",
		"$defs": map[string]any{
			"experiment": object([]string{"name", "tasks", "conditions"}, properties{
				"name": text("of the experiment"), "source": text("the table or figure that it reproduces"),
				"meaning": text("what it asks"),
				"notes":   list(text("where it differs from its source")), "tasks": list(ref("task")),
				"conditions": list(ref("condition")),
				"reference":  text("the condition that others are compared with"),
				"controls":   boolean("conditions around the reference that need no debate"),
				"repeats": within(integer("of each condition on each question, with other seeds", 1),
					bench.RepeatsRange),
				"seed":     integer("of the run and of the choice of questions", 0),
				"sampling": ref("sampling"), "max-tokens": within(integer("of one reply", 1), inference.MaxTokensRange),
				"published": list(ref("published")), "small": ref("small"),
			}),
			"task": object([]string{"name"}, properties{
				"name": text("of its run directory"), "family": choice("of benchmarks", families()),
				"file":        text("its name or a pattern"),
				"generated":   within(integer("so many generated puzzles", 1), task.PuzzlesRange),
				"objects":     map[string]any{"enum": []int{3, 5, 7}, "description": "in generated puzzles"},
				"rows":        list(map[string]any{"type": "object"}),
				"questions":   integer("so many, drawn with the seed", 1),
				"margin":      fraction("as many questions as an accuracy within this margin at 95 % needs", 0, 1),
				"ids":         list(integer("of a question, from 1", 1)),
				"instruction": text("before every question"),
				"rule":        choice("by which answers are read, in the place of the family's", answer.Names()),
				"prompts":     object(nil, wordings()),
			}),
			"condition": object([]string{"protocol"}, properties{
				"name": text("of the condition"), "meaning": text("for the table"),
				"protocol": text("one of the program's, or a file: " + strings.Join(protocolNames(), ", ")),
				"set":      ref("settings"), "sweep": ref("sweep"),
				"after":      text("the condition on whose transcripts it builds"),
				"once":       boolean("held once on a question, however many repeats there are"),
				"oracle":     boolean("right if any agent of the last round is"),
				"candidates": fraction("only questions on which two answers have more than this share each", 0, 0.5),
				"small":      object(nil, properties{"set": ref("settings"), "sweep": ref("sweep")}),
			}),
			"sampling": object(nil, properties{
				"temperature": within(fraction("0 is greedy", 0, 0), inference.TemperatureRange),
				"top-k":       within(integer("most likely tokens", 0), inference.TopKRange),
				"top-p":       within(fraction("their probability", 0, 0), inference.TopPRange),
				"min-p":       within(fraction("share of the best", 0, 0), inference.MinPRange),
			}),
			"published": object([]string{"model", "from", "task"}, properties{
				"model": text("that the paper used"), "from": text("table or figure"),
				"task":      text("of this experiment"),
				"condition": text("or the name of a sweep; without it, values are those of several conditions"),
				"measure":   measure(), "value": map[string]any{"type": "number"},
				"deviation": map[string]any{"type": "number"},
				"values":    map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "number"}},
			}),
			"small": object([]string{"tasks"}, properties{"tasks": list(ref("task")),
				"repeats": integer("in the miniature", 1), "max-tokens": integer("in the miniature", 1)}),
			"settings": object(nil, settings(func(value map[string]any) map[string]any { return value })),
			"sweep":    object(nil, settings(swept)),
		},
	}
}

type properties map[string]any

func object(required []string, p properties) map[string]any {
	o := map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any(p)}
	if required != nil {
		o["required"] = required
	}
	return o
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }
func text(about string) map[string]any {
	return map[string]any{"type": "string", "description": about}
}
func boolean(about string) map[string]any {
	return map[string]any{"type": "boolean", "description": about}
}
func list(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }
func choice(about string, of []string) map[string]any {
	return map[string]any{"enum": of, "description": about}
}
func integer(about string, least int) map[string]any {
	return map[string]any{"type": "integer", "minimum": least, "description": about}
}
func fraction(about string, least, most float64) map[string]any {
	return map[string]any{"type": "number", "minimum": least, "maximum": most, "description": about}
}

// within bounds a number.
func within(number map[string]any, r bounds.Range) map[string]any {
	number["minimum"], number["maximum"] = r.Low, r.High
	if r.Zero {
		number["minimum"] = min(0, r.Low)
	}
	return number
}

// measure is what a published number is of: a name, or the share of debates that were decided in a turn.
func measure() map[string]any {
	return map[string]any{"description": "accuracy, if it is not said", "anyOf": []any{
		map[string]any{"enum": bench.MeasureNames()}, map[string]any{"type": "string",
			"pattern": `^decided-in-turn-[1-9][0-9]*$`},
	}}
}

// settings are those of protocols, with the names of the parts that they can be.
func settings(as func(map[string]any) map[string]any) properties {
	p := make(properties)
	for _, name := range debate.SettingNames() {
		value := map[string]any{}
		if values := partsOf(name); len(values) > 0 {
			value["description"] = strings.Join(values, ", ")
		}
		if r, number := debate.RangeOf(name); number {
			value["type"] = "number"
			within(value, r)
		}
		p[name] = as(value)
	}
	return p
}

// swept is a setting of a sweep.
func swept(of map[string]any) map[string]any {
	return map[string]any{"oneOf": []any{list(of),
		map[string]any{"type": "string", "pattern": `^[0-9]+\.\.[0-9]+$`,
			"description": "all whole numbers from one to another"}}}
}

func partsOf(setting string) (values []string) {
	for _, part := range protocol.Parts() {
		if part.Setting == setting && !slices.Contains(values, part.Value) {
			values = append(values, part.Value)
		}
	}
	return values
}

func protocolNames() (names []string) {
	for _, p := range protocol.Protocols() {
		names = append(names, p.Name)
	}
	return names
}

// wordings are prompts by form of debate.
func wordings() properties {
	p := make(properties)
	for _, f := range protocol.Forms() {
		p[f.Name] = text("the wording of conditions that name none: a set or a .yaml file")
	}
	return p
}

func families() (names []string) {
	for _, f := range task.Families() {
		names = append(names, f.Name)
	}
	return names
}
