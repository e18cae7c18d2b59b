package task

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// item is what a row says, before it is known how its answer is read.
type item struct {
	question, answer string
	accepted         []string // several right answers, which the answer lists; nil if it is the only one
	options          []string
	labels           []string // of the options, if they have any
}

func (o *ownFile) item(r row) (i item, err error) {
	if i.question, err = r.cell(o.Question); err != nil {
		return i, err
	}
	if i.answer, i.accepted, err = r.answer(o.Answer); err != nil {
		return i, err
	}
	if len(o.Choices) > 0 && i.accepted != nil {
		return i, fmt.Errorf("%d answers are right, %.80s: a question with choices has one", len(i.accepted), i.answer)
	}
	if len(o.Choices) > 0 {
		if i.options, i.labels, err = o.options(r); i.labels == nil && !o.record {
			i.options, _ = reader.ByLabel(i.options) // an answer B is "B) red", wherever that stands
		}
		return i, err
	}
	if before, number, marked := cutLast(i.answer, "####"); marked { // a solution, as in GSM8K
		if i.answer = strings.TrimSpace(number); !gold.MatchString(i.answer) {
			return i, fmt.Errorf("after a solution of %d bytes and ####, the answer %.40q is no number", len(before),
				i.answer)
		}
	}
	inferred, kind := o.asked == "" || o.asked == answer.Reader, answer.KindOf(o.asked)
	if !o.record && (inferred || kind == answer.KindNumber || kind == answer.KindQuantity) && !i.all(clear) {
		return i, fmt.Errorf("the number in the answer %.40q has a comma that may group digits or stand for the "+
			"point: write 4.5 or 1,234, or say with --rule that it is a text", i.answer)
	}
	return i, nil
}

var (
	// grouped matches numbers whose commas group digits, by three or as in India.
	grouped = regexp.MustCompile(`^[-−+]?[$€£]?[0-9]{1,3}((,[0-9]{2})*,[0-9]{3})*(\.[0-9]+)?( ?[%€£$])?$`)
	// separated matches numbers with commas, and those with points before a comma.
	separated = regexp.MustCompile(`^[-−+]?[$€£]?[0-9][0-9.]*(,[0-9]+)+(\.[0-9]+)?( ?[%€£$])?$`)
)

// clear reports whether an answer is no number, or one whose commas can mean but one thing.
func clear(text string) bool { return !separated.MatchString(text) || grouped.MatchString(text) }

// all reports whether the answer, or every one of several, has a form.
func (i item) all(fits func(text string) bool) bool {
	if i.accepted == nil {
		return fits(i.answer)
	}
	return !slices.ContainsFunc(i.accepted, func(text string) bool { return !fits(text) })
}

// answer returns the right answer in a column, with all of them if there are several.
func (r row) answer(name string) (one string, several []string, err error) {
	switch all := r.answers(name); len(all) {
	case 0:
		one, err = r.cell(name)
		return one, nil, err
	case 1:
		return all[0], nil, nil
	default:
		return strings.Join(all, " / "), all, nil
	}
}

// answers returns the right answers of a column that lists texts, numbers or truth values, also as a text of JSON or
// Python, or nil if it lists none.
func (r row) answers(name string) (all []string) {
	list, _ := r.Value[name].([]any)
	if text := strings.TrimSpace(r.Text(name)); strings.HasPrefix(text, `["`) || strings.HasPrefix(text, "['") {
		for _, text := range literal(text) {
			list = append(list, text)
		}
	}
	for _, v := range list {
		text, err := rowOf(map[string]any{name: v}).cell(name)
		if err != nil {
			return nil
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// cutLast cuts a text around the last place of a separator.
func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

// cell returns the text, number or truth value in a column, which may not be empty.
func (r row) cell(name string) (string, error) {
	text := ""
	switch v := r.Value[name].(type) {
	case []any, map[string]any:
		return "", fmt.Errorf("the column %.40q holds a list or an object; it needs one text or number", name)
	case bool:
		text = strconv.FormatBool(v)
	case json.Number:
		text = decimal(v)
	default:
		text = strings.TrimSpace(rowfile.Text(v))
	}
	if text == "" && !r.Has(name) {
		return "", fmt.Errorf("has no %.40q", name)
	}
	if text == "" {
		return "", fmt.Errorf("%.40q is empty", name)
	}
	return text, nil
}

// decimal returns a number with its digits, and one with an exponent without the exponent.
func decimal(n json.Number) string {
	if f, err := n.Float64(); err == nil && strings.ContainsAny(n.String(), "eE") {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return n.String()
}

// options returns the choices of a row, with their labels if it has any.
func (o *ownFile) options(r row) (options, labels []string, err error) {
	if len(o.Choices) > 1 {
		for _, name := range o.Choices {
			text, _ := r.cell(name)
			options = append(options, text)
		}
		for n := len(options); n > 0 && options[n-1] == ""; n-- {
			options = options[:n-1] // questions may have fewer choices than there are columns
		}
	} else {
		options, labels = choicesIn(r, o.Choices[0])
	}
	switch {
	case len(options) < 2 || slices.Contains(options, ""):
		return nil, nil, fmt.Errorf("needs at least two choices, each with a text, and has %d",
			len(options)-count(options, ""))
	case labels != nil && (len(labels) != len(options) || rowfile.Twice(labels) != ""):
		return nil, nil, fmt.Errorf("needs a different label for each of the %d choices", len(options))
	}
	return options, labels, nil
}

// ownLabel matches the label at the beginning of a choice's text.
var ownLabel = regexp.MustCompile(`^\(?([A-Za-z]|[0-9]{1,2})[).:]\s+(\S.*)$`)

// choicesIn reads the choices of one column: a list of texts; a list as text; a list of objects with label and text;
// an object with the lists text and label, which Parquet has as two columns; or an object of texts by label.
func choicesIn(r row, name string) (options, labels []string) {
	switch v := r.Value[name].(type) {
	case []any:
		return optionsOf(v)
	case string:
		return literal(v), nil
	case map[string]any:
		list := rowOf(v)
		if list.Has("text") {
			return list.List("text"), list.List("label")
		}
		for _, label := range list.names() {
			options, labels = append(options, strings.TrimSpace(rowfile.Text(v[label]))), append(labels, label)
		}
		return options, labels
	}
	return r.List(name + ".text"), r.List(name + ".label")
}

// optionsOf returns the texts of a list, or the texts and labels of a list of objects.
func optionsOf(list []any) (options, labels []string) {
	for _, v := range list {
		if object, ok := v.(map[string]any); ok {
			labels = append(labels, strings.TrimSpace(rowfile.Text(object["label"])))
			v = object["text"]
		}
		options = append(options, strings.TrimSpace(rowfile.Text(v)))
	}
	return options, labels
}

// literal reads a list that is written as text, in JSON or in Python.
func literal(text string) (options []string) {
	var list []any
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "[") {
		return nil
	}
	if rowfile.Decode([]byte(text), &list) == nil {
		options, _ = optionsOf(list)
		return options
	}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		options = append(options, strings.TrimSpace(unescaped.Replace(m[1]+m[2])))
	}
	return options
}

var unescaped = strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`)
