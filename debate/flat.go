package debate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/strictyaml"
)

// Files and records name the settings of all forms in one flat list. It is made here, from the types that forms declare
// when they are registered, and stands nowhere else.

// registry has the forms, and the fields of their settings in the order of files and records.
var registry struct {
	forms  []Form // in the order of registration; names are unique
	fields []reflect.StructField
	names  []string                // of fields
	limits map[string]bounds.Range // of numbers
	flat   reflect.Type            // a struct with all of them: of SettingFields
}

func init() { registry.flat = reflect.StructOf(SettingFields()) } // of a program without forms

// Common are settings of how agents are asked, which mean the same to every form.
type Common struct {
	EndLoops *bool  `yaml:"end-loops"`
	Tool     string `yaml:"tool"`
}

// common says what they mean.
var common = Describe(func(c *Common) []Field {
	return []Field{
		Says(&c.EndLoops, "whether a reply that repeats itself ends there"),
		Says(&c.Tool, "what replies in free text may call while they are written"),
	}
})

// What settings mean that most forms have.
const (
	ReadingMeans = "what is followed where a source's paper and its code differ"
	PromptsMeans = "a set of prompts, or a .yaml file"
	TeamMeans    = "what sets agents apart"
)

// Described are the settings of a form: the fields of a struct, and what each means.
type Described struct {
	shape  reflect.Type
	fields []Field // by their places in it
}

// Field is a setting with what it means to a form: of Says or Number.
type Field struct {
	at     any
	about  string
	within bounds.Range // of a number
}

// Says has what a setting means that is no number; at points to its field.
func Says(at any, about string) Field { return Field{at: at, about: about} }

// Number says what a number means, and of which range it must be.
func Number(at any, low, high float64, about string) Field {
	return Field{at, about, bounds.Range{Low: low, High: high}}
}

// Describe makes the settings of a form, Form.Typed, of a list of all fields of their struct. Their tag yaml has the
// name in files, flags and records.
func Describe[T any](list func(*T) []Field) Described {
	var of T
	v := reflect.ValueOf(&of).Elem()
	d := Described{v.Type(), make([]Field, v.NumField())}
	for _, f := range list(&of) {
		for i := range d.fields {
			if v.Field(i).Addr().Interface() == f.at {
				d.fields[i] = f
			}
		}
	}
	return d
}

// Register adds forms. Their settings get a place in the list of all. It is called while a program starts, and panics
// over a bug in a form: a name that is taken, or a setting that another form declares with another type or range.
func Register(forms ...Form) {
	for _, f := range forms {
		if _, taken := FormNamed(f.Name); taken || f.Name == "" || f.Compose == nil || f.Typed.shape == nil {
			panic(fmt.Sprintf("form %q: has no name, no settings, cannot be composed, or is there already", f.Name))
		}
		enter(f.Typed)
		for _, d := range []Described{f.Typed, common} {
			for i, field := range fieldsOf(d.shape) {
				f.Reads = append(f.Reads, SettingName(field))
				f.Settings = append(f.Settings, Setting{SettingName(field), d.fields[i].about})
			}
		}
		registry.forms = append(registry.forms, f)
	}
	registry.flat = reflect.StructOf(SettingFields())
}

// Forms returns every form that is registered.
func Forms() []Form { return slices.Clone(registry.forms) }

// FormNamed returns a form that is registered.
func FormNamed(name string) (f Form, ok bool) {
	for _, f := range registry.forms {
		if f.Name == name {
			return f, true
		}
	}
	return Form{}, false
}

// enter adds the fields of a form's settings: those that are new before the next one that is known.
func enter(form Described) {
	own := fieldsOf(form.shape)
	for i := len(own) - 1; i >= 0; i-- {
		field, name := own[i], SettingName(own[i])
		limits, number := form.fields[i].within, isNumber(field.Type)
		if form.fields[i].about == "" || number != (limits.High > 0) {
			panic(fmt.Sprintf("%s.%s: a setting needs a meaning, and a number alone a range", form.shape, field.Name))
		}
		if at := placeOf(name); at < len(registry.fields) {
			if known := registry.fields[at]; known.Type != field.Type ||
				registry.limits[name].String() != limits.String() {
				panic(fmt.Sprintf("%s.%s: another form has a setting %s of type %s, %s", form.shape, field.Name, name,
					known.Type, registry.limits[name]))
			}
			continue
		}
		at := len(registry.fields)
		if i+1 < len(own) {
			at = placeOf(SettingName(own[i+1]))
		}
		registry.fields = slices.Insert(registry.fields, at, field)
		registry.names = slices.Insert(registry.names, at, name)
		if number {
			if registry.limits == nil {
				registry.limits = make(map[string]bounds.Range)
			}
			registry.limits[name] = limits
		}
	}
}

// fieldsOf returns the fields of a struct type, in the order of its declaration.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		fields = append(fields, t.Field(i))
	}
	return fields
}

// isNumber reports whether a setting is a number, which has a range.
func isNumber(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Int || t.Kind() == reflect.Float64
}

// placeOf returns the place of a setting in the list of all, its length for one of no registered form.
func placeOf(name string) int {
	switch at := slices.Index(registry.names, name); {
	case at >= 0:
		return at
	case isCommon(name):
		return math.MaxInt32
	}
	return len(registry.fields)
}

// isCommon reports whether a setting is one of Common.
func isCommon(name string) bool {
	return slices.ContainsFunc(fieldsOf(reflect.TypeFor[Common]()), func(f reflect.StructField) bool {
		return SettingName(f) == name
	})
}

// SettingName returns what files and flags call a field of a form's settings, or of Member.
func SettingName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// SettingFields returns the fields of the flat list, as a struct that files and records are read into has them.
func SettingFields() (fields []reflect.StructField) {
	all := slices.Concat(registry.fields, fieldsOf(reflect.TypeFor[Common]()))
	for _, f := range append([]reflect.StructField{{Name: "Form", Type: reflect.TypeFor[string](), Tag: `yaml:"form"`}},
		all...) {
		name := SettingName(f)
		fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: reflect.StructTag(fmt.Sprintf(
			`yaml:"%s,omitempty" json:"%s,omitempty"`, name, strings.ReplaceAll(name, "-", "_")))})
	}
	return fields
}

// SettingNames returns the names of all settings, beginning with the form.
func SettingNames() (names []string) {
	names = append([]string{"form"}, registry.names...)
	for _, f := range fieldsOf(reflect.TypeFor[Common]()) {
		names = append(names, SettingName(f))
	}
	return names
}

// RangeOf returns the range of a numeric setting; number is false for other settings.
func RangeOf(setting string) (r bounds.Range, number bool) {
	r, number = registry.limits[setting]
	return r, number
}

// Enter sets the settings that the fields of a struct have, such as one of SettingFields; others stay.
func (s *Settings) Enter(flat reflect.Value) {
	for i := range flat.NumField() {
		switch name := SettingName(flat.Type().Field(i)); {
		case name == "form":
			s.Form = flat.Field(i).String()
		case flat.Field(i).IsZero() && !s.has(name): // most of them, for each debate of a journal
		case slices.Contains(registry.names, name) || isCommon(name):
			*s = s.With(name, flat.Field(i).Interface())
		}
	}
}

// Fill sets the fields of a struct, such as one of SettingFields, to the settings.
func (s Settings) Fill(flat reflect.Value) {
	for i := range flat.NumField() {
		name := SettingName(flat.Type().Field(i))
		if name == "form" {
			flat.Field(i).SetString(s.Form)
		}
		for _, g := range s.given {
			if g.name == name {
				flat.Field(i).Set(reflect.ValueOf(g.value))
			}
		}
	}
}

// flat returns a pointer to a struct with the settings.
func (s Settings) flat() reflect.Value {
	to := reflect.New(registry.flat)
	s.Fill(to.Elem())
	return to
}

// Read enters the settings of a YAML text, over those that there are.
func (s *Settings) Read(text []byte) error {
	to := s.flat()
	if err := strictyaml.Unmarshal(text, to.Interface()); err != nil {
		return err
	}
	s.Enter(to.Elem())
	return nil
}

// MarshalJSON implements json.Marshaler: records have the flat list.
func (s Settings) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // whoever encodes the record says whether it does
	err := e.Encode(s.flat().Interface())
	return bytes.TrimSpace(text.Bytes()), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Settings) UnmarshalJSON(text []byte) error {
	to := s.flat()
	if err := json.Unmarshal(text, to.Interface()); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	s.Enter(to.Elem())
	return nil
}
