package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/parquetfile"
	"github.com/parley-debate/parley/internal/plaintext"
)

// row is one item of a task file, before its family is known.
//
// A row that cannot be read has err and no value; the others of the file are still read, so that parley data can list
// every bad row at once. Load refuses the file if any row is bad.
type row struct {
	number int    // from 1; the line in JSON lines
	place  string // how a Problem names it: "line 3", "example 7"
	value  map[string]any
	err    error

	headless bool // of a CSV file that has no header and the form of MMLU's
}

// text returns the text or number of a field, "" if it has neither. Numbers keep the digits of the file.
func (r row) text(name string) string { return textOf(r.value[name]) }

// textOf returns a text or number of JSON as text, "" for any other value.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// list returns the list of texts or numbers of a field; nil if the field is anything else, or one of them is empty.
func (r row) list(name string) (texts []string) {
	list, _ := r.value[name].([]any)
	for _, v := range list {
		text := strings.TrimSpace(textOf(v))
		if text == "" {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// has reports whether the row has all of these fields, with any value.
func (r row) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := r.value[name]; return !ok })
}

// rowsOf reads JSON, JSON lines, CSV, TSV or Parquet, which it recognises by the content and never by the name of the
// file. headed says that CSV has a header; else it is recognised. separator is the name of what separates the columns
// of CSV, "" for other formats. An error is about the file as a whole; errors of single rows are in the rows.
func rowsOf(content []byte, headed bool) (rows []row, separator string, err error) {
	if bytes.HasPrefix(content, []byte(parquetfile.Magic)) {
		rows, err = parquetRows(content)
		return rows, "", err
	}
	if err := otherFormat(content); err != nil {
		return nil, "", err
	}
	if content, err = plaintext.Of(content); err != nil {
		return nil, "", err
	}
	if n := separators(content, ','); n > maxValues {
		return nil, "", fmt.Errorf("has more than %d values, at most %d are read", n, maxValues)
	}
	trimmed := bytes.TrimSpace(content)
	switch {
	case bytes.HasPrefix(trimmed, []byte("[")):
		rows, err = listRows(trimmed)
		return rows, "", err
	case bytes.HasPrefix(trimmed, []byte("{")):
		rows, ok, err := objectRows(trimmed)
		if !ok && err == nil {
			rows = lineRows(content)
		}
		return rows, "", err
	}
	return csvRows(content, headed)
}

func parquetRows(content []byte) (rows []row, err error) {
	values, err := parquetfile.Rows(content, maxRows)
	for i, value := range values {
		rows = append(rows, row{number: i + 1, place: fmt.Sprint("row ", i+1), value: value})
	}
	return rows, err
}

// otherFormats are files that are no text, by how they begin.
var otherFormats = map[string]string{
	"PARE": "an encrypted Parquet file", "GGUF": "a model (GGUF)",
	"PK\x03\x04": "a zip archive, as spreadsheets (.xlsx) are",
	"\x1f\x8b":   "compressed by gzip", "\x28\xb5\x2f\xfd": "compressed by zstd", "BZh": "compressed by bzip2",
	"\xfd7zXZ": "compressed by xz", "ARROW1": "an Arrow (Feather) file", "ORC": "an ORC file",
	"Obj\x01": "an Avro file", "SQLite format 3": "an SQLite database", "%PDF": "a PDF file",
	"\x89HDF": "an HDF5 file", "\xff\xff\xff\xff": "an Arrow stream",
}

// otherFormat refuses a file of another format by its name. A text may begin with the same letters, but has no zero
// byte.
func otherFormat(content []byte) error {
	for magic, name := range otherFormats {
		if bytes.HasPrefix(content, []byte(magic)) && bytes.IndexByte(content[:min(len(content), 4096)], 0) >= 0 {
			return fmt.Errorf("is %s: questions are read from JSON, JSON lines, CSV and Parquet", name)
		}
	}
	return nil
}

// separators counts the separators outside quotes, which bounds the number of values in JSON or CSV. A value of two
// bytes in the file takes dozens in memory, so the count is checked before anything is decoded.
func separators(content []byte, separator byte) (n int) {
	quoted := false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			n++
		}
	}
	return n
}

// decode reads exactly one JSON value. Numbers stay json.Number, because 1.50 and 1.5 differ as answers.
func decode(content []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("JSON that is cut off")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the JSON value")
	}
	if err := plaintext.Escapes(content); err != nil {
		return err
	}
	return checkKeys(content)
}

var errTwice = errors.New("appears twice in one object")

// checkKeys refuses objects in which a key appears twice: readers disagree on which value counts, so two programs could
// score different questions from one file. content is a valid JSON value.
func checkKeys(content []byte) error {
	type level struct {
		keys map[string]bool // of an object, nil of a list
		key  bool            // the next token is one
	}
	var open []*level
	for d := json.NewDecoder(bytes.NewReader(content)); ; {
		token, err := d.Token()
		if err != nil {
			return nil // the end, since the content is valid JSON
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].keys != nil {
			in := open[n-1]
			if name, _ := token.(string); in.key && in.keys[name] {
				return fmt.Errorf("the key %.40q %w", name, errTwice)
			} else if in.key {
				in.keys[name] = true
			}
			in.key = !in.key
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &level{keys: make(map[string]bool), key: true})
		case json.Delim('['):
			open = append(open, &level{})
		}
	}
}

// lineRows reads JSON lines. Row numbers count empty lines too, so that they are the line numbers of an editor.
func lineRows(content []byte) (rows []row) {
	number := 0
	for line := range bytes.Lines(content) {
		if number++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r := row{number: number, place: fmt.Sprint("line ", number)}
		r.err = decode(bytes.TrimSpace(line), &r.value)
		rows = append(rows, r)
	}
	return rows
}

// numbered makes rows of the values of a list. A value that is not an object becomes a bad row.
func numbered(kind string, list []any) (rows []row) {
	for _, v := range list {
		r := row{number: len(rows) + 1, place: fmt.Sprint(kind, " ", len(rows)+1)}
		if r.value, _ = v.(map[string]any); r.value == nil {
			r.err = errors.New("is not an object")
		}
		rows = append(rows, r)
	}
	return rows
}

// listRows reads a JSON list of items. In the release of MuSR an item has several questions on one context; each
// becomes a row.
func listRows(content []byte) ([]row, error) {
	var list []any
	if err := decode(content, &list); err != nil {
		return nil, err
	}
	var flat []any
	for _, v := range list {
		if item, ok := v.(map[string]any); ok && item["questions"] != nil {
			flat = append(flat, within(item, "questions", "context")...)
		} else {
			flat = append(flat, v)
		}
	}
	return numbered("item", flat), nil
}

// objectRows reads a file that is one JSON object: with the examples of BIG-bench, with the articles of SQuAD, with Du
// et al.'s people and what is known of them, or a single item over several lines. ok is false if the file is none
// of these; it may then be JSON lines.
func objectRows(content []byte) (rows []row, ok bool, err error) {
	var file map[string]any
	if err := decode(content, &file); errors.Is(err, errTwice) {
		return nil, false, err
	} else if err != nil {
		return nil, false, nil
	}
	if examples, ok := file["examples"].([]any); ok {
		return numbered("example", examples), true, nil
	}
	articles, ok := file["data"].([]any)
	switch {
	case len(file) == 0:
		return nil, true, nil
	case biographies(file):
		var people []any
		for _, name := range slices.Sorted(maps.Keys(file)) {
			people = append(people, map[string]any{"person": name, fieldFacts: file[name]})
		}
		return numbered("person", people), true, nil
	case !ok && bytes.Contains(content, []byte("\n")):
		return numbered("item", []any{file}), true, nil
	case !ok:
		return nil, false, nil
	}
	var questions []any
	for _, article := range articles {
		for _, paragraph := range within(article, "paragraphs") {
			questions = append(questions, within(paragraph, "qas", "context")...)
		}
	}
	return numbered("question", questions), true, nil
}

// biographies reports whether all fields of an object are texts of several lines, most of which begin as lists of
// points do. The keys are names then.
func biographies(file map[string]any) bool {
	lists := 0
	for _, v := range file {
		text := strings.TrimSpace(textOf(v))
		if !strings.Contains(text, "\n") {
			return false
		}
		if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "•") {
			lists++
		}
	}
	return 2*lists > len(file)
}

// within returns the list in a field of an object, and copies the fields named in inherited from the object to each
// item. Anything but a list becomes one bad item, so that it is reported and not skipped.
func within(object any, name string, inherited ...string) []any {
	outer, _ := object.(map[string]any)
	list, ok := outer[name].([]any)
	if !ok {
		return []any{nil}
	}
	for _, v := range list {
		if inner, ok := v.(map[string]any); ok {
			for _, field := range inherited {
				inner[field] = outer[field]
			}
		}
	}
	return list
}

// twice returns the first name that appears more than once, "" if none does.
func twice(names []string) string {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
