package experiment

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

const format = "../../docs/format.md"

// TestFormatHasSchema: the tables of docs/format.md between two comments are those of the schema.
func TestFormatHasSchema(t *testing.T) {
	const begin, end = "<!-- from the schema -->\n", "<!-- to here -->\n"
	text, err := os.ReadFile(format)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	written, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no part from %q to %q", format, begin, end)
	}
	tables := "\n" + schemaTables(t)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(format, []byte(before+begin+tables+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(written, tables); diff != "" {
		t.Errorf("%s is out of date: UPDATE=1 go test ./bench/experiment -run FormatHasSchema\n%s", format, diff)
	}
}

// TestFormatNamesMeasures: docs/format.md names each measure of a published number.
func TestFormatNamesMeasures(t *testing.T) {
	text, err := os.ReadFile(format)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range analysis.MeasureNames() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s does not name the measure %s", format, name)
		}
	}
}

// schemaTables has a row for each field of a file, with the values that the schema allows.
func schemaTables(t *testing.T) string {
	t.Helper()
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
		writeFields(t, &b, s.shape)
		b.WriteString("\n")
	}
	return b.String()
}

func writeFields(t *testing.T, b *strings.Builder, shape reflect.Type) {
	t.Helper()
	allowed := structure(shape)["properties"].(map[string]any)
	for i := range shape.NumField() {
		f := shape.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		words := schemaWords(f.Tag.Get("schema"))
		if _, hidden := words["-"]; hidden || !f.IsExported() || name == "-" {
			continue
		}
		if f.Type == reflect.TypeFor[inference.Chosen]() && options == "inline" {
			b.WriteString("| those of `sampling` | | its own |\n")
			continue
		}
		if options == "inline" {
			writeFields(t, b, f.Type)
			continue
		}
		value := allowed[name].(map[string]any)
		about, described := value["description"].(string)
		if tag := f.Tag.Get("doc"); tag != "" {
			about, described = tag, true
		}
		if !described {
			t.Errorf("%s.%s has no tag doc", shape, f.Name)
		}
		if _, must := words["required"]; must {
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
