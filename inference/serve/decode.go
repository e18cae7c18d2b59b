package serve

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-debate/parley/unknown"
)

// decode reads the JSON object of a request into a struct. A field that is null counts as absent. Fields that change
// nothing are left out; those that cannot be obeyed are refused, unless they have a value that asks for nothing.
func decode(r *http.Request, into any) error {
	fields, err := object(r.Body)
	if err != nil {
		return err
	}
	known := fieldsOf(reflect.TypeOf(into).Elem())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch value := compact(fields[name]); {
		case value == "null" || harmless[name]:
			delete(fields, name)
		case slices.Contains(known, name):
		case refused[name] == nil:
			all := slices.Concat(known, slices.Collect(maps.Keys(refused)), slices.Collect(maps.Keys(harmless)))
			slices.Sort(all)
			return invalid(name, "unrecognized request argument supplied: %s%s", name,
				unknown.Meant(unknown.Near(name, all)))
		case !slices.Contains(refused[name], value):
			return invalid(name, "%s is not supported by this server: leave it out%s", name, neutral(refused[name]))
		default:
			delete(fields, name)
		}
	}
	left, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return typed(json.Unmarshal(left, into))
}

// object reads a JSON object.
func object(body io.Reader) (fields map[string]json.RawMessage, err error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, invalid("", "the body is not a JSON object: %v", err)
	}
	return fields, nil
}

// typed names the field whose value has the wrong type.
func typed(err error) error {
	wrong := new(json.UnmarshalTypeError)
	if errors.As(err, &wrong) {
		field := strings.TrimPrefix(wrong.Field, "settings.")
		return invalid(field, "%s: a %s cannot be read as %s", field, wrong.Value, typeName(wrong.Type))
	}
	f := new(failure)
	if err != nil && !errors.As(err, &f) {
		return invalid("", "the body could not be read: %v", err)
	}
	return err
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int32:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a " + t.Kind().String()
}

// fieldsOf are the names of a struct's fields in JSON, those of embedded structs among them.
func fieldsOf(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// compact is JSON without spaces between its tokens.
func compact(raw json.RawMessage) string {
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

func neutral(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return ", or set it to " + strings.Join(values, " or ")
}

// harmless are fields that say something about the request and nothing about its reply.
var harmless = map[string]bool{
	"metadata": true, "service_tier": true, "safety_identifier": true, "prompt_cache_key": true,
	"prompt_cache_retention": true, "parallel_tool_calls": true,
}

// refused are fields that this server knows and cannot obey, with the values that ask for nothing.
var refused = map[string][]string{
	"functions": {"[]"}, "function_call": {`"none"`, `"auto"`},
	"store": {"false"}, "modalities": {`["text"]`}, "audio": {}, "prediction": {}, "reasoning_effort": {},
	"verbosity": {}, "web_search_options": {}, "best_of": {"1"}, "suffix": {`""`}, "length_penalty": {"1"},
	"use_beam_search": {"false"}, "stop_token_ids": {"[]"}, "bad_words": {"[]"},
	"skip_special_tokens": {"true"}, "spaces_between_special_tokens": {"true"},
	"include_stop_str_in_output": {"false"}, "add_generation_prompt": {"true"}, "continue_final_message": {"false"},
	"add_special_tokens": {}, "chat_template": {}, "chat_template_kwargs": {"{}"}, "prompt_logprobs": {"false"},
	"truncate_prompt_tokens": {}, "priority": {"0"}, "guided_json": {}, "guided_regex": {}, "guided_choice": {},
	"guided_grammar": {}, "structured_outputs": {}, "logits_processors": {}, "dimensions": {}, "mirostat": {"0"},
	"typical_p": {"1"}, "cache_prompt": {"true"}, "id_slot": {"-1"}, "return_tokens_as_token_ids": {"false"},
}
