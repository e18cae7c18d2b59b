package experiment

import (
	"slices"
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
func Schema() map[string]any {
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Parley experiment",
		"$ref":    "#/$defs/experiment",
		"$defs": map[string]any{
			"experiment": object([]string{"name", "tasks", "conditions"}, properties{
				"name": text("name of the experiment"), "source": text("table or figure that it reproduces"),
				"meaning": text("question that it answers"),
				"notes":   list(text("how it differs from its source")), "tasks": list(ref("task")),
				"conditions": list(ref("condition")),
				"models": map[string]any{"type": "object", "additionalProperties": map[string]any{
					"type": []string{"string", "null"}}, "description": "model of each role that teams name; " +
					"without one, " +
					"--team ROLE=FILE gives it"},
				"reference": text("condition that others are compared with; by default the first"),
				"controls":  boolean("whether controls of the reference are added; by default true"),
				"repeats": within(integer("how often each condition is held on each question, with other seeds", 1),
					trial.RepeatsRange),
				"equivalence": within(fraction("difference of accuracies up to which conditions are called "+
					"equivalent", 0, 0), spec.DifferenceRange),
				"contrasts": list(text("difference between conditions to test, such as a - b or (a, b) - c; a star " +
					"stands for all swept values, and on x, y restricts it to tasks")),
				"seed":       integer("seed of the run and of the draw of questions", 0),
				"sampling":   ref("sampling"),
				"max-tokens": within(integer("most tokens of one reply", 1), inference.MaxTokensRange),
				"reasoning": choice("who sees the reasoning that models mark in their replies; by default nobody",
					debate.ReasoningModes),
				"stop": boolean("whether replies end at the stop texts of their prompts; by default true. The " +
					"programs of " +
					"the papers have no stop texts"),
				"closing": boolean("whether agents are asked for the answer alone where a reply states none; by " +
					"default " +
					"they are not"),
				"published": list(ref("published")), "small": ref("small"),
			}),
			"task": object([]string{"name"}, properties{
				"name":      text("name of the task and of its run directory"),
				"family":    choice("benchmark family of the file or the rows", families()),
				"file":      text("name or pattern of a file below the data directories"),
				"generated": within(integer("number of puzzles to generate", 1), task.PuzzlesRange),
				"objects":   map[string]any{"enum": []int{3, 5, 7}, "description": "objects in a generated puzzle"},
				"knights": object([]string{"players"}, properties{
					"players": within(integer("players of each puzzle of knights, knaves and spies", 3),
						puzzle.PlayersRange),
					"spies": within(integer("spies among the players; by default 1", 0), puzzle.SpiesRange),
					"hints": within(integer("hints besides the number of spies", 0), puzzle.HintsRange),
				}),
				"arithmetic": boolean("sums of products are generated instead of puzzles"),
				"chess":      boolean("beginnings of games of chess are generated instead of puzzles"),
				"rows":       list(map[string]any{"type": "object"}),
				"columns":    ref("columns"),
				"questions":  integer("most questions to ask, drawn with the seed", 1),
				"margin": fraction("draw as many questions as an accuracy within this margin needs at 95 % "+
					"confidence", 0, 1),
				"cluster":     text("field of the rows whose values are clusters of questions"),
				"group":       text("field of the rows whose values are groups with results of their own"),
				"ids":         swept(integer("number of a question to ask, from 1", 1)),
				"instruction": text("text before every question"),
				"rule":        choice("answer rule that replaces the family's", answer.Names()),
				"prompts":     object(nil, wordings()),
			}),
			"columns": object(nil, properties{
				"question": text("column of the question"), "answer": text("column of the right answer"),
				"choices": map[string]any{"anyOf": []any{text("column with the list of choices"), list(text(""))},
					"description": "column with the list of choices, or a column for each"},
				"passage": text("column of a text that is asked before the question, such as an article; - is none"),
				"facts":   text("column of facts about the question"),
				"by":      choice("how an answer names its choice; by default the way that fits the rows", task.Ways()),
			}),
			"condition": object([]string{"protocol"}, properties{
				"name":    text("name of the condition; by default that of the protocol"),
				"meaning": text("explanation below the table"),
				"protocol": text("name of a protocol of the program, or a file: " +
					strings.Join(protocolNames(), ", ")),
				"set": ref("settings"), "sweep": ref("sweep"),
				"after":  text("condition whose transcripts it builds on"),
				"once":   boolean("held only once on each question, whatever the number of repeats"),
				"oracle": boolean("right if any agent of the last round is right"),
				"candidates": fraction("held only on questions on which two answers each have more than this share",
					0, 0.5),
				"small": object(nil, properties{"set": ref("settings"), "sweep": ref("sweep")}),
			}),
			"sampling": object(nil, properties{
				"temperature": within(fraction("0 is greedy", 0, 0), inference.TemperatureRange),
				"top-k":       within(integer("keep only this many most likely tokens", 0), inference.TopKRange),
				"top-p": within(fraction("keep only the likeliest tokens of this total probability", 0, 0),
					inference.TopPRange),
				"min-p": within(fraction("keep only tokens with this share of the highest probability", 0, 0),
					inference.MinPRange),
			}),
			"published": object([]string{"model", "from"}, properties{
				"model":     text("model that the paper used"),
				"from":      text("table or figure"),
				"task":      text("task of this experiment"),
				"condition": text("condition or sweep; without it, values has the names of conditions"),
				"measure":   measure(),
				"value":     map[string]any{"type": "number"},
				"deviation": map[string]any{"type": "number", "description": "standard deviation over repeats"},
				"values":    map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "number"}},
				"fit": object([]string{"outcome", "n", "r2", "r2-adjusted", "coefficients"}, properties{
					"outcome":     choice("what is explained", fitOutcomes()),
					"n":           integer("debates", 1),
					"r2":          fraction("share of the variance that is explained", 0, 1),
					"r2-adjusted": map[string]any{"type": "number"},
					"coefficients": map[string]any{"type": "object", "description": "by predictor: the estimate and " +
						"its standard error", "additionalProperties": map[string]any{"type": "array",
						"items": map[string]any{"type": "number"}, "minItems": 2, "maxItems": 2}},
				}),
			}),
			"small": object([]string{"tasks"}, properties{"tasks": list(ref("task")),
				"repeats":    integer("repeats in the miniature", 1),
				"max-tokens": integer("most tokens of one reply in the miniature", 1)}),
			"member": object(nil, properties{
				"name":        text("as the others and records see it"),
				"persona":     text("replaces the system message"),
				"method":      text("how it is to reason: one of the prompts' methods, or an instruction"),
				"memory":      integer("how many of its own latest replies it still sees; 0 is all", 0),
				"temperature": within(fraction("its own sampling temperature", 0, 0), inference.TemperatureRange),
				"top-k":       within(integer("its own number of most likely tokens", 0), inference.TopKRange),
				"top-p":       within(fraction("its own probability of most likely tokens", 0, 0), inference.TopPRange),
				"min-p":       within(fraction("its own share of the best token", 0, 0), inference.MinPRange),
				"model": text("a GGUF file, looked for next to the experiment first, a name of parley models, or a " +
					"role of models"),
			}),
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

// within gives a number the bounds of a range.
func within(number map[string]any, r bounds.Range) map[string]any {
	number["minimum"], number["maximum"] = r.Low, r.High
	if r.Zero {
		number["minimum"] = min(0, r.Low)
	}
	return number
}

// measure describes a published measure: a name, or the share of debates that were decided in a given turn.
func measure() map[string]any {
	return map[string]any{"description": "measure; by default accuracy", "anyOf": []any{
		map[string]any{"enum": analysis.MeasureNames()}, map[string]any{"type": "string",
			"pattern": `^decided-in-turn-[1-9][0-9]*$`},
	}}
}

// settings describes the settings of protocols, with the parts that they can take, each value changed by as.
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
		if name == teamSetting {
			value = list(ref("member"))
		}
		p[name] = as(value)
	}
	return p
}

// swept describes a setting under sweep: a list of values, or a range.
func swept(of map[string]any) map[string]any {
	return map[string]any{"oneOf": []any{list(of),
		map[string]any{"type": "string", "pattern": `^[0-9]+\.\.[0-9]+$`,
			"description": "all whole numbers from one to another"}}}
}

// partsOf lists the parts that a setting can take, over all forms.
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

// wordings describes the prompts of a task, by form of debate.
func wordings() properties {
	p := make(properties)
	for _, f := range protocol.Forms() {
		p[f.Name] = text("prompts of conditions that name none: the name of a set or a .yaml file")
	}
	return p
}

func families() (names []string) {
	for _, f := range task.Families() {
		names = append(names, f.Name)
	}
	return names
}
