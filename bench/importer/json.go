package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// value is one debate of a file, not parsed yet.
type value struct {
	place string // how a Problem names it, "" if the file has no other
	json  []byte
}

// errMany refuses a list or an object before room is made for all of its entries: an empty one takes two bytes in the
// file, and hundreds in memory as a debate.
var errMany = fmt.Errorf("more than %d entries; split the file", maxDebates)

// values returns the debates of a JSON file: one object, a list of objects, or one object per line.
func values(content []byte) ([]value, error) {
	trimmed := bytes.TrimSpace(content)
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("is empty")
	case trimmed[0] == '[':
		return elements(content)
	case json.Valid(trimmed):
		return []value{{"", trimmed}}, nil
	}
	return lines(content)
}

// elements returns the values of a JSON list.
func elements(content []byte) (found []value, err error) {
	var list json.RawMessage
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, locate(content, err)
	}
	d := json.NewDecoder(bytes.NewReader(list))
	for _, err = d.Token(); err == nil && d.More(); {
		if len(found) == maxDebates {
			return nil, errMany
		}
		var v json.RawMessage
		err = d.Decode(&v)
		found = append(found, value{fmt.Sprint("debate ", len(found)+1), v})
	}
	return found, err
}

// lines returns the lines of a file that are not empty.
func lines(content []byte) (found []value, err error) {
	number := 0
	for line := range bytes.Lines(content) {
		if number++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(found) == maxDebates {
			return nil, errMany
		}
		found = append(found, value{fmt.Sprint("line ", number), bytes.TrimSpace(line)})
	}
	return found, nil
}

// locate adds the line to a syntax error.
func locate(content []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(0, int(syntax.Offset)), len(content))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(content[:at], []byte("\n")), err)
}

// field is a key of an object with its value.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of an object in their order, which a map would lose.
func fieldsOf(text []byte) (fields []field, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	for d.More() {
		if len(fields) == maxDebates {
			return nil, errMany
		}
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)} // the decoder refuses any other key
		if err := d.Decode(&f.value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	_, err = d.Token()
	return fields, err
}

// textOf returns a JSON string, or a number with the digits of the file.
func textOf(value json.RawMessage) (text string, err error) {
	if _, err := strconv.ParseFloat(string(value), 64); err == nil {
		return string(value), nil
	}
	err = json.Unmarshal(value, &text)
	return text, err
}

// eachValue reads the debates of a JSON file one by one.
func eachValue(content []byte, read func(text []byte) (loggedDebate, error)) ([]entry, error) {
	found, err := values(content)
	entries := make([]entry, len(found))
	for i, v := range found {
		entries[i].place = v.place
		entries[i].debate, entries[i].err = read(v.json)
	}
	return entries, err
}

// checkNames refuses an object with two keys of one name, whatever their case: programs differ in which of them counts.
func checkNames(text []byte) error {
	fields, err := fieldsOf(text)
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		name := strings.ToLower(f.name)
		if seen[name] {
			return fmt.Errorf("the key %.40q appears twice", f.name)
		}
		seen[name] = true
	}
	return err
}

// listOf reads a JSON list of at most maxTurns values; null and nothing are an empty one.
func listOf[T any](text json.RawMessage, what string) (list []T, err error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return nil, fmt.Errorf("%s: is not a JSON list", what)
	}
	for d.More() {
		if len(list) == maxTurns {
			return nil, fmt.Errorf("%s: more than %d entries", what, maxTurns)
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", what, len(list)+1, err)
		}
		list = append(list, v)
	}
	return list, nil
}
