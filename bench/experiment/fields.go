package experiment

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// WriteFields writes Markdown tables with a row for each field of a file, and the values that the schema allows, and
// with one for each measure that contrasts and published numbers can name.
func WriteFields(w io.Writer) error {
	var b strings.Builder
	for _, s := range []struct {
		of    string
		shape reflect.Type
	}{
		{"An **experiment**", reflect.TypeFor[Experiment]()}, {"`sampling`", reflect.TypeFor[inference.Chosen]()},
		{"A **task**", reflect.TypeFor[Task]()},
		{"`knights` of a task", reflect.TypeFor[Knights]()}, {"A **condition**", reflect.TypeFor[Condition]()},
		{"A member of a **team**", reflect.TypeFor[debate.Member]()},
		{"A **published** number", reflect.TypeFor[Published]()}, {"A `fit`", reflect.TypeFor[Fit]()},
		{"What is **small**", reflect.TypeFor[Small]()},
	} {
		fmt.Fprintf(&b, "%s has\n\n| field | value | meaning |\n| --- | --- | --- |\n", s.of)
		writeFields(&b, s.shape)
		b.WriteString("\n")
	}
	b.WriteString("A **measure** of debates is one of\n\n| measure | of | meaning | source |\n" +
		"| --- | --- | --- | --- |\n")
	for _, m := range relation.Measures() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Of, m.Says, m.Source)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeFields(b *strings.Builder, shape reflect.Type) {
	allowed := structure(shape)["properties"].(map[string]any)
	for i := range shape.NumField() {
		f := shape.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		of := meaningOf(shape, i)
		if of.hidden || !f.IsExported() || name == "-" {
			continue
		}
		if f.Type == reflect.TypeFor[inference.Chosen]() && options == "inline" {
			b.WriteString("| those of `sampling` | | its own |\n")
			continue
		}
		if options == "inline" {
			writeFields(b, f.Type)
			continue
		}
		value := allowed[name].(map[string]any)
		about, _ := value["description"].(string)
		if of.about != "" {
			about = of.about
		}
		if of.required {
			about += " (required)"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, valueText(value), strings.ReplaceAll(about, "*", `\*`))
	}
}

// valueText says what a value of the schema can be.
func valueText(schema map[string]any) string {
	low, high := schema["minimum"], schema["maximum"]
	switch values := reflect.ValueOf(schema["enum"]); {
	case values.IsValid() && values.Len() <= 4:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(values.Interface()), " ", ", "), "[]")
	case values.IsValid() || schema["anyOf"] != nil:
		return "a name"
	case schema["type"] == "array" || schema["oneOf"] != nil:
		return "list"
	case schema["type"] == "boolean":
		return "true, false"
	case schema["type"] == "string":
		return "text"
	case schema["type"] == "object" || schema["$ref"] != nil:
		return "fields"
	case high != nil:
		return numberText(low) + " to " + numberText(high)
	case low != nil:
		return "from " + numberText(low)
	}
	return "number"
}

func numberText(bound any) string {
	v := reflect.ValueOf(bound)
	if v.CanInt() {
		return humanize.Comma(v.Int())
	}
	return humanize.Commaf(v.Float())
}
