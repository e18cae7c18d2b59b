package rundir

import (
	"reflect"
	"slices"
	"testing"

	"github.com/parley-debate/parley/bench/spec"
)

// TestEveryFieldSaysWhatItMeans: each field of a header, and of the structures in it, has a tag that says whether a run
// that is resumed must equal it, and one that it must equal, or that may grow, has a name.
func TestEveryFieldSaysWhatItMeans(t *testing.T) {
	if missing := untagged(reflect.TypeFor[Header]()); missing != nil {
		t.Errorf("fields without a tag run: %v; it is identity, extent, computed or -, see package spec", missing)
	}
	type forgotten struct {
		spec.Run
		Temperature float32
		Nameless    int    `run:"extent"`
		Odd         string `run:"sometimes,odd"`
	}
	want := []string{"forgotten.Temperature", "forgotten.Nameless", "forgotten.Odd"}
	if got := untagged(reflect.TypeFor[forgotten]()); !slices.Equal(got, want) {
		t.Errorf("fields without a tag are %v, want %v", got, want)
	}
}

// TestEveryFieldIsCompared: two headers that differ in one field with a name differ in the property of that name and in
// no other, so that the error of a resumed run, a merge and a diff name it.
func TestEveryFieldIsCompared(t *testing.T) {
	var h Header
	// older programs say less than others, so that only what is known is compared: all fields have a value
	each(reflect.ValueOf(&h).Elem(), func(name string, _ spec.Class, field reflect.Value) { change(field) })
	each(reflect.ValueOf(&h).Elem(), func(name string, class spec.Class, field reflect.Value) {
		before, columns := h, *h.Columns
		before.Columns = &columns
		if !change(field) {
			t.Fatalf("%s: the test cannot change a %s", name, field.Type())
		}
		var changed []string
		now := h.properties()
		for i, p := range before.properties() {
			if p.Value != now[i].Value {
				changed = append(changed, p.Name)
			}
		}
		if !slices.Equal(changed, []string{name}) {
			t.Errorf("a change of %s changes %v", name, changed)
		}
		if got := len(before.differs(h)) > 0; got != (class == spec.Identity) {
			t.Errorf("%s, %s: another run %v, want %v", name, class, got, class == spec.Identity)
		}
		if got := !before.sameExtent(h); got != (class == spec.Extent) {
			t.Errorf("%s, %s: a wider run %v, want %v", name, class, got, class == spec.Extent)
		}
	})
}

// untagged names the fields of a structure, and of the structures in it, that have no tag of a known class, or none
// with a name where their class needs one.
func untagged(structure reflect.Type) (names []string) {
	for i := range structure.NumField() {
		f := structure.Field(i)
		class, name := spec.Tag(f)
		switch {
		case f.Anonymous, name == "" && class == spec.Identity && indirect(f.Type).Kind() == reflect.Struct:
			names = append(names, untagged(indirect(f.Type))...)
		case !slices.Contains([]spec.Class{spec.Identity, spec.Extent, spec.Neither, spec.Computed}, class),
			name == "" && (class == spec.Identity || class == spec.Extent):
			names = append(names, structure.Name()+"."+f.Name)
		}
	}
	return names
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// each visits the fields with names of a structure, and of those in it.
func each(v reflect.Value, visit func(name string, class spec.Class, field reflect.Value)) {
	for i := range v.NumField() {
		class, name := spec.Tag(v.Type().Field(i))
		switch f := v.Field(i); {
		case name != "":
			visit(name, class, f)
		case v.Type().Field(i).Anonymous, class == spec.Identity:
			if f.Kind() == reflect.Pointer && f.IsNil() {
				f.Set(reflect.New(f.Type().Elem()))
			}
			each(reflect.Indirect(f), visit)
		}
	}
}

// change sets a field to another value, and reports whether it can.
func change(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.String:
		was := f.String()
		f.SetString(was + "another")
		if f.Type() == reflect.TypeFor[spec.Reasoning]() { // only sharing it changes a prompt
			f.SetString(map[string]string{"": "show", "show": "share"}[was])
		}
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int:
		f.SetInt(f.Int() + 7)
	case reflect.Uint64:
		f.SetUint(f.Uint() + 7)
	case reflect.Float32, reflect.Float64:
		f.SetFloat(f.Float() + 0.5)
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), f.Len()+1, f.Len()+1))
		if e := f.Index(0); e.Kind() == reflect.String {
			e.SetString("another")
		}
	case reflect.Pointer:
		again := !f.IsNil()
		if f.Set(reflect.New(f.Type().Elem())); again {
			change(f.Elem().Field(0)) // which is part of what they say
		}
		if files := f.Elem().FieldByName("Files"); files.IsValid() {
			files.Set(reflect.MakeSlice(files.Type(), 1, 1))
		}
	default:
		return false
	}
	return true
}
