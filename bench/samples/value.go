package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// head is what a file is recognised by.
type head struct {
	zip  bool
	keys map[string]json.RawMessage // of the object that the file is, of its first line, or of the first in its list
	text []byte
}

// headOf looks at the beginning of a file: a whole object, the first line, or the first object of a list.
func headOf(content []byte) head {
	h := head{zip: bytes.HasPrefix(content, []byte("PK\x03\x04")), text: content}
	d := json.NewDecoder(bytes.NewReader(content))
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("[")) {
		_, _ = d.Token() // the bracket
	}
	if d.Decode(&h.keys) != nil {
		h.keys = nil
	}
	return h
}

func (h head) has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := h.keys[k]; !ok {
			return false
		}
	}
	return true
}

// words are scores in words, as harnesses write them: C, I, P and N are inspect_ai's for correct, incorrect, partly
// correct, and no answer.
var words = map[string]float64{"c": 1, "i": 0, "p": 0.5, "n": 0, "true": 1, "false": 0, "yes": 1, "no": 0, "right": 1,
	"wrong": 0, "correct": 1, "incorrect": 0, "pass": 1, "fail": 0, "passed": 1, "failed": 0}

// number is a score as a number.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, errors.New("is missing")
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case float64:
		return v, nil
	case json.Number:
		return finite(v.String())
	case string:
		text := strings.TrimSpace(v)
		if value, ok := words[strings.ToLower(text)]; ok {
			return value, nil
		}
		return finite(text)
	}
	return 0, fmt.Errorf("%.60v is no number", v)
}

func finite(text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("%.60q is no finite number", text)
	}
	return value, nil
}

// texts is a JSON text, or a list of texts, or of parts with one, or anything else as JSON.
type texts []string

func (t *texts) UnmarshalJSON(content []byte) error {
	var one string
	var list []json.RawMessage
	var part struct{ Text *string } // of what a model said, beside its reasoning and calls of tools
	switch {
	case json.Unmarshal(content, &one) == nil:
		*t = texts{one}
	case json.Unmarshal(content, &list) == nil:
		for _, each := range list {
			var inner texts
			if err := inner.UnmarshalJSON(each); err != nil {
				return err
			}
			*t = append(*t, strings.Join(inner, " "))
		}
	case string(content) == "null":
	case json.Unmarshal(content, &part) == nil && part.Text != nil:
		*t = texts{*part.Text}
	default:
		*t = texts{string(content)}
	}
	return nil
}

// first is the first text, "" of none.
func (t texts) first() string {
	if len(t) == 0 {
		return ""
	}
	return t[0]
}

// field is a value of an object as text, "" if it has none.
func field(object map[string]json.RawMessage, name string) string {
	var t texts
	if raw, ok := object[name]; ok && name != "" {
		if t.UnmarshalJSON(raw) == nil {
			return strings.Join(t, ", ")
		}
	}
	return ""
}
