package spec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Class is what a field of a header means for a run that is resumed. The tag `run` of the field names it, then, after a
// comma, the name by which people know the field.
type Class string

// The classes.
const (
	Identity Class = "identity" // a run that is resumed must equal it
	Extent   Class = "extent"   // may differ: the run becomes wider, or narrower where that is asked for
	Neither  Class = "-"        // differs freely; one with a name is told where runs are compared
	Computed Class = "computed" // what computes the replies: packages that know models compare it
)

// Property is one thing that a header says.
type Property struct {
	Name     string
	Class    Class
	Value    any  // comparable, as people read it
	Unlisted bool // Value is too long to be read: it is for comparisons alone, as the tag says behind the name
}

// Tag reads the tag `run` of a field: its class and its name.
func Tag(f reflect.StructField) (class Class, name string) {
	text, name, _ := strings.Cut(f.Tag.Get("run"), ",")
	name, _, _ = strings.Cut(name, ",")
	return Class(text), name
}

// Properties lists what a structure says of itself in its fields with names, in their order. Structures among its
// fields are part of it. Fields in a row that have one name are one property. Other tags shape values: `zero` is shown
// for the zero value, and `list` separates the elements of a list, or quotes them.
func Properties(structure any) []Property { return properties(reflect.ValueOf(structure)) }

func properties(v reflect.Value) (list []Property) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		class, name := Tag(f)
		if f.Anonymous || name == "" && class == Identity {
			list = append(list, properties(structureIn(v.Field(i)))...)
			continue
		}
		if name == "" {
			continue
		}
		p := Property{Name: name, Class: class, Value: shown(v.Field(i), f.Tag),
			Unlisted: strings.HasSuffix(f.Tag.Get("run"), ",unlisted")}
		if last := len(list) - 1; last >= 0 && list[last].Name == p.Name {
			list[last].Value = fmt.Sprint(list[last].Value, " ", p.Value)
			continue
		}
		list = append(list, p)
	}
	return list
}

// structureIn is a structure, or the one that a pointer leads to: an empty one if it leads nowhere.
func structureIn(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() != reflect.Pointer:
		return v
	case v.IsNil():
		return reflect.Zero(v.Type().Elem())
	}
	return v.Elem()
}

// shown is a value as people read it. What is no number and no plain text becomes one.
func shown(v reflect.Value, tags reflect.StructTag) any {
	value := v.Interface()
	if c, ok := value.(interface{ compared() string }); ok {
		return c.compared()
	}
	if s, ok := value.(fmt.Stringer); ok {
		return s.String()
	}
	if zero, ok := tags.Lookup("zero"); ok && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
		if n, err := strconv.Atoi(zero); err == nil && v.Kind() == reflect.Int {
			return n
		}
		return zero
	}
	switch {
	case v.Kind() != reflect.Slice:
		return value
	case v.Type().Elem().Kind() != reflect.String:
		if v.Len() == 0 {
			return "none"
		}
		text, _ := json.Marshal(value) // plain texts and numbers
		return string(text)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = v.Index(i).String()
	}
	switch separator, ok := tags.Lookup("list"); {
	case separator == "quoted":
		return fmt.Sprintf("%q", texts)
	case ok:
		return strings.Join(texts, separator)
	}
	return strings.Join(texts, ", ")
}
