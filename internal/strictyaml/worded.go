package strictyaml

import (
	"errors"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// rewordError says of a value of the wrong kind what it must be, where the library names types of Go. The place and the
// marked line stay.
func rewordError(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || wrong.DstType == nil || wrong.SrcType == nil {
		return err
	}
	place, rest, placed := strings.Cut(err.Error(), "] ")
	_, marked, _ := strings.Cut(rest, "\n")
	if !placed {
		return err
	}
	return errors.New(place + "] must be " + kindOf(wrong.DstType) + ", not " + kindOf(wrong.SrcType) + "\n" + marked)
}

// kindOf returns what people call values of a type.
func kindOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		if t == reflect.TypeFor[yaml.MapSlice]() {
			return "names with values"
		}
		return "a list"
	case reflect.Map, reflect.Struct:
		return "names with values"
	}
	return "a whole number"
}
