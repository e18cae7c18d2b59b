package experiment

import (
	"reflect"
	"testing"

	"github.com/parley-debate/parley/debate"
)

// TestTagsOfTheSchemaAreKnown: each word in a tag schema is one that the schema obeys, and each field of a file is
// described, unless its own definition does.
func TestTagsOfTheSchemaAreKnown(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[debate.Member](), reflect.TypeFor[Knights](), reflect.TypeFor[Fit](),
		reflect.TypeFor[SmallCondition]()}
	for named := range definitionOf {
		types = append(types, named)
	}
	for _, of := range types {
		for i := range of.NumField() {
			f := of.Field(i)
			for word, value := range schemaWords(f.Tag.Get("schema")) {
				known := false
				switch word {
				case "range":
					_, known = rangeOf[value]
				case "enum":
					_, known = valuesOf[value]
				case "as":
					_, known = shapes[value]
				case "required", "-", "low", "high":
					known = true
				}
				if !known {
					t.Errorf("%s.%s: the schema does not know %s=%s", of, f.Name, word, value)
				}
			}
		}
	}
}
