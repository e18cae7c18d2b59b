package rowfile

import (
	"encoding/json"
	"slices"
	"strings"
)

// FieldFacts is the field in which rows of any kind can have facts about the question, as those of StrategyQA do.
const FieldFacts = "facts"

// Row is one item of a file.
//
// A row that cannot be read has Err and no Value; the others of the file are still read, so that all bad
// rows can be listed at once.
type Row struct {
	Number int    // from 1; the line in JSON lines
	Place  string // how errors name it: "line 3", "example 7"
	Value  map[string]any
	Err    error

	Headless bool // of a CSV file that has no header and the form of MMLU's
}

// Text returns the text or number of a field, "" if it has neither. Numbers keep the digits of the file.
func (r Row) Text(name string) string { return Text(r.Value[name]) }

// Text returns a text or number of JSON as text, "" for any other value.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// List returns the list of texts or numbers of a field, or nil if the field is anything else, or one of them is empty.
func (r Row) List(name string) (texts []string) {
	list, _ := r.Value[name].([]any)
	for _, v := range list {
		text := strings.TrimSpace(Text(v))
		if text == "" {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// Has reports whether the row has all of these fields, with any value.
func (r Row) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := r.Value[name]; return !ok })
}

// Twice returns the first name that appears more than once, "" if none does.
func Twice(names []string) string {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
