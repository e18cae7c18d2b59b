package experiment

import (
	"reflect"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// TestEveryFieldHasAMeaning: each field of a file is in the list of meanings, and described there, unless its own
// definition or the list of sampling parameters describes it.
func TestEveryFieldHasAMeaning(t *testing.T) {
	listed := make(map[reflect.Type]bool)
	fields := 0
	for _, d := range meanings {
		listed[d.shape] = true
		for i := range d.shape.NumField() {
			f, of := d.shape.Field(i), meaningOf(d.shape, i)
			name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case !f.IsExported() || name == "-" || options == "inline":
				if of.at != nil {
					t.Errorf("%s.%s is no field of a file, and has a meaning", d.shape, f.Name)
				}
				continue
			case of.at == nil:
				t.Errorf("%s.%s is not in the list of meanings", d.shape, f.Name)
			case of.about == "" && of.as == nil && !of.hidden:
				t.Errorf("%s.%s: the list does not say what it means", d.shape, f.Name)
			}
			fields++
		}
	}
	for of := range definitionOf {
		if !listed[of] && of != reflect.TypeFor[inference.Chosen]() {
			t.Errorf("the fields of %s have no meanings", of)
		}
	}
	if fields < 70 {
		t.Errorf("%d fields have meanings, want at least 70", fields)
	}
}
