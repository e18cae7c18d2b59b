package rowfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/plaintext"
)

// Decode reads exactly one JSON value. Numbers stay json.Number, because 1.50 and 1.5 differ as answers.
func Decode(content []byte, into any) error {
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
func lineRows(content []byte) (rows []Row) {
	number := 0
	for line := range bytes.Lines(content) {
		if number++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r := Row{Number: number, Place: fmt.Sprint("line ", number)}
		r.Err = Decode(bytes.TrimSpace(line), &r.Value)
		rows = append(rows, r)
	}
	return rows
}

// numberRows makes rows of the values of a list. A value that is not an object becomes a bad row.
func numberRows(kind string, list []any) (rows []Row) {
	for _, v := range list {
		r := Row{Number: len(rows) + 1, Place: fmt.Sprint(kind, " ", len(rows)+1)}
		if r.Value, _ = v.(map[string]any); r.Value == nil {
			r.Err = errors.New("is not an object")
		}
		rows = append(rows, r)
	}
	return rows
}

// listRows reads a JSON list of items. In the release of MuSR an item has several questions on one context; each
// becomes a row.
func listRows(content []byte) ([]Row, error) {
	var list []any
	if err := Decode(content, &list); err != nil {
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
	return numberRows("item", flat), nil
}

// objectRows reads a file that is one JSON object: with the examples of BIG-bench, with the articles of SQuAD, with Du
// et al.'s people and what is known of them, or a single item over several lines. ok is false if the file is none
// of these; it may then be JSON lines.
func objectRows(content []byte) (rows []Row, ok bool, err error) {
	var file map[string]any
	if err := Decode(content, &file); errors.Is(err, errTwice) {
		return nil, false, err
	} else if err != nil {
		return nil, false, nil
	}
	if examples, ok := file["examples"].([]any); ok {
		return numberRows("example", examples), true, nil
	}
	articles, ok := file["data"].([]any)
	switch {
	case len(file) == 0:
		return nil, true, nil
	case biographies(file):
		var people []any
		for _, name := range slices.Sorted(maps.Keys(file)) {
			people = append(people, map[string]any{"person": name, FieldFacts: file[name]})
		}
		return numberRows("person", people), true, nil
	case !ok && bytes.Contains(content, []byte("\n")):
		return numberRows("item", []any{file}), true, nil
	case !ok:
		return nil, false, nil
	}
	var questions []any
	for _, article := range articles {
		for _, paragraph := range within(article, "paragraphs") {
			questions = append(questions, within(paragraph, "qas", "context")...)
		}
	}
	return numberRows("question", questions), true, nil
}

// biographies reports whether all fields of an object are texts of several lines, most of which begin as lists of
// points do. The keys are names then.
func biographies(file map[string]any) bool {
	lists := 0
	for _, v := range file {
		text := strings.TrimSpace(Text(v))
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
