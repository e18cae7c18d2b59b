// Package strict reads the JSON of requests into structs, and refuses whatever would have no effect, at every level and
// by its path, such as messages[0].content[1].foo: keys that a struct does not have (upper and lower case differ), keys
// that occur twice, and values of another type. A key whose value is null counts as absent, as if it were not there.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/internal/unknown"
)

// Error says what is wrong with the value at a path; "" is the whole. Its text has the path.
type Error struct{ Path, Text string }

func (e *Error) Error() string { return e.Text }

// Wrong returns the error for the value at a path.
func Wrong(path, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	return &Error{path, text}
}

// Reader is a type that reads its own JSON. at is the path of the value, which is never null.
type Reader interface {
	ReadStrictly(raw []byte, at string) error
}

// Besides is a struct that knows further keys: those that are accepted only with a value that asks for nothing, as
// compact JSON, and with Any those that are accepted with every value.
type Besides interface {
	Besides() map[string][]string
}

// Limited is a list that has a bound. No more of its items are read.
type Limited interface{ Limit() *limits.Limit }

// Any accepts every value of a key.
const Any = "any"

// Whole reads a text that is one JSON object into a struct.
func Whole(text []byte, into any) error {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return Wrong("", "not a JSON object: %v", err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(whole), []byte("{")) {
		return Wrong("", "%s is not a JSON object", kindOf(whole))
	}
	return Read(whole, "", into)
}

// Read reads a JSON value, which is valid, into a variable. at is the path of the value.
func Read(raw []byte, at string, into any) error { return read(raw, at, reflect.ValueOf(into).Elem()) }

// isNull reports whether a value is null, or there is none.
func isNull(raw []byte) bool {
	text := bytes.TrimSpace(raw)
	return len(text) == 0 || string(text) == "null"
}

func read(raw []byte, at string, v reflect.Value) error {
	if isNull(raw) {
		return Wrong(at, "null is no value here")
	}
	if own, ok := v.Addr().Interface().(Reader); ok {
		return own.ReadStrictly(raw, at)
	}
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(bytes.Clone(raw))
		return nil
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return read(raw, at, v.Elem())
	case v.Kind() == reflect.Struct:
		return object(raw, at, v)
	case v.Kind() == reflect.Slice:
		return list(raw, at, v)
	}
	return scalar(raw, at, v)
}

// scalar reads what has no parts.
func scalar(raw []byte, at string, v reflect.Value) error {
	err := json.Unmarshal(raw, v.Addr().Interface())
	wrong := new(json.UnmarshalTypeError)
	switch {
	case errors.As(err, &wrong):
		return Wrong(at, "a %s cannot be read as %s", wrong.Value, typeName(v.Type()))
	case err != nil:
		return Wrong(at, "%v", err)
	}
	return nil
}

// list reads the items one by one. Many numbers are read at once, where nothing is wrong with them.
func list(raw []byte, at string, v reflect.Value) error {
	items := v.Type().Elem().Kind()
	if items >= reflect.Int && items <= reflect.Float64 && !bytes.Contains(raw, []byte("null")) &&
		json.Unmarshal(raw, v.Addr().Interface()) == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return Wrong(at, "%s cannot be read as a list", kindOf(raw))
	}
	most := limits.BodyValues
	if own, ok := v.Interface().(Limited); ok {
		most = own.Limit()
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for i := 0; d.More(); i++ {
		if int64(i) == most.Most {
			return most.Over(at)
		}
		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return Wrong(at, "%v", err)
		}
		one := reflect.New(v.Type().Elem()).Elem()
		if err := read(item, fmt.Sprintf("%s[%d]", at, i), one); err != nil {
			return err
		}
		v.Set(reflect.Append(v, one))
	}
	return nil
}

// object reads the fields of a struct, those of embedded structs among them.
func object(raw []byte, at string, v reflect.Value) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return Wrong(at, "%s cannot be read as an object", kindOf(raw))
	}
	known := fieldsOf(v.Type())
	var besides map[string][]string
	if more, ok := v.Addr().Interface().(Besides); ok {
		besides = more.Besides()
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return Wrong(at, "%v", err)
		}
		key := token.(string) // the decoder accepts nothing else
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return Wrong(at, "%v", err)
		}
		path := strings.TrimPrefix(at+"."+Short(key), ".")
		index, there := known[key]
		switch {
		case seen[key]:
			return Wrong(path, "occurs twice")
		case isNull(value):
		case there:
			err = read(value, path, v.FieldByIndex(index))
		default:
			err = beside(value, path, key, known, besides)
		}
		if seen[key] = true; err != nil {
			return err
		}
	}
	return nil
}

// beside judges a key that is no field.
func beside(raw []byte, path, key string, known map[string][]int, besides map[string][]string) error {
	neutral, there := besides[key]
	switch {
	case !there:
		all := slices.AppendSeq(slices.Collect(maps.Keys(known)), maps.Keys(besides)) // some are in both
		slices.Sort(all)
		near := unknown.Near(key, slices.Compact(all))
		return &Error{path, "unrecognized request argument supplied: " + path + unknown.Meant(near)}
	case slices.Contains(neutral, Any), slices.Contains(neutral, compact(raw)):
		return nil
	case len(neutral) == 0:
		return &Error{path, path + " is not supported by this server: leave it out"}
	}
	return &Error{path, path + " is not supported by this server: leave it out, or set it to " +
		strings.Join(neutral, " or ")}
}

// Fields returns the keys of a struct, sorted.
func Fields(t reflect.Type) []string { return slices.Sorted(maps.Keys(fieldsOf(t))) }

// typesRead has the fields of the types that were read: there are few, and each request has some of them.
var typesRead sync.Map

// fieldsOf has the indices of a struct's fields by their keys. Nobody changes it.
func fieldsOf(t reflect.Type) map[string][]int {
	if fields, ok := typesRead.Load(t); ok {
		return fields.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = f.Index
		}
	}
	typesRead.Store(t, fields)
	return fields
}

// Short returns a key for an error.
func Short(key string) string {
	const most = 100 // bytes
	if len(key) <= most {
		return key
	}
	return strings.ToValidUTF8(key[:most], "") + "…"
}

// compact writes JSON in one way, so that equal values are equal texts: 1.0 becomes 1.
func compact(raw []byte) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// kindOf returns the type of a value in words.
func kindOf(raw []byte) string {
	text := bytes.TrimSpace(raw)
	switch {
	case len(text) == 0:
		return "nothing"
	case string(text) == "null":
		return "null"
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "a list"
	case text[0] == '"':
		return "a string"
	case text[0] == 't' || text[0] == 'f':
		return "a bool"
	}
	return "a number"
}

func typeName(t reflect.Type) string {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uint64:
		return "a whole number"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case k == reflect.Bool:
		return "true or false"
	}
	return "a " + t.Kind().String()
}
