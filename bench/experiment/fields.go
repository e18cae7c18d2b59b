package experiment

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/table"
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
		fmt.Fprintf(&b, "%s has\n\n%s\n", s.of, table.New([]table.Column[fieldRow]{
			table.Left("field", func(r fieldRow) string { return r.name }),
			table.Left("value", func(r fieldRow) string { return r.value }),
			table.Left("meaning", func(r fieldRow) string { return r.about }),
		}, fieldRows(s.shape)).Markdown())
	}
	fmt.Fprintf(&b, "A **measure** of debates is one of\n\n%s", table.New([]table.Column[relation.Measure]{
		table.Left("measure", func(m relation.Measure) string { return "`" + m.Name + "`" }),
		table.Left("of", func(m relation.Measure) string { return m.Of }),
		table.Left("meaning", func(m relation.Measure) string { return m.Says }),
		table.Left("source", func(m relation.Measure) string { return m.Source }),
	}, relation.Measures()).Markdown())
	_, err := io.WriteString(w, b.String())
	return err
}

// fieldRow is what WriteFields says of a field.
type fieldRow struct{ name, value, about string }

func fieldRows(shape reflect.Type) (rows []fieldRow) {
	allowed := structure(shape)["properties"].(map[string]any)
	for i := range shape.NumField() {
		f := shape.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		of := meaningOf(shape, i)
		if of.hidden || !f.IsExported() || name == "-" {
			continue
		}
		if f.Type == reflect.TypeFor[inference.Chosen]() && options == "inline" {
			rows = append(rows, fieldRow{name: "those of `sampling`", about: "its own"})
			continue
		}
		if options == "inline" {
			rows = append(rows, fieldRows(f.Type)...)
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
		rows = append(rows, fieldRow{"`" + name + "`", valueText(value), strings.ReplaceAll(about, "*", `\*`)})
	}
	return rows
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
